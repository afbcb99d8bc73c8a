"""Connection settings: named model APIs, HTTP APIs and MCP servers that a server can reach."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from orchestration.network.secrets import secrets_of, strike

ConnectionKind = Literal[
    "openai_compatible", "openai", "anthropic", "gemini", "ollama", "http", "mcp", "mcp_stdio"
]


@dataclass(frozen=True)
class TimeLimits:
    """Time limits of a model call in seconds, and the number of attempts; None uses the default."""

    connect: float | None = None
    first_byte: float | None = None
    between: float | None = None
    turn: float | None = None
    tries: int | None = None


@dataclass(frozen=True)
class ConnectionSettings:
    """Address and credentials of a connection; never part of a definition, an event or a log.

    >>> ConnectionSettings("shop", "http", "https://shop.example/api", key="sk-1")
    ConnectionSettings(name='shop', kind='http', base_url='https://shop.example/api')
    """

    name: str
    kind: ConnectionKind
    base_url: str = ""
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    command: tuple[str, ...] = field(default=(), repr=False)
    """Command of an MCP server over stdio: program and arguments, from the operator's list."""
    model: str = field(default="", repr=False)
    """Model for agents that name none; if empty, agents must name one."""
    limits: TimeLimits = field(default=TimeLimits(), repr=False)
    is_operators: bool = field(default=False, repr=False)
    """True if the server's operator made the connection; any other reaches only addresses that the
    operator allows.
    """
    owner: str = field(default="", repr=False)
    """Owner of the connection: sessions with a server are never shared between owners."""
    fault: str = field(default="", repr=False)
    """Why it cannot be used, in a sentence; empty: it can."""

    @property
    def credentials(self) -> dict[str, str]:
        """The headers that go to its own host only: the key as a bearer's, and what it says itself.

        Names are in lower case.
        """
        own = {name.lower(): value for name, value in self.headers.items()}
        return ({"authorization": f"Bearer {self.key}"} if self.key else {}) | own

    def without_secrets(self, text: str) -> str:
        """A text in which its key and the values of its headers are struck out."""
        return strike(text, secrets_of(self.key, self.headers.values()))


FindConnection = Callable[[str], Awaitable[ConnectionSettings | None]]
"""The connection of a name, as it is now; None: there is none."""

"""Settings of connections to model APIs, HTTP APIs and MCP servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from orchestration.network.redaction import redact
from orchestration.network.secrets import Secrets, secrets_of


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
    kind: str
    """A vendor of `orchestration.providers`, or a server with tools: `http`, `mcp`, `mcp_stdio`."""
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
    """Reason if the connection cannot be used, as a sentence; otherwise empty."""

    @property
    def credentials(self) -> dict[str, str]:
        """Headers for the connection's own host: the key as bearer token, and the own headers.

        Names are in lower case.
        """
        own = {name.lower(): value for name, value in self.headers.items()}
        return ({"authorization": f"Bearer {self.key}"} if self.key else {}) | own

    @property
    def secrets(self) -> Secrets:
        """The key, the values of the headers, and other secrets of the settings."""
        return secrets_of(self.key, self.headers, url=self.base_url, command=self.command)

    def without_secrets(self, text: str) -> str:
        """Redact the secrets in a text."""
        return redact(text, self.secrets)


FindConnection = Callable[[str], Awaitable[ConnectionSettings | None]]
"""Find the current connection of a name; None if there is none."""

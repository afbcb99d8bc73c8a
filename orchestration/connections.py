"""What a server can reach elsewhere, under a name: a model's API, an HTTP API, an MCP server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

ConnectionKind = Literal[
    "openai_compatible", "openai", "anthropic", "gemini", "ollama", "http", "mcp", "mcp_stdio"
]


@dataclass(frozen=True)
class Connection:
    """Where something is and what it wants to see; never part of a definition, an event or a log.

    >>> Connection("shop", "http", "https://shop.example/api", key="sk-1")
    Connection(name='shop', kind='http', base_url='https://shop.example/api', command=())
    """

    name: str
    kind: ConnectionKind
    base_url: str = ""
    key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    command: tuple[str, ...] = ()
    """What starts an MCP server over stdio: program and arguments, from the operator's list."""

    @property
    def credentials(self) -> dict[str, str]:
        """The headers that go to its own host only: the key as a bearer's, and what it says itself.

        Names are in lower case.
        """
        own = {name.lower(): value for name, value in self.headers.items()}
        return ({"authorization": f"Bearer {self.key}"} if self.key else {}) | own

    def without_secrets(self, text: str) -> str:
        """A text in which its key and the values of its headers are struck out."""
        for secret in (self.key, *self.headers.values()):
            if len(secret) >= _SHORTEST_SECRET:
                text = text.replace(secret, "…")
        return text


FindConnection = Callable[[str], Awaitable[Connection | None]]
"""The connection of a name, as it is now; None: there is none."""

_SHORTEST_SECRET = 6
"""Characters below which striking a value out would do more harm than good."""

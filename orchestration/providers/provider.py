"""The provider protocol: neutral requests and answers of a model (contract T-1)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import datetime
from typing import Literal, Protocol

import msgspec

from orchestration.definition import Agent
from orchestration.messages import Ending, ProviderState, ToolCall
from orchestration.prompts import PromptPart, joined
from orchestration.tokens import estimate_tokens
from orchestration.tools import ToolSpec

MAX_CALLS = 128
"""Tool calls of one turn."""


SUPERVISOR = "supervisor"
"""Speaker of a supervisor's notes."""


class PromptMessage(msgspec.Struct, eq=False, gc=False):
    """One entry of the history in an agent's view. Only `wire` may be changed."""

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    speaker: str | None = None
    """Another agent or the supervisor, quoted with the role of a user; None: the speaker follows
    from the role."""
    tokens: int = -1
    """Estimated number of tokens; computed by `estimate_tokens` if negative."""
    handoff: bool = False
    """True for the result of a handoff."""
    kept: ProviderState | None = None
    """Data that the vendor expects back with an assistant's answer."""
    wire: tuple[str, str] | None = None
    """Name of a dialect and the message encoded in it: each message is encoded once."""

    def __post_init__(self) -> None:
        if self.tokens < 0:
            self.tokens = estimate_tokens(self.text)
            for call in self.tool_calls:
                self.tokens += estimate_tokens(call.arguments) + 8


class WireExchange(msgspec.Struct, frozen=True, kw_only=True):
    """One request to a vendor and its answer, verbatim except for secrets."""

    at: datetime
    """Time of the request."""
    url: str
    sent_headers: tuple[tuple[str, str], ...]
    sent: str
    """Body of the request."""
    status: int | None
    """Status code; None without an answer."""
    headers: tuple[tuple[str, str], ...]
    received: str
    """Recorded part of the answer's body."""
    left_out: int
    """Number of bytes of both bodies that are not recorded."""
    first_byte: int | None
    """Milliseconds until the first byte of the answer."""
    milliseconds: int
    """Milliseconds until the end of the answer."""
    error: str
    """Error text; empty without an error."""


ExchangeListener = Callable[[WireExchange], None]
"""Callback for each completed or failed exchange."""

TurnListener = Callable[[str, str, int, WireExchange], None]
"""Callback for the exchanges of all turns: session id, run id, number of the turn, exchange."""


class ModelRequest(msgspec.Struct, frozen=True):
    """Input of a model for one turn."""

    agent: Agent
    phase: str
    system_parts: tuple[PromptPart, ...]
    messages: Sequence[PromptMessage]
    """Read-only, and valid only until the stream ends: the list may grow afterwards."""
    tools: tuple[ToolSpec, ...] = ()
    came_from: str | None = None
    """Agent of the last handoff, until the receiving agent has answered."""
    handoffs: int = 0
    """Number of handoffs in the run."""
    listen: ExchangeListener | None = None
    """Callback for every exchange with the vendor."""

    @property
    def model(self) -> str:
        """Model of the agent; empty: the provider's default."""
        return self.agent.model

    @property
    def system(self) -> str:
        """System prompt of the request."""
        return joined(self.system_parts)


class TextPiece(msgspec.Struct, frozen=True, gc=False):
    """Next piece of the answer's text."""

    text: str


class Retry(msgspec.Struct, frozen=True, gc=False):
    """Announcement of another attempt after a failure, by this model or by the fallback."""

    attempt: int
    """Number of the failed attempt, from 1."""
    of: int
    """Maximum number of attempts."""
    error: str
    """Class name of the error."""
    message: str
    wait: float
    """Seconds until the next attempt."""
    shown: bool = False
    """True if the failed attempt has sent text; the text is discarded."""
    provider: str = ""
    """Name of the fallback provider; empty if the same provider tries again."""
    model: str = ""
    """Model of the fallback provider."""


class CallPiece(msgspec.Struct, frozen=True, gc=False):
    """A complete tool call."""

    call: ToolCall
    """The engine replaces an empty id with a generated one."""


class Finished(msgspec.Struct, frozen=True, gc=False):
    """End of the answer. Without it the stream was cut off, and its calls are not made."""

    input_tokens: int = 0
    output_tokens: int = 0
    reason: Ending = "stop"
    kept: ProviderState | None = None
    """Data that the vendor expects back with the answer in every later turn."""
    request_id: str | None = None
    """Id of the request at the vendor."""


Piece = TextPiece | CallPiece | Retry | Finished


class Provider(Protocol):
    """A client of a model API."""

    @property
    def name(self) -> str:
        """Name of the provider in events."""

    def model_of(self, request: ModelRequest) -> str:
        """Return the model that the request is sent to."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Send the request; yield retries, text, complete calls, then `Finished`.

        Raises `ProviderError` with a message that states the next step.
        """

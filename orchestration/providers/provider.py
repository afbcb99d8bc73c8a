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


class PromptMessage(msgspec.Struct, eq=False, gc=False):
    """One entry of the history as a model sees it. Not to be changed, but for `wire`."""

    role: Literal["user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    speaker: str | None = None
    """Another agent, whose words are quoted with the role of a user; None: as the role says."""
    tokens: int = -1
    """Estimated number of tokens; computed by `estimate_tokens` if negative."""
    handoff: bool = False
    """True for the result of a handoff."""
    kept: ProviderState | None = None
    """Data that the vendor of an assistant's answer expects back."""
    wire: tuple[str, str] | None = None
    """A provider's encoding under the name of its dialect, kept so that it is made once."""

    def __post_init__(self) -> None:
        if self.tokens < 0:
            self.tokens = estimate_tokens(self.text)
            for call in self.tool_calls:
                self.tokens += estimate_tokens(call.arguments) + 8


class WireExchange(msgspec.Struct, frozen=True, kw_only=True):
    """One request to a vendor and its answer, word for word but for what is secret."""

    at: datetime
    """Time of the request."""
    url: str
    sent_headers: tuple[tuple[str, str], ...]
    sent: str
    """The request's body."""
    status: int | None
    """None: no answer came."""
    headers: tuple[tuple[str, str], ...]
    received: str
    """The answer's body as far as it came and is kept."""
    left_out: int
    """Bytes of both bodies that are not kept."""
    first_byte: int | None
    """Milliseconds until the answer began."""
    milliseconds: int
    """Until its end."""
    error: str
    """Error text; empty without an error."""


Listener = Callable[[WireExchange], None]
"""Hears of an exchange when it is over, however it ended."""

TurnListener = Callable[[str, str, int, WireExchange], None]
"""Hears of the exchanges of all turns: of which session, of which run, and of its how many-th."""


class ModelRequest(msgspec.Struct, frozen=True):
    """All that one turn sends to a model."""

    agent: Agent
    phase: str
    system_parts: tuple[PromptPart, ...]
    messages: Sequence[PromptMessage]
    """Only to be read, and only until the stream ends: it may grow afterwards."""
    tools: tuple[ToolSpec, ...] = ()
    came_from: str | None = None
    """The agent that handed the conversation over and has not been answered yet."""
    handoffs: int = 0
    """Number of handoffs in the run."""
    listen: Listener | None = None
    """Listener to every exchange with the vendor; None: no listener."""

    @property
    def model(self) -> str:
        """The vendor's name of the model; empty: the provider's own default."""
        return self.agent.model

    @property
    def system(self) -> str:
        """The system prompt as it is sent."""
        return joined(self.system_parts)


class TextPiece(msgspec.Struct, frozen=True, gc=False):
    """Some more of the answer."""

    text: str


class Retry(msgspec.Struct, frozen=True, gc=False):
    """The model failed, and will be asked again, or another one in its place."""

    attempt: int
    """Number of the failed attempt, from 1."""
    of: int
    """Maximum number of attempts."""
    error: str
    """The kind of error, as its class is named."""
    message: str
    wait: float
    """Seconds until the next try."""
    shown: bool = False
    """True if text came before, which is void now."""
    provider: str = ""
    """The next provider, if it is another one: the agent's fallback."""
    model: str = ""
    """The model of theirs that is asked."""


class CallPiece(msgspec.Struct, frozen=True, gc=False):
    """A tool call, complete."""

    call: ToolCall
    """An empty id is replaced by one of the engine's own."""


class Finished(msgspec.Struct, frozen=True, gc=False):
    """The end of the answer. A stream without it was cut off, and its calls are not made."""

    input_tokens: int = 0
    output_tokens: int = 0
    reason: Ending = "stop"
    kept: ProviderState | None = None
    """Data that the vendor expects back with the answer in every later turn."""
    request_id: str | None = None
    """The vendor's id of the request, if given."""


Piece = TextPiece | CallPiece | Retry | Finished


class Provider(Protocol):
    """A client of a model API."""

    @property
    def name(self) -> str:
        """Name of the provider in events."""

    def model_of(self, request: ModelRequest) -> str:
        """The model that would be asked."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Ask the model: its retries, text as it comes, complete calls, then `Finished`.

        Raises `ProviderError` in words a person can act on.
        """

"""Messages between people, agents and tools, neutral to every vendor (contract T-1)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec


def clean(text: str) -> str:
    """The text without what cannot be stored or sent: NUL, and halves of surrogate pairs."""
    text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An immutable value that travels in events, made by keyword.

    A change is a new one: `msgspec.structs.replace(value, …)`. Nothing is checked when one is made;
    JSON from outside is, by `orchestration.events`. What it holds is JSON and other values, and so
    in no circle: the garbage collector need not look for one.
    """


class Usage(Value, frozen=True, kw_only=True):
    """Usage of model calls. Adds up over turns, agents and subtasks (contract D-6)."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    milliseconds: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            calls=self.calls + other.calls,
            milliseconds=self.milliseconds + other.milliseconds,
        )


class ToolCall(Value, frozen=True, kw_only=True):
    """A call that a model asks for."""

    id: str
    name: str
    arguments: str = "{}"
    """JSON as the model wrote it, which may be broken; parsed where the call is executed."""


class ToolResult(Value, frozen=True, kw_only=True):
    """Result of a call: `content`, or `error` for the model to correct."""

    call_id: str
    name: str
    content: str = ""
    error: str | None = None
    milliseconds: int = 0
    tries: int = 1
    """Number of attempts: more than one if it failed and may be repeated."""
    stood_in: bool = False
    """True if one of the tool's examples answered in place of the tool."""
    notes: dict[str, Any] | None = None
    """Additional data, such as `subtask_request` for a subtask's result (contract T-9)."""

    def for_model(self) -> str:
        """The text that goes back to the model."""
        return self.content if self.error is None else f"Error: {self.error}"


Ending = Literal["stop", "length", "filtered", "refused"]
"""Why an answer ended: it was whole, it reached the bound on its length, the vendor's filter held
it back, or the model would not answer."""


class ProviderState(Value, frozen=True, kw_only=True):
    """Opaque data that a vendor expects back with its answer: reasoning, signatures.

    It means nothing to anybody else: to another vendor or model it is not sent.
    """

    dialect: str
    """The vendor's format."""
    model: str
    parts: tuple[Any, ...]
    """JSON, as it came."""


class Message(Value, frozen=True, kw_only=True):
    """One entry of a conversation's history, with role and time (contract T-2)."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    at: datetime
    agent_id: str | None = None
    """Author of the answer, or for a tool result the caller."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls of an assistant message."""
    tool_call_id: str | None = None
    """The call that a tool message answers."""
    handoff: bool = False
    """True if the call was a handoff, which other agents do not see."""
    kept: ProviderState | None = None
    """Data that the vendor of an assistant's answer expects back."""
    note: bool = False
    """True for a supervisor's note, to the agent `agent_id` alone if set."""


class InboundMessage(Value, frozen=True, kw_only=True):
    """A message from outside: the text, and the fields that routing rules use."""

    id: str
    """The sender's own id: a message sent twice counts once."""
    text: str
    channel_type: str = "web"
    """web, sms, email, voice, or the operator's own word."""
    intent: str | None = None
    source_channel_id: str | None = None
    from_agent: str | None = None
    """The agent that sent it, where one did: such a message is never routed (contract O-3)."""
    metadata: dict[str, Any] = {}
    """Further facts of the channel; the router adds its choice here (contract O-6)."""
    files: dict[str, str] = {}
    """Texts by file name, included in the system prompt (contract T-3)."""


class SubtaskRequest(Value, frozen=True, kw_only=True):
    """Request of a subtask tool to the task system (contract T-9)."""

    type: str
    """The tool's name."""
    description: str = ""
    inputs: dict[str, Any] = {}
    template_hints: tuple[str, ...] = ()
    """Words by which a pipeline is found for it."""
    subtype: str | None = None
    """The name of the pipeline that is to run; None: the one the hints match best."""

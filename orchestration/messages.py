"""What is said between people, agents and tools: neutral to every vendor (contract T-1)."""

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
    """What model calls cost. Adds up over turns, agents and subtasks (contract D-6)."""

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
    """What a call gave back: `content`, or `error` for the model to correct."""

    call_id: str
    name: str
    content: str = ""
    error: str | None = None
    milliseconds: int = 0
    tries: int = 1
    """How often it was called: more than once, where it failed and may be called again."""
    stood_in: bool = False
    """Whether the tool itself was not asked: one of its examples answered in its place."""
    notes: dict[str, Any] | None = None
    """Additional data, such as `subtask_request` for a subtask's result (contract T-9)."""

    def for_model(self) -> str:
        """The text that goes back to the model."""
        return self.content if self.error is None else f"Error: {self.error}"


Ending = Literal["stop", "length", "filtered", "refused"]
"""Why an answer ended: it was whole, it reached the bound on its length, the vendor's filter held
it back, or the model would not answer."""


class ProviderState(Value, frozen=True, kw_only=True):
    """What a vendor wants back unchanged with the answer that it stood in: reasoning, signatures.

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
    """Whose answer it is, or for a tool's result who called it."""
    tool_calls: tuple[ToolCall, ...] = ()
    """What an assistant message asks for."""
    tool_call_id: str | None = None
    """Which call a tool message answers."""
    handoff: bool = False
    """Whether that call was a handoff, of which others are not told."""
    kept: ProviderState | None = None
    """What the vendor of an assistant's answer wants back."""
    note: bool = False
    """Whether the supervisor said it, to the agent of `agent_id` alone, where there is one."""


class InboundMessage(Value, frozen=True, kw_only=True):
    """What comes in from outside: the text, and what routing rules may ask about."""

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
    """What else the channel knows; the router stamps its choice here (contract O-6)."""
    files: dict[str, str] = {}
    """Texts by file name, included in the system prompt (contract T-3)."""


class SubtaskRequest(Value, frozen=True, kw_only=True):
    """What a subtask tool asks the task system to have done (contract T-9)."""

    type: str
    """The tool's name."""
    description: str = ""
    inputs: dict[str, Any] = {}
    template_hints: tuple[str, ...] = ()
    """Words by which a pipeline is found for it."""
    subtype: str | None = None
    """The name of the pipeline that is to run; None: the one the hints match best."""

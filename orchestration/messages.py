"""Messages between people, agents and tools, independent of vendors (contract T-1)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

import msgspec


def clean(text: str) -> str:
    """Remove characters that cannot be stored or sent: NUL and lone surrogates."""
    text = text.replace("\0", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An immutable part of events.

    Change it with `msgspec.structs.replace(value, …)`. Only JSON from outside is checked, by
    `orchestration.events`, not a value created in code. A value contains JSON and other values
    only, so it has no cycles for the garbage collector.
    """


class Usage(Value, frozen=True, kw_only=True):
    """Usage of model calls, added up over turns, agents and subtasks (contract D-6)."""

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


NO_USAGE = Usage()


class ToolCall(Value, frozen=True, kw_only=True):
    """A tool call requested by a model."""

    id: str
    name: str
    arguments: str = "{}"
    """JSON from the model, which may be invalid; it is parsed when the call is executed."""


class ToolResult(Value, frozen=True, kw_only=True):
    """Result of a call: `content`, or `error` for the model."""

    call_id: str
    name: str
    content: str = ""
    error: str | None = None
    milliseconds: int = 0
    tries: int = 1
    """Number of attempts; more than one if a failed call was repeated."""
    stood_in: bool = False
    """True if one of the tool's examples answered in place of the tool."""
    notes: dict[str, Any] | None = None
    """Additional data, such as `subtask_request` for a subtask's result (contract T-9)."""

    def for_model(self) -> str:
        """Return the text for the model."""
        return self.content if self.error is None else f"Error: {self.error}"


Ending = Literal["stop", "length", "filtered", "refused"]
"""Reason of an answer's end: complete, length limit, vendor's filter, or refusal of the model."""


class ProviderState(Value, frozen=True, kw_only=True):
    """Opaque data that a vendor expects back with its answer: reasoning, signatures.

    It is never sent to another vendor or model.
    """

    dialect: str
    """The vendor's format."""
    model: str
    parts: tuple[Any, ...]
    """The vendor's JSON, unchanged."""


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
    """True for a handoff, which other agents do not see."""
    kept: ProviderState | None = None
    """Data that the vendor of an assistant's answer expects back."""
    note: bool = False
    """True for a supervisor's note, to the agent `agent_id` alone if set."""


CHANNELS: Final[Mapping[str, str]] = {
    "web": "Web chat",
    "sms": "SMS",
    "email": "Email",
    "voice": "Voice",
}
"""Names of the rehearsal's channels; served conversations and routing rules may have others."""

_CHANNEL_KEYS = {word.casefold(): key for key, name in CHANNELS.items() for word in (key, name)}


def channel_key(text: str) -> str:
    """Return the channel with this key or name in any case, or the text if there is none.

    >>> channel_key("Web Chat"), channel_key("fax")
    ('web', 'fax')
    """
    return _CHANNEL_KEYS.get(text.strip().casefold(), text)


class InboundMessage(Value, frozen=True, kw_only=True):
    """A message from outside: the text, and the fields that routing rules use."""

    id: str
    """The sender's id; a message that is sent twice counts once."""
    text: str
    channel_type: str = "web"
    """web, sms, email, voice, or another channel."""
    intent: str | None = None
    source_channel_id: str | None = None
    from_agent: str | None = None
    """The agent that sent it, if any; such a message is never routed (contract O-3)."""
    metadata: dict[str, Any] = {}
    """Further data of the channel; the router adds its decision (contract O-6)."""
    start_phase: str | None = None
    """Stage at which a new conversation begins instead of the entry; later messages ignore it."""
    variables: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    """Values of the pipeline's variables from this message on; absent without a change."""
    files: dict[str, str] = {}
    """Texts by file name, included in the system prompt (contract T-3)."""


class SubtaskRequest(Value, frozen=True, kw_only=True):
    """Request of a subtask tool to the task system (contract T-9)."""

    type: str
    """The tool's name."""
    description: str = ""
    inputs: dict[str, Any] = {}
    template_hints: tuple[str, ...] = ()
    """Words to find a pipeline for the subtask."""
    subtype: str | None = None
    """Name of the pipeline; None uses the best match of the hints."""

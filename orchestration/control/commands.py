"""Commands that people send to a conversation: values that can be stored and sent.

`AnyCommand` lists each command once, with the bounds of its fields. `read_command` and
`decode_command` check input from a socket or a stored row against these bounds. The engine checks
every command against the state of its conversation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import msgspec
from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter
from pydantic_core import PydanticCustomError

from orchestration.events import Rating

MAX_TEXT = 8_000
"""Maximum length of a message or a note in characters."""

MAX_REMARK = 2_000
"""Maximum length of a reason or a summary in characters."""

MAX_COMMENT = 1_000
"""Maximum length of a comment on an answer in characters."""

MAX_ARGUMENTS = 50_000
"""Maximum length of the changed arguments of a call in characters."""


def _storable(text: str) -> str:
    # PostgreSQL stores no U+0000, and half of a surrogate pair cannot be encoded.
    if "\0" in text:
        raise PydanticCustomError("nul", "The message contains a NUL character: remove it.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError(
            "half", "The message contains an incomplete character: remove it."
        )
    return text


def _message_text(text: str) -> str:
    text = text.strip().replace("\r\n", "\n")
    if not text:
        raise PydanticCustomError("empty", "Write something first.")
    if len(text) > MAX_TEXT:
        raise PydanticCustomError(
            "too_long",
            "The message has {length} characters; {limit} are allowed. It stays here, so that "
            "you can shorten it.",
            {"length": f"{len(text):,}", "limit": f"{MAX_TEXT:,}"},
        )
    return text


def _required_name(name: str) -> str:
    if not name:
        raise PydanticCustomError("empty", "Choose a target first.")
    return name


def _name_or_none(name: str | None) -> str | None:
    return name or None


Storable = AfterValidator(_storable)
MessageText = Annotated[str, AfterValidator(_message_text), Storable]
Name = Annotated[str, StringConstraints(max_length=120, strip_whitespace=True), Storable]
RequiredName = Annotated[Name, AfterValidator(_required_name)]
OptionalName = Annotated[Name | None, AfterValidator(_name_or_none)]
EventNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
Remark = Annotated[str, StringConstraints(max_length=MAX_REMARK), Storable]
Comment = Annotated[str, StringConstraints(max_length=MAX_COMMENT), Storable]
Arguments = Annotated[str, StringConstraints(max_length=MAX_ARGUMENTS), Storable]


@dataclass(frozen=True, kw_only=True)
class Command:
    """A person's request to change a conversation."""

    id: str
    """Id from the sender: a command that is sent twice takes effect once."""
    by: str
    """Name of the person, as shown in the trace."""


@dataclass(frozen=True, kw_only=True)
class Pause(Command):
    """Pause before the next turn or the next decision about a handoff."""

    kind: Literal["pause"] = "pause"
    reason: Remark = ""


@dataclass(frozen=True, kw_only=True)
class GoOn(Command):
    """Continue; with `step` only until the next turn or handoff."""

    kind: Literal["go_on"] = "go_on"
    step: bool = False


@dataclass(frozen=True, kw_only=True)
class SendNote(Command):
    """Send a note to an agent, invisible for the user; without `to_agent`, to all agents."""

    kind: Literal["note"] = "note"
    text: MessageText
    to_agent: OptionalName = None


@dataclass(frozen=True, kw_only=True)
class HandOver(Command):
    """Hand the conversation over, with or without the check of handoff requests."""

    kind: Literal["hand_over"] = "hand_over"
    target: RequiredName
    """An agent, an alias, a stage's phase, or `human`."""
    to_phase: OptionalName = None
    reason: Remark = ""
    summary: Remark = ""
    past_check: bool = False


@dataclass(frozen=True, kw_only=True)
class TakeOver(Command):
    """Answer in place of the agents from now on."""

    kind: Literal["take_over"] = "take_over"


@dataclass(frozen=True, kw_only=True)
class Reply(Command):
    """Send a message to the user in place of the agents."""

    kind: Literal["reply"] = "reply"
    text: MessageText


@dataclass(frozen=True, kw_only=True)
class HandBack(Command):
    """Hand the conversation back to an agent."""

    kind: Literal["hand_back"] = "hand_back"
    target: RequiredName
    to_phase: OptionalName = None
    summary: Remark = ""


@dataclass(frozen=True, kw_only=True)
class End(Command):
    """End a person's part in the conversation, without an agent that continues."""

    kind: Literal["end"] = "end"


@dataclass(frozen=True, kw_only=True)
class GiveFeedback(Command):
    """Rate an answer or comment on it; without both, withdraw the feedback."""

    kind: Literal["feedback"] = "feedback"
    about: EventNumber
    """`seq` of the answer."""
    rating: Rating = ""
    comment: Comment = ""


@dataclass(frozen=True, kw_only=True)
class Decision(Command):
    """A person's decision about a call that waits for approval; the agent gets the reason."""

    asked: EventNumber
    """`seq` of the event that requested the approval."""
    reason: Remark = ""


@dataclass(frozen=True, kw_only=True)
class ApproveCall(Decision):
    """Make the call as the agent wrote it."""

    kind: Literal["approve"] = "approve"


@dataclass(frozen=True, kw_only=True)
class ChangeCall(Decision):
    """Make the call with other arguments."""

    kind: Literal["change"] = "change"
    arguments: Arguments
    """A JSON object that matches the schema of the tool."""


@dataclass(frozen=True, kw_only=True)
class RefuseCall(Decision):
    """Do not make the call."""

    kind: Literal["refuse"] = "refuse"


AnyCommand = (
    Pause
    | GoOn
    | SendNote
    | HandOver
    | TakeOver
    | Reply
    | HandBack
    | End
    | GiveFeedback
    | ApproveCall
    | ChangeCall
    | RefuseCall
)

COMMAND_KINDS: tuple[str, ...] = tuple(command.kind for command in get_args(AnyCommand))
"""Names of the commands: `hand_over`."""

RunCommand = Pause | SendNote | HandOver | GiveFeedback | Decision
"""Commands that a run accepts between two of its steps."""

RUN_COMMAND_KINDS = frozenset(
    command.kind for command in get_args(AnyCommand) if issubclass(command, RunCommand)
)

_COMMANDS: TypeAdapter[AnyCommand] = TypeAdapter(Annotated[AnyCommand, Field(discriminator="kind")])


def read_command(fields: object) -> AnyCommand:
    """Return the command with these fields; raise `pydantic.ValidationError`."""
    return _COMMANDS.validate_python(fields)


def encode_command(command: AnyCommand) -> str:
    """Return the command as JSON."""
    return msgspec.json.encode(command).decode()


def decode_command(text: str | bytes) -> AnyCommand:
    """Return the command that `encode_command` wrote; raise `pydantic.ValidationError`."""
    return _COMMANDS.validate_json(text)

"""Commands that people send to a conversation: values that can be stored and sent."""

from __future__ import annotations

import msgspec

from orchestration.messages import Value


class Command(Value, frozen=True, kw_only=True, tag_field="kind"):
    """A request of a person to change a conversation."""

    id: str
    """The sender's own id: sent twice, it counts once."""
    by: str
    """Name of the person, as shown in the trace."""

    @property
    def kind(self) -> str:
        """The command's name: `hand_over`."""
        return str(self.__struct_config__.tag)


class Pause(Command, frozen=True, kw_only=True, tag="pause"):
    """Stand still before the next turn, or before the next handoff is decided."""


class GoOn(Command, frozen=True, kw_only=True, tag="go_on"):
    """Go on; with `step` only as far as the next turn or handoff."""

    step: bool = False


class SendNote(Command, frozen=True, kw_only=True, tag="note"):
    """Tell an agent something that the user does not see; without `to_agent`, all of them."""

    text: str
    to_agent: str | None = None


class HandOver(Command, frozen=True, kw_only=True, tag="hand_over"):
    """Hand the conversation over: through the same check as an agent's request, or past it."""

    target: str
    """An agent, an alias, a stage's phase, or `human`."""
    to_phase: str | None = None
    reason: str = ""
    summary: str = ""
    past_check: bool = False


class TakeOver(Command, frozen=True, kw_only=True, tag="take_over"):
    """Answer in the agents' place from now on."""


class Reply(Command, frozen=True, kw_only=True, tag="reply"):
    """Say something to the user in the agents' place."""

    text: str


class HandBack(Command, frozen=True, kw_only=True, tag="hand_back"):
    """Give the conversation back to an agent."""

    target: str
    to_phase: str | None = None
    summary: str = ""


class End(Command, frozen=True, kw_only=True, tag="end"):
    """End what a person has, or what waits for one, without an agent that goes on."""


class Decision(Command, frozen=True, kw_only=True):
    """A person's decision about a call that waits for approval."""

    asked: int
    """The number of the event that asked: its `seq`."""


class ApproveCall(Decision, frozen=True, kw_only=True, tag="approve"):
    """Have the call made as the agent wrote it."""


class ChangeCall(Decision, frozen=True, kw_only=True, tag="change"):
    """Have it made with other arguments."""

    arguments: str
    """A JSON object, which the schema of the tool has to allow."""


class RefuseCall(Decision, frozen=True, kw_only=True, tag="refuse"):
    """Have it not made; the agent is told why."""

    reason: str = ""


AnyCommand = (
    Pause
    | GoOn
    | SendNote
    | HandOver
    | TakeOver
    | Reply
    | HandBack
    | End
    | ApproveCall
    | ChangeCall
    | RefuseCall
)

_COMMANDS: msgspec.json.Decoder[AnyCommand] = msgspec.json.Decoder(AnyCommand)


def encode_command(command: AnyCommand) -> str:
    """The command as JSON."""
    return msgspec.json.encode(command).decode()


def decode_command(text: str | bytes) -> AnyCommand:
    """The command that `encode_command` wrote. What is none raises `msgspec.ValidationError`."""
    return _COMMANDS.decode(text)

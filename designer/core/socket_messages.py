"""Messages that a page can send over a socket, and their schemas."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from designer.core.forms.page_state import PageState
from orchestration.control import (
    AnyCommand,
    ApproveCall,
    ChangeCall,
    End,
    GoOn,
    HandBack,
    HandOver,
    Pause,
    RefuseCall,
    Reply,
    SendNote,
    TakeOver,
)
from orchestration.messages import InboundMessage

MAX_FRAME = 64 * 1024
"""Bytes of one message on a socket."""

MAX_TEXT = 8_000
"""Characters of what is said at once."""


MAX_ARGUMENTS = 50_000
"""Characters of the arguments of a call, as somebody changes them."""

MAX_LOOKED_AT = 20
"""Maximum number of a person's selected elements that others see."""

Short = Annotated[str, StringConstraints(max_length=200)]

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]


class MalformedError(ValueError):
    """A message that asks for nothing we know; says why, for the person who sent it."""


def _storable(text: str) -> str:
    """PostgreSQL keeps no U+0000, and half of a surrogate pair is no character."""
    if "\0" in text:
        raise PydanticCustomError("nul", "The message holds a NUL character, which no text may.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("half", "The message holds half a character, which no text may.")
    return text


def _fit_to_say(text: str) -> str:
    """Something, and not too much of it."""
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


def _named(text: str) -> str:
    """The name of somebody or of a place."""
    if not text:
        raise PydanticCustomError("empty", "Choose who it goes to first.")
    return text


Said = Annotated[str, AfterValidator(_fit_to_say), AfterValidator(_storable)]
Name = Annotated[
    str, StringConstraints(max_length=120, strip_whitespace=True), AfterValidator(_storable)
]
Needed = Annotated[Name, AfterValidator(_named)]
Seq = Annotated[int, Field(ge=1, le=2**31 - 1)]
Remark = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(_storable)]


class SocketMessage(BaseModel):
    """Common fields of every message. The headers that htmx adds are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Resume(SocketMessage):
    """Send what comes after event `after`, and go on sending."""

    op: Literal["resume"]
    after: Annotated[int, Field(ge=0)]


class Say(SocketMessage):
    """Say something as the customer."""

    op: Literal["say"]
    id: Id
    """The page's own id for it: sent twice, it counts once."""
    text: Said
    channel_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] = "web"
    intent: Name = ""

    def inbound(self) -> InboundMessage:
        """The message as the engine takes it."""
        return InboundMessage(
            id=self.id, text=self.text, channel_type=self.channel_type, intent=self.intent or None
        )


class StopMessage(SocketMessage):
    """End the run that is on."""

    op: Literal["stop"]


class Seen(SocketMessage):
    """Everything up to mark `n` has come."""

    op: Literal["seen"]
    n: Annotated[int, Field(ge=0)]


class Withdraw(SocketMessage):
    """Take away what waits."""

    op: Literal["withdraw"]
    key: Id


class BreakPoint(SocketMessage):
    """Have runs stand still at a stage, or on the way from one to another; or no longer."""

    op: Literal["break_point"]
    stage: Name = ""
    source: Name = ""
    target: Name = ""
    on: bool = True

    @property
    def point(self) -> str | tuple[str, str]:
        """The stage, or the way."""
        return self.stage or (self.source, self.target)

    @model_validator(mode="after")
    def is_a_place(self) -> Self:
        """A stage, or both ends of a way."""
        if not self.stage and not (self.source and self.target):
            raise PydanticCustomError("nowhere", "Name a stage, or both ends of a way.")
        return self


class Steer(SocketMessage, ABC):
    """A message with a command for the engine."""

    id: Annotated[Id, BeforeValidator(lambda given: given or uuid4().hex)] = Field(
        default_factory=lambda: uuid4().hex
    )
    """The page's own id for it, or a new one: sent twice, it counts once."""

    @abstractmethod
    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""


class PauseMessage(Steer):
    """Stand still before the next turn or handoff."""

    op: Literal["pause"]

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return Pause(id=self.id, by=by)


class GoOnMessage(Steer):
    """Go on; or as far as the next turn or handoff."""

    op: Literal["go_on"]
    step: bool = False

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return GoOn(id=self.id, by=by, step=self.step)


class NoteMessage(Steer):
    """Tell an agent something, or whoever has the conversation."""

    op: Literal["note"]
    text: Said
    to_agent: Name = ""

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return SendNote(id=self.id, by=by, text=self.text, to_agent=self.to_agent or None)


class HandOverMessage(Steer):
    """Hand the conversation over, through the check or knowingly past it."""

    op: Literal["hand_over"]
    target: Needed
    to_phase: Name = ""
    reason: Remark = ""
    summary: Remark = ""
    past_check: bool = False

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return HandOver(
            id=self.id,
            by=by,
            target=self.target,
            to_phase=self.to_phase or None,
            reason=self.reason,
            summary=self.summary,
            past_check=self.past_check,
        )


class TakeOverMessage(Steer):
    """Answer in the agents' place."""

    op: Literal["take_over"]

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return TakeOver(id=self.id, by=by)


class ReplyMessage(Steer):
    """Say something in the agents' place."""

    op: Literal["reply"]
    text: Said

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return Reply(id=self.id, by=by, text=self.text)


class HandBackMessage(Steer):
    """Give the conversation back to an agent."""

    op: Literal["hand_back"]
    target: Needed
    to_phase: Name = ""
    summary: Remark = ""

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return HandBack(
            id=self.id,
            by=by,
            target=self.target,
            to_phase=self.to_phase or None,
            summary=self.summary,
        )


class EndMessage(Steer):
    """End what a person has, or what waits for one."""

    op: Literal["end"]

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return End(id=self.id, by=by)


class Approve(Steer):
    """Have a call that waits made as it is."""

    op: Literal["approve"]
    asked: Seq

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return ApproveCall(id=self.id, by=by, asked=self.asked)


class ChangeMessage(Steer):
    """Have it made with other arguments."""

    op: Literal["change"]
    asked: Seq
    arguments: Annotated[
        str, StringConstraints(max_length=MAX_ARGUMENTS), AfterValidator(_storable)
    ]

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return ChangeCall(id=self.id, by=by, asked=self.asked, arguments=self.arguments)


class RefuseMessage(Steer):
    """Have it not made."""

    op: Literal["refuse"]
    asked: Seq
    reason: Remark = ""

    def command(self, by: str) -> AnyCommand:
        """The command as the engine takes it."""
        return RefuseCall(id=self.id, by=by, asked=self.asked, reason=self.reason)


Deciding = Approve | ChangeMessage | RefuseMessage
Steering = (
    PauseMessage
    | GoOnMessage
    | NoteMessage
    | HandOverMessage
    | TakeOverMessage
    | ReplyMessage
    | HandBackMessage
    | EndMessage
    | Deciding
)
Looking = Resume | Seen
"""Messages of readers with view-only access."""
Operation = Looking | Say | StopMessage | Withdraw | BreakPoint | Steering
_OPERATION: TypeAdapter[Operation] = TypeAdapter(Annotated[Operation, Field(discriminator="op")])


class CatchUp(SocketMessage):
    """Send what has changed in the pipeline since `version`; the rest says what the page shows."""

    op: Literal["catch_up"]
    version: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,9}$")]
    select: Short = ""
    tab: Short = ""
    panel: Short = ""
    supervised: Short = ""
    token: Short = ""
    typing: Short = ""
    base: Short = ""

    @property
    def shown(self) -> PageState:
        """State of the page."""
        names = ("version", "select", "tab", "panel", "supervised", "token", "typing", "base")
        return PageState.parse({name: getattr(self, name) for name in names})


class Look(SocketMessage):
    """Let the others see what is selected here: the ids of elements, parted by blanks."""

    op: Literal["look"]
    at: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_ -]{0,1000}$")] = ""

    @property
    def selected(self) -> list[str]:
        """The ids; no more than anyone wants to see."""
        return self.at.split()[:MAX_LOOKED_AT]


Editing = CatchUp | Look
_EDITING: TypeAdapter[Editing] = TypeAdapter(Annotated[Editing, Field(discriminator="op")])


def parse(text: str | None) -> Operation:
    """Read a message about a conversation. Raises MalformedError, which says what is wrong."""
    return check(_read(text))


def parse_editing(text: str | None) -> Editing:
    """Read a message about a pipeline that is being drawn. Raises MalformedError, too."""
    try:
        return _EDITING.validate_python(_read(text))
    except ValidationError as error:
        raise MalformedError(_sentence(error)) from None


def _read(text: str | None) -> object:
    if text is None:
        raise MalformedError("Only text can be sent here.")
    if len(text) > MAX_FRAME or len(text.encode("utf-8", "replace")) > MAX_FRAME:
        raise MalformedError(f"The message is larger than {MAX_FRAME // 1024} KiB.")
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedError("The message is not JSON.") from None
    return content


def check(content: object) -> Operation:
    """Check a message that was read already."""
    try:
        return _OPERATION.validate_python(content)
    except ValidationError as error:
        raise MalformedError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] in {"empty", "too_long", "nul", "half", "nowhere"}:
        return first["msg"]
    field = ".".join(str(part) for part in first["loc"][1:])
    return f"The message was not understood: {field + ': ' if field else ''}{first['msg']}."

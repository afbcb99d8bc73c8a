"""Messages that a page can send over a socket, and their schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import (
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
from orchestration.control import COMMAND_KINDS, AnyCommand, MessageText, Name, read_command
from orchestration.messages import InboundMessage

MAX_FRAME = 64 * 1024
"""Bytes of one message on a socket."""

MAX_LOOKED_AT = 20
"""Maximum number of a person's selected elements that others see."""

Short = Annotated[str, StringConstraints(max_length=200)]

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]


class MalformedError(ValueError):
    """A message that asks for nothing we know; says why, for the person who sent it."""


_COMMAND_ID: TypeAdapter[str] = TypeAdapter(
    Annotated[Id, BeforeValidator(lambda key: key or uuid4().hex)]
)
"""A command without an id gets a new one."""


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
    text: MessageText
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


Looking = Resume | Seen
"""Messages of readers with view-only access."""
_PlainMessage = Looking | Say | StopMessage | Withdraw | BreakPoint
_PLAIN_MESSAGE: TypeAdapter[_PlainMessage] = TypeAdapter(
    Annotated[_PlainMessage, Field(discriminator="op")]
)
Operation = _PlainMessage | AnyCommand
"""Messages of people who may rehearse. A command comes without the name of its sender."""


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
    """Check a parsed message. Raises MalformedError."""
    try:
        if isinstance(content, dict) and content.get("op") in COMMAND_KINDS:
            return _command(content)
        return _PLAIN_MESSAGE.validate_python(content)
    except ValidationError as error:
        raise MalformedError(_sentence(error)) from None


def _command(content: Mapping[str, Any]) -> AnyCommand:
    try:
        key = _COMMAND_ID.validate_python(content.get("id"))
    except ValidationError as error:
        raise MalformedError(_sentence(error, "id")) from None
    return read_command({**content, "kind": content["op"], "id": key, "by": ""})


def _sentence(error: ValidationError, field: str = "") -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] in {"empty", "too_long", "nul", "half", "nowhere"}:
        return first["msg"]
    problem = first["msg"]
    if first["type"] == "union_tag_invalid":
        problem = ", ".join([problem, *map(repr, COMMAND_KINDS)])
    field = field or ".".join(str(part) for part in first["loc"][1:])
    return f"The message was not understood: {field + ': ' if field else ''}{problem}."

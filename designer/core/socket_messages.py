"""Messages from a page over a socket, and their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from msgspec import UNSET
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
from pydantic_core import ErrorDetails, PydanticCustomError

from designer.core.forms.page_state import PageState
from orchestration.control import (
    COMMAND_KINDS,
    AnyCommand,
    MessageText,
    Name,
    Storable,
    read_command,
)
from orchestration.definition import MAX_VARIABLE_VALUE, MAX_VARIABLES
from orchestration.exceptions import DefinitionError
from orchestration.loading import MESSAGE, read_json
from orchestration.messages import InboundMessage

MAX_FRAME = MESSAGE.max_bytes
"""Maximum size of a message in bytes."""

MAX_SHARED = 20
"""Maximum number of shared selected elements of one user."""

VARIABLE_FIELD = "variable:"
"""Prefix of the field with the value of a variable."""

VariableValue = Annotated[str, StringConstraints(max_length=MAX_VARIABLE_VALUE), Storable]

Short = Annotated[str, StringConstraints(max_length=200)]

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]


class MalformedError(ValueError):
    """An invalid message; the text is shown to its sender."""


_COMMAND_ID: TypeAdapter[str] = TypeAdapter(
    Annotated[Id, BeforeValidator(lambda key: key or uuid4().hex)]
)
"""A command without an id gets a new one."""


class SocketMessage(BaseModel):
    """Base of every message. Additional fields, such as the headers of htmx, are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Resume(SocketMessage):
    """Request for all events after event number `after`, and for new ones."""

    op: Literal["resume"]
    after: Annotated[int, Field(ge=0)]


class Say(SocketMessage):
    """A message from the customer."""

    op: Literal["say"]
    id: Id
    """Id chosen by the page: a repeated message counts once."""
    text: MessageText
    channel_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] = "web"
    intent: Name = ""
    variables: Annotated[
        dict[Annotated[str, StringConstraints(max_length=64)], VariableValue],
        Field(max_length=MAX_VARIABLES),
    ] = {}
    """Values of variables; a form submits each as a field `variable:customer.name`."""

    @model_validator(mode="before")
    @classmethod
    def _collect_variables(cls, content: Any) -> Any:
        """Collect the fields of variables."""
        if not isinstance(content, dict) or "variables" in content:
            return content
        fields = [name for name in content if str(name).startswith(VARIABLE_FIELD)]
        return {
            **{name: content[name] for name in content if name not in fields},
            "variables": {name.removeprefix(VARIABLE_FIELD): content[name] for name in fields},
        }

    def inbound(self) -> InboundMessage:
        """Return the message for the engine."""
        return InboundMessage(
            id=self.id,
            text=self.text,
            channel_type=self.channel_type,
            intent=self.intent or None,
            variables=self.variables or UNSET,
        )


class StopMessage(SocketMessage):
    """Request to stop the current run."""

    op: Literal["stop"]


class Acknowledge(SocketMessage):
    """Acknowledgement of everything up to mark `n`."""

    op: Literal["seen"]
    n: Annotated[int, Field(ge=0)]


class Withdraw(SocketMessage):
    """Request to withdraw a pending message or command."""

    op: Literal["withdraw"]
    key: Id


class BreakPoint(SocketMessage):
    """Set or clear a break point at a stage or a transition."""

    op: Literal["break_point"]
    stage: Name = ""
    source: Name = ""
    target: Name = ""
    on: bool = True

    @property
    def point(self) -> str | tuple[str, str]:
        """The stage, or the source and target of the transition."""
        return self.stage or (self.source, self.target)

    @model_validator(mode="after")
    def has_location(self) -> Self:
        """Require a stage, or both ends of a transition."""
        if not self.stage and not (self.source and self.target):
            raise PydanticCustomError("nowhere", "Name a stage, or both ends of a transition.")
        return self


ReaderMessage = Resume | Acknowledge
"""Messages allowed with view-only access."""
_PlainMessage = ReaderMessage | Say | StopMessage | Withdraw | BreakPoint
_PLAIN_MESSAGE: TypeAdapter[_PlainMessage] = TypeAdapter(
    Annotated[_PlainMessage, Field(discriminator="op")]
)
Operation = _PlainMessage | AnyCommand
"""Messages allowed with the permission to rehearse. Commands carry no sender."""


class CatchUp(SocketMessage):
    """Request for all changes since `version`; the other fields are the state of the page."""

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
    def page_state(self) -> PageState:
        """State of the page."""
        names = ("version", "select", "tab", "panel", "supervised", "token", "typing", "base")
        return PageState.parse({name: getattr(self, name) for name in names})


class ShareSelection(SocketMessage):
    """Selection to show to other users: ids of elements, separated by spaces."""

    op: Literal["look"]
    at: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_ -]{0,1000}$")] = ""

    @property
    def selected(self) -> list[str]:
        """Return the first ids."""
        return self.at.split()[:MAX_SHARED]


Editing = CatchUp | ShareSelection
_EDITING: TypeAdapter[Editing] = TypeAdapter(Annotated[Editing, Field(discriminator="op")])


def parse(text: str | None) -> Operation:
    """Parse a message about a conversation, or raise `MalformedError`."""
    return check(_read(text))


def parse_editing(text: str | None) -> Editing:
    """Parse a message from the editor, or raise `MalformedError`."""
    try:
        return _EDITING.validate_python(_read(text))
    except ValidationError as error:
        raise MalformedError(_sentence(error)) from None


def _read(text: str | None) -> object:
    if text is None:
        raise MalformedError("A message must be text, not binary data.")
    if len(text) > MAX_FRAME or len(text.encode("utf-8", "replace")) > MAX_FRAME:
        raise MalformedError(f"The message is larger than {MAX_FRAME // 1024} KiB.")
    try:
        return read_json(text, MESSAGE)
    except DefinitionError as error:
        problem = error.faults[0].sentence
        if problem.startswith("This is not JSON"):
            raise MalformedError("The message is not JSON.") from None
        raise MalformedError(f"The message was not understood: {problem}") from None


def check(content: object) -> Operation:
    """Validate a decoded message, or raise `MalformedError`."""
    try:
        if isinstance(content, dict) and content.get("op") in COMMAND_KINDS:
            return _command(content)
        return _PLAIN_MESSAGE.validate_python(content)
    except ValidationError as error:
        subject = _SUBJECTS.get(str(content.get("op")) if isinstance(content, dict) else "", "")
        raise MalformedError(_sentence(error, subject=subject)) from None


def _command(content: Mapping[str, Any]) -> AnyCommand:
    try:
        key = _COMMAND_ID.validate_python(content.get("id"))
    except ValidationError as error:
        raise MalformedError(_sentence(error, "id")) from None
    return read_command({**content, "kind": content["op"], "id": key, "by": ""})


def _sentence(error: ValidationError, field: str = "", subject: str = "") -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    is_text = first["loc"][-1:] == ("text",)
    if first["type"] in {"empty", "too_long", "nul", "half", "nowhere"}:
        return first["msg"].replace(_TEXT, subject or _TEXT, 1) if is_text else first["msg"]
    problem = first["msg"]
    if first["type"] == "union_tag_invalid":
        problem = ", ".join([problem, *map(repr, COMMAND_KINDS)])
    field = field or ".".join(str(part) for part in first["loc"][1:])
    if field in _LABELS:
        label = subject if is_text and subject else _LABELS[field]
        return _field_error(label, first)
    return f"The message was not understood: {field + ': ' if field else ''}{problem}."


_TEXT = "The message"
_SUBJECTS = {"note": "The note", "reply": "The reply"}
"""Texts that are not messages of the customer, in the words of their dialogs, by command."""

_LABELS = {
    "reason": "The reason",
    "summary": "The note",
    "target": "The target",
    "to_agent": "The receiver",
    "arguments": "The text of the arguments",
    "intent": "The intent",
    "text": _TEXT,
    "comment": "The comment",
}
"""Fields of messages and commands in the words of the page."""


def _field_error(label: str, error: ErrorDetails) -> str:
    if error["type"] == "string_too_long":
        return f"{label} is too long: {error['ctx']['max_length']:,} characters are allowed."
    if error["type"] == "missing" and label == _LABELS["target"]:
        return "Choose a target first."
    if error["type"] == "missing":
        return f"{label} is missing. Fill it in and try again."
    return f"{label} is not valid. Change it and try again."

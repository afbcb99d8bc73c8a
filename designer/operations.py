"""What a reader may ask of a conversation's socket, and the shape of it."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from pydantic_core import PydanticCustomError

from orchestration.messages import InboundMessage

MAX_FRAME = 64 * 1024
"""Bytes of one message on a socket."""

MAX_TEXT = 8_000
"""Characters of what is said at once."""


class MalformedError(ValueError):
    """A message that asks for nothing we know; says why, for the person who sent it."""


class Asked(BaseModel):
    """What every message has in common. htmx adds headers, which nothing here needs."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Resume(Asked):
    """Send what comes after event `after`, and go on sending."""

    op: Literal["resume"]
    after: Annotated[int, Field(ge=0)]


class Say(Asked):
    """Say something as the customer."""

    op: Literal["say"]
    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
    """The page's own id for it: sent twice, it counts once."""
    text: str
    channel_type: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] = "web"
    intent: Annotated[str, StringConstraints(max_length=120, strip_whitespace=True)] = ""

    @field_validator("text")
    @classmethod
    def is_fit_to_say(cls, text: str) -> str:
        """Something, not too much of it, and nothing that cannot be kept."""
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
        return _storable(text)

    @field_validator("intent")
    @classmethod
    def is_fit_for_rules(cls, intent: str) -> str:
        """Nothing that cannot be kept."""
        return _storable(intent)

    def inbound(self) -> InboundMessage:
        """The message as the engine takes it."""
        return InboundMessage(
            id=self.id, text=self.text, channel_type=self.channel_type, intent=self.intent or None
        )


class Stop(Asked):
    """End the run that is on."""

    op: Literal["stop"]


Operation = Resume | Say | Stop
_OPERATION: TypeAdapter[Operation] = TypeAdapter(Annotated[Operation, Field(discriminator="op")])


def parse(text: str | None) -> Operation:
    """Read one message. Raises MalformedError with a sentence that says what is wrong."""
    if text is None:
        raise MalformedError("Only text can be sent here.")
    if len(text) > MAX_FRAME or len(text.encode("utf-8", "replace")) > MAX_FRAME:
        raise MalformedError(f"The message is larger than {MAX_FRAME // 1024} KiB.")
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise MalformedError("The message is not JSON.") from None
    return check(content)


def check(content: object) -> Operation:
    """Check a message that was read already."""
    try:
        return _OPERATION.validate_python(content)
    except ValidationError as error:
        raise MalformedError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] in {"empty", "too_long", "nul", "half"}:
        return first["msg"]
    field = ".".join(str(part) for part in first["loc"][1:])
    return f"The message was not understood: {field + ': ' if field else ''}{first['msg']}."


def _storable(text: str) -> str:
    """PostgreSQL keeps no U+0000, and half of a surrogate pair is no character."""
    if "\0" in text:
        raise PydanticCustomError("nul", "The message holds a NUL character, which no text may.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("half", "The message holds half a character, which no text may.")
    return text

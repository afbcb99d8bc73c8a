"""Common parts of the vendors' formats: stream parsers, text and tool calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall, clean
from orchestration.providers.provider import MAX_CALLS, CallPiece, Finished, Piece

MAX_EVENT = 1 << 20
"""Maximum size of one event of a stream in bytes."""

MAX_ARGUMENTS = 1 << 20
"""Maximum length of the arguments of all tool calls of one answer."""


class StreamParser(Protocol):
    """Parser of a stream into events."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the events that the chunk completes."""

    def close(self) -> Iterator[bytes]:
        """Yield the rest at the end."""


class Decoder(Protocol):
    """Decoder of one stream's events into pieces."""

    ended: bool
    """True if the vendor has ended the stream."""
    answer_id: str
    """The vendor's id of the answer; empty if not given."""

    def decode(self, data: bytes) -> Iterator[Piece]:
        """Yield the pieces of one event. Raises `ProviderError`."""

    def finish(self) -> Iterator[Piece]:
        """Yield the last pieces. Raises `ProviderError` if the answer was cut off."""


@dataclass(slots=True)
class EventReader:
    """Parser of server-sent events; chunks may be split anywhere."""

    _rest: bytes = b""
    _data: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the events that the chunk completes."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))
        if len(self._rest) + self._size > MAX_EVENT:
            raise ProviderError("The model sent an event that is too long.")

    def close(self) -> Iterator[bytes]:
        """Yield the rest: some servers omit the last blank line."""
        yield from self._line(self._rest.rstrip(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
            self._size += len(line)
        elif not line and self._data:
            data, self._data, self._size = b"\n".join(self._data), [], 0
            yield data


@dataclass(slots=True)
class LineReader:
    """Parser of JSON lines; chunks may be split anywhere."""

    _rest: bytes = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that are complete now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_EVENT:
            raise ProviderError("The model sent a line that is too long.")
        yield from filter(None, (line.strip() for line in lines))

    def close(self) -> Iterator[bytes]:
        """Yield the rest: the last line may lack its line break."""
        if rest := self._rest.strip():
            yield rest


@dataclass(slots=True)
class TextBuffer:
    """Cleaner of streamed text; half of a surrogate pair waits for the other half."""

    _half: str = ""

    def take(self, text: object) -> str:
        """Return the text that is ready to show."""
        joined = self._half + str(text)
        self._half = joined[-1] if joined and "\ud800" <= joined[-1] <= "\udbff" else ""
        return clean(joined[:-1] if self._half else joined)


def to_json(value: Any) -> str:
    """Return the value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a call; empty if they are not an object."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}


def final_pieces(calls: Sequence[ToolCall], end: Finished) -> Iterator[Piece]:
    """Yield the calls of a complete answer, then its end. An incomplete call raises.

    Arguments must be JSON here; their schema is checked by the tool. If the answer was cut off at
    its maximum length, its calls are not complete and are left out.
    """
    if end.reason == "length":
        calls = ()
    for call in calls:
        if not call.name:
            raise ProviderError("The model called a tool without a name.")
        try:
            json.loads(call.arguments)
        except (ValueError, RecursionError) as error:
            raise ProviderError(
                f"The model called {call.name} with arguments that are not JSON ({error}).",
                transient=True,
            ) from None
    yield from map(CallPiece, calls)
    yield end


def check_size(calls: int, length: int) -> None:
    """Raise `ProviderError` for too many tool calls, or for arguments that are too long."""
    if length > MAX_ARGUMENTS or calls > MAX_CALLS:
        raise ProviderError("The model sent too many tool calls, or arguments that are too long.")


def cut_off_error() -> ProviderError:
    """Return the error of a stream without the vendor's end event."""
    return ProviderError("The model's answer broke off before its end.", transient=True)


def parse_object(data: bytes) -> dict[str, Any]:
    """Parse the JSON object of one event. Raises `ProviderError` for other content."""
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError):
        raise ProviderError("The model sent an event that is not JSON.", transient=True) from None
    if not isinstance(chunk, dict):
        raise ProviderError("The model sent an event that is not an object.", transient=True)
    return chunk


def count_or_zero(number: object) -> int:
    """Return an integer; 0 for other values."""
    return number if isinstance(number, int) else 0

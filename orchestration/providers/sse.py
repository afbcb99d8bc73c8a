"""Common parts of the vendors' formats: streams cut into events, text, errors in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall, clean
from orchestration.network import Secrets, strike
from orchestration.providers.provider import MAX_CALLS, CallPiece, Finished, Piece

MAX_EVENT = 1 << 20
"""Bytes of one event of a stream."""

MAX_ARGUMENTS = 1 << 20
"""Characters of all tool calls of one answer."""

RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Statuses after which asking again may help."""


class StreamParser(Protocol):
    """Cuts a stream into events."""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that are complete now."""

    def close(self) -> Iterator[bytes]:
        """Yield the rest at the end."""


class Decoder(Protocol):
    """Turns the events of one stream into pieces."""

    ended: bool
    """True if the vendor has ended the stream."""
    answer_id: str
    """The vendor's id of the answer; empty if not given."""

    def decode(self, data: bytes) -> Iterator[Piece]:
        """The pieces of one event. Raises `ProviderError`."""

    def finish(self) -> Iterator[Piece]:
        """The last pieces. Raises `ProviderError` if the answer was cut off."""


@dataclass(slots=True)
class EventReader:
    """Server-sent events: takes bytes as they come, cut anywhere, and gives the events' data."""

    _rest: bytes = b""
    _data: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The events that are complete now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            yield from self._line(line.rstrip(b"\r"))
        if len(self._rest) + self._size > MAX_EVENT:
            raise ProviderError("The model sent an event without an end.")

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
    """JSON by lines. Takes a stream's bytes as they come, cut anywhere, and gives its lines."""

    _rest: bytes = b""

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that are complete now."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > MAX_EVENT:
            raise ProviderError("The model sent a line without an end.")
        yield from filter(None, (line.strip() for line in lines))

    def close(self) -> Iterator[bytes]:
        """Yield the rest: the last line may lack its line break."""
        if rest := self._rest.strip():
            yield rest


@dataclass(slots=True)
class Text:
    """Text as it comes, clean. A pair of surrogates may come as two halves: the first one waits."""

    _half: str = ""

    def take(self, text: object) -> str:
        """Return the text that can be shown now."""
        said = self._half + str(text)
        self._half = said[-1] if said and "\ud800" <= said[-1] <= "\udbff" else ""
        return clean(said[:-1] if self._half else said)


def to_json(value: Any) -> str:
    """The value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def arguments_of(written: str) -> dict[str, Any]:
    """The arguments of a call, if they are an object; else none, for vendors that want objects."""
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def closing(calls: Sequence[ToolCall], end: Finished) -> Iterator[Piece]:
    """The calls of a whole answer, then its end. Half a call is never made: it raises.

    Arguments that are no JSON are nobody's: what else is wrong with them is for the tool to say.
    """
    if end.reason == "length" and calls:
        raise ProviderError(
            "The model's answer was cut off in the middle of a tool call: "
            "raise the agent's max_output_tokens."
        )
    for call in calls:
        if not call.name:
            raise ProviderError("The model called a tool without saying which.")
        try:
            json.loads(call.arguments)
        except (ValueError, RecursionError) as error:
            raise ProviderError(
                f"The model called {call.name} with arguments that are no JSON ({error}).",
                transient=True,
            ) from None
    yield from map(CallPiece, calls)
    yield end


def bound(calls: int, written: int) -> None:
    """Raise `ProviderError` where a model does not stop calling tools, or writing arguments."""
    if written > MAX_ARGUMENTS or calls > MAX_CALLS:
        raise ProviderError("The model calls tools without an end.")


def broke_off() -> ProviderError:
    """The error of a stream that ended before the vendor said so."""
    return ProviderError("The model's answer broke off before its end.", transient=True)


_TRANSIENT = frozenset(
    """
    overloaded overloaded_error api_error rate_limit_error timeout_error server_error
    internal_error internal_server_error rate_limit_exceeded unavailable internal
    resource_exhausted deadline_exceeded aborted server_is_overloaded
    """.split()  # noqa: SIM905 - words are easier to read as words
)
"""Vendors' codes for errors that may succeed on retry."""


def reported(error: object, secrets: Secrets, request_id: object = None) -> ProviderError:
    """The error that a vendor tells of in its stream."""
    transient = False
    if isinstance(error, dict):
        kinds = [error.get(key) for key in ("type", "code", "status")]
        transient = any(
            kind in RETRIED or str(kind).lower() in _TRANSIENT
            for kind in kinds
            if isinstance(kind, str | int)
        )
    return ProviderError(
        f"The model reported an error: {said_in(error, secrets)}",
        request_id=said_in(request_id, secrets) if request_id else None,
        transient=transient,
    )


def said_in(error: object, secrets: Secrets) -> str:
    """The vendor's own words in an error object, bounded and without the key."""
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error.get("error") or error
    # Before the cut: half of a key is still a part of it.
    return strike(clean(" ".join(str(error).split())), secrets)[:300]


def read_object(data: bytes) -> dict[str, Any]:
    """The JSON object of one event. Raises `ProviderError` for anything else: it was garbled."""
    try:
        chunk = json.loads(data)
    except (ValueError, RecursionError):
        raise ProviderError("The model sent an event that is not JSON.", transient=True) from None
    if not isinstance(chunk, dict):
        raise ProviderError("The model sent an event that is not an object.", transient=True)
    return chunk


def count_of(number: object) -> int:
    """A number of tokens; 0 for what is none."""
    return number if isinstance(number, int) else 0

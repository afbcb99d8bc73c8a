"""A conversation as a file: JSON lines, the first of what it ran, then one for each event.

Such a file is all that is needed to look at a conversation again: no model, no database. Whatever
comes in is bounded and checked, line by line, and then folded: what `read_trace` lets in can be
shown and followed like any other conversation, and what it refuses it refuses in one sentence, with
the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from typing import Any

import msgspec

from orchestration.conversation import MAX_DEPTH, SWARM_MARK, Blueprint, Branches, find_template
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, MessageDelta, RunStarted, SubtaskStarted, encode, load
from orchestration.exceptions import DefinitionError, TraceError
from orchestration.loading import load_storable
from orchestration.loading.error_messages import quoted
from orchestration.loading.text import parse
from orchestration.messages import SubtaskRequest

FORMAT = "baton.trace/1"

MAX_BYTES = 15 * 1024 * 1024
MAX_LINE = 1024 * 1024
MAX_EVENTS = 20_000
MAX_NAME = 120
MAX_SESSION = 200
MAX_SUBTASK_DEFINITIONS = 20
MAX_NUMBER = 2**53
"""Larger whole numbers are not the same to every program that reads JSON."""

_ID = re.compile(r"[A-Za-z0-9_.:@-]{1,400}")
_FIELDS = ("format", "name", "definition", "subtask_definitions", "session")


@dataclass(frozen=True)
class TraceFile:
    """A conversation, with the pipelines as they were when it was had."""

    name: str
    definition: PipelineDefinition
    session_id: str
    events: tuple[Event, ...] = ()
    subtask_definitions: tuple[PipelineDefinition, ...] = ()

    def find(self, request: SubtaskRequest) -> PipelineDefinition | None:
        """The pipeline that does what a subtask asks for."""
        return find_template(request, self.subtask_definitions)

    def lines(self) -> Iterator[bytes]:
        """The file, line by line, each with its end."""
        yield head_line(self)
        for event in self.events:
            yield encode(event) + b"\n"


def head_line(trace: TraceFile) -> bytes:
    """The first line of a trace: what was run."""
    head = {
        "format": FORMAT,
        "name": trace.name,
        "definition": _dumped(trace.definition),
        "subtask_definitions": [_dumped(one) for one in trace.subtask_definitions],
        "session": trace.session_id,
    }
    return json.dumps(head, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def read_trace(data: bytes) -> TraceFile:
    """The conversation in a file, or `TraceError`, which says on which line what is wrong.

    >>> read_trace(b"Dear Sir or Madam,")
    Traceback (most recent call last):
    ...
    orchestration.exceptions.TraceError: Line 1: This is not JSON: Expecting value.
    """
    if len(data) > MAX_BYTES:
        raise TraceError(f"The file is larger than {MAX_BYTES // 1024**2} MiB.")
    first, *rest = _lines(data)
    trace = _read_head(_parse(first, 1))
    if len(rest) > MAX_EVENTS:
        raise TraceError(f"The file holds more than {MAX_EVENTS:,} events.")
    events = tuple(_read_event(_parse(text, line), line) for line, text in enumerate(rest, 2))
    trace = replace(trace, events=events)
    _follow(trace)
    return trace


def _lines(data: bytes) -> list[str]:
    """The lines of the file. JSON may hold other ends of lines within its texts, so only LF is."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    while len(lines) > 1 and not lines[-1].strip():
        del lines[-1]
    texts = []
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise TraceError(f"It is longer than {MAX_LINE // 1024**2} MiB.", line=number)
        try:
            texts.append(line.decode())
        except UnicodeDecodeError:
            raise TraceError("This is not text in UTF-8.", line=number) from None
    return texts


def _parse(text: str, line: int) -> dict[str, Any]:
    try:
        value = parse(text, max_text=MAX_LINE)
    except DefinitionError as error:
        raise TraceError(_first(error), line=line) from None
    if not isinstance(value, dict):
        raise TraceError("This is no JSON object, in curly brackets.", line=line)
    return value


# The first line


def _read_head(head: dict[str, Any]) -> TraceFile:
    if head.get("format") != FORMAT:
        given = head.get("format")
        raise TraceError(f"The format is {quoted(given)}, not {FORMAT!r}.", line=1)
    for name in _FIELDS:
        if name not in head:
            raise TraceError(f"The field {name!r} is missing.", line=1)
    for name in head.keys() - set(_FIELDS):
        raise TraceError(f"There is no field {quoted(name)}.", line=1)
    name, session = head["name"], head["session"]
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise TraceError(f"'name' is not a text of at most {MAX_NAME} characters.", line=1)
    if not isinstance(session, str) or len(session) > MAX_SESSION or not _ID.fullmatch(session):
        raise TraceError(f"'session' is no id: {quoted(session)}.", line=1)
    subtasks = head["subtask_definitions"]
    if not isinstance(subtasks, list) or len(subtasks) > MAX_SUBTASK_DEFINITIONS:
        most = MAX_SUBTASK_DEFINITIONS
        raise TraceError(f"'subtask_definitions' is not a list of at most {most}.", line=1)
    return TraceFile(
        name,
        _read_definition(head["definition"], "definition"),
        session,
        subtask_definitions=tuple(
            _read_definition(one, f"subtask_definitions[{place}]")
            for place, one in enumerate(subtasks)
        ),
    )


def _read_definition(value: object, field: str) -> PipelineDefinition:
    try:
        return load_storable(json.dumps(value))
    except DefinitionError as error:
        raise TraceError(f"In {field!r}: {_first(error)}", line=1) from None


# The events


def _read_event(body: dict[str, Any], line: int) -> Event:
    """The event of a line by itself."""
    _check_numbers(body, line)
    try:
        event = load(body)
    except msgspec.ValidationError as error:
        why = str(error).replace(" - at `", " at ").replace("`", "")
        raise TraceError(f"This is no event: {why}.", line=line) from None
    if isinstance(event, MessageDelta):
        raise TraceError("A 'message.delta' is never recorded.", line=line)
    if event.seq != line - 1:
        raise TraceError(f"Event {event.seq} stands where {line - 1} should.", line=line)
    if event.at.tzinfo is None:
        raise TraceError("The time of the event has no time zone.", line=line)
    for name in ("session_id", "run_id", "task_id"):
        value = getattr(event, name, None)
        if value and not _ID.fullmatch(value):
            raise TraceError(f"{name!r} is no id: {quoted(value)}.", line=line)
    return event


def _check_numbers(value: object, line: int) -> None:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case int(number) if abs(number) > MAX_NUMBER:
                raise TraceError("It holds a number that not every program can read.", line=line)
            case dict(entries):
                waiting += entries.values()
            case list(entries):
                waiting += entries
            case _:
                pass


def _follow(trace: TraceFile) -> None:
    """Fold the events, as whoever shows them does: each has to follow from those before it."""
    try:
        blueprint = Blueprint.of(trace.definition)
        branches = Branches.of(trace.session_id, blueprint, _never, {}, trace.find)
    except Exception as error:  # noqa: BLE001 - a definition from elsewhere may fail in any way
        raise TraceError(f"The definition cannot be run: {_sentence(error)}", line=1) from None
    for line, event in zip(count(2), trace.events, strict=False):
        if (why := _misplaced(event, branches)) is not None:
            raise TraceError(why, line=line)
        try:
            branches.apply(event)
        except Exception:  # noqa: BLE001 - nor can it be known how a trace from elsewhere fails
            why = f"{event.type!r} does not follow from the events before it."
            raise TraceError(why, line=line) from None


def _misplaced(event: Event, branches: Branches) -> str | None:
    """Why an event cannot stand where it does, in a sentence; None where it can."""
    within = event.session_id
    while within and within not in branches.open:
        within = within.rpartition(SWARM_MARK)[0]
    if not within:
        return f"There is no conversation {quoted(event.session_id)} at this point."
    branch = branches.open[within]
    if isinstance(event, RunStarted) and branch.conversation.run is not None:
        return "A run starts before the one under way has ended."
    if isinstance(event, SubtaskStarted):
        if event.task_id in branches.open:
            return f"The subtask {quoted(event.task_id)} has begun already."
        if branch.conversation.depth >= MAX_DEPTH:
            return f"Subtasks stand within each other more than {MAX_DEPTH} deep."
    return None


def _never() -> datetime:
    """The clock of a conversation in which nothing more happens."""
    raise NotImplementedError


def _first(error: DefinitionError) -> str:
    fault = error.faults[0]
    text = fault.message if fault.path == "$" else str(fault)
    place = text.rpartition(" (line ")
    return f"{place[0]}." if place[1] else text


def _sentence(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)

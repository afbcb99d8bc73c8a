"""Trace files: a conversation as JSON lines, a head line followed by one line per event.

A trace file is sufficient to display a conversation, without a model or a database. `read_trace`
checks sizes and values line by line and applies the events, so an accepted trace behaves like any
other conversation. An error names the line.
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

from orchestration.conversation import (
    MAX_DEPTH,
    CompiledPipeline,
    ConversationTree,
    find_template,
)
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, MessageDelta, RunStarted, SubtaskStarted, decode, encode
from orchestration.exceptions import DefinitionError, TraceError
from orchestration.loading import (
    TRACE,
    TRACE_EVENT,
    TRACE_HEAD,
    DocumentLimits,
    has_too_many_values,
    load_storable,
    parse,
    quoted,
)
from orchestration.messages import SubtaskRequest

FORMAT = "baton.trace/1"

MAX_BYTES = TRACE.max_bytes
MAX_LINE = TRACE_EVENT.max_bytes
MAX_EVENTS = 10_000
MAX_NAME = 120
MAX_SESSION = 200
MAX_SUBTASK_DEFINITIONS = 20

_ID = re.compile(r"[A-Za-z0-9_.:@-]{1,400}")
_FIELDS = ("format", "name", "definition", "subtask_definitions", "session")


@dataclass(frozen=True)
class TraceFile:
    """A conversation with the pipelines that it ran."""

    name: str
    definition: PipelineDefinition
    session_id: str
    events: tuple[Event, ...] = ()
    subtask_definitions: tuple[PipelineDefinition, ...] = ()

    def find(self, request: SubtaskRequest) -> PipelineDefinition | None:
        """Return the pipeline for the request of a subtask."""
        return find_template(request, self.subtask_definitions)

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the file, with line ends."""
        yield head_line(self)
        for event in self.events:
            yield encode(event) + b"\n"


def head_line(trace: TraceFile) -> bytes:
    """Return the head line of a trace: the pipelines and the session."""
    head = {
        "format": FORMAT,
        "name": trace.name,
        "definition": _dumped(trace.definition),
        "subtask_definitions": [_dumped(each) for each in trace.subtask_definitions],
        "session": trace.session_id,
    }
    return json.dumps(head, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def read_trace(data: bytes) -> TraceFile:
    """Return the conversation of a trace file; raise `TraceError` with the line of an error.

    >>> read_trace(b"Dear Sir or Madam,")
    Traceback (most recent call last):
    ...
    orchestration.exceptions.TraceError: Line 1: This is not JSON: Expecting value.
    """
    first, *rest = _lines_within_limits(data)
    trace = _read_head(_parse(first, 1, TRACE_HEAD))
    events = tuple(_read_event(text, line) for line, text in enumerate(rest, 2))
    trace = replace(trace, events=events)
    _check_order(trace)
    return trace


def exceeded_limit(data: bytes) -> str | None:
    """Return the exceeded limit of a trace file as a sentence; None if its size is allowed."""
    try:
        _lines_within_limits(data)
    except TraceError as error:
        return str(error)
    return None


def _lines_within_limits(data: bytes) -> list[str]:
    if len(data) > MAX_BYTES:
        raise TraceError(f"The file is larger than {MAX_BYTES // 1024**2} MiB.")
    lines = _lines(data)
    if len(lines) - 1 > MAX_EVENTS:
        raise TraceError(f"The file holds more than {MAX_EVENTS:,} events.")
    if has_too_many_values("\n".join(lines), TRACE):
        raise TraceError(f"The file contains more than {TRACE.max_values:,} values.")
    return lines


def _lines(data: bytes) -> list[str]:
    """Split the file at LF only: JSON texts may contain other line separators."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    while len(lines) > 1 and not lines[-1].strip():
        del lines[-1]
    texts = []
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise TraceError(f"The line is longer than {MAX_LINE // 1024**2} MiB.", line=number)
        try:
            texts.append(line.decode())
        except UnicodeDecodeError:
            raise TraceError("The line is not UTF-8 text.", line=number) from None
    return texts


def _parse(text: str, line: int, limits: DocumentLimits) -> dict[str, Any]:
    try:
        value = parse(text, limits)
    except DefinitionError as error:
        raise TraceError(_first_error(error), line=line) from None
    if not isinstance(value, dict):
        raise TraceError("This is not a JSON object in curly brackets.", line=line)
    return value


# The first line


def _read_head(head: dict[str, Any]) -> TraceFile:
    if "format" not in head:
        raise TraceError(f"This is no trace: the first line has no format {FORMAT!r}.", line=1)
    if head.get("format") != FORMAT:
        raise TraceError(f"The format is {quoted(head.get('format'))}, not {FORMAT!r}.", line=1)
    for name in _FIELDS:
        if name not in head:
            raise TraceError(f"The field {name!r} is missing.", line=1)
    for name in head.keys() - set(_FIELDS):
        raise TraceError(f"There is no field {quoted(name)}.", line=1)
    name, session = head["name"], head["session"]
    if not isinstance(name, str) or len(name) > MAX_NAME:
        raise TraceError(f"'name' is not a text of at most {MAX_NAME} characters.", line=1)
    if not isinstance(session, str) or len(session) > MAX_SESSION or not _ID.fullmatch(session):
        raise TraceError(f"'session' is not an id: {quoted(session)}.", line=1)
    subtasks = head["subtask_definitions"]
    if not isinstance(subtasks, list) or len(subtasks) > MAX_SUBTASK_DEFINITIONS:
        limit = MAX_SUBTASK_DEFINITIONS
        raise TraceError(f"'subtask_definitions' is not a list of at most {limit}.", line=1)
    return TraceFile(
        name,
        _read_definition(head["definition"], "definition"),
        session,
        subtask_definitions=tuple(
            _read_definition(definition, f"subtask_definitions[{index}]")
            for index, definition in enumerate(subtasks)
        ),
    )


def _read_definition(value: object, field: str) -> PipelineDefinition:
    try:
        return load_storable(json.dumps(value))
    except DefinitionError as error:
        raise TraceError(f"In {field!r}: {_first_error(error)}", line=1) from None


# The events


def _read_event(text: str, line: int) -> Event:
    """Return the event of a line, checked without its context."""
    if _parse(text, line, TRACE_EVENT).get("format") == FORMAT:
        raise TraceError(
            "A second conversation begins here, and a trace holds one: put the lines from here on"
            " into another file.",
            line=line,
        )
    try:
        event = decode(text)
    except msgspec.ValidationError as error:
        why = str(error).replace(" - at `", " at ").replace("`", "")
        raise TraceError(f"This is not an event: {why}.", line=line) from None
    if isinstance(event, MessageDelta):
        raise TraceError("A 'message.delta' is never recorded.", line=line)
    if event.seq != line - 1:
        raise TraceError(f"The event has the number {event.seq}; expected {line - 1}.", line=line)
    if event.at.tzinfo is None:
        raise TraceError("The time of the event has no time zone.", line=line)
    for name in ("session_id", "run_id", "task_id"):
        value = getattr(event, name, None)
        if value and not _ID.fullmatch(value):
            raise TraceError(f"{name!r} is not an id: {quoted(value)}.", line=line)
    return event


def _check_order(trace: TraceFile) -> None:
    """Apply the events to check that each follows from the previous ones."""
    try:
        pipeline = CompiledPipeline.of(trace.definition)
        tree = ConversationTree.of(trace.session_id, pipeline, _no_clock, {}, trace.find)
    except Exception as error:  # noqa: BLE001 - a foreign definition may fail in any way
        raise TraceError(f"The definition cannot be run: {_first_line(error)}", line=1) from None
    for line, event in zip(count(2), trace.events, strict=False):
        if (why := _order_error(event, tree)) is not None:
            raise TraceError(why, line=line)
        try:
            tree.apply(event)
        except Exception:  # noqa: BLE001 - a foreign trace may fail in any way
            why = f"{event.type!r} does not follow from the events before it."
            raise TraceError(why, line=line) from None


def _order_error(event: Event, tree: ConversationTree) -> str | None:
    """Return the reason why an event is not allowed at its position, or None."""
    node = tree.node_of(event.session_id)
    if node is None:
        return f"There is no conversation {quoted(event.session_id)} at this point."
    if isinstance(event, RunStarted) and node.conversation.run is not None:
        return "A run starts before the previous run has ended."
    if isinstance(event, SubtaskStarted):
        if event.task_id in tree.nodes:
            return f"The subtask {quoted(event.task_id)} has already started."
        if node.conversation.depth >= MAX_DEPTH:
            return f"Subtasks are nested more than {MAX_DEPTH} deep."
    return None


def _no_clock() -> datetime:
    """Clock of a finished conversation: it creates no events."""
    raise NotImplementedError


def _first_error(error: DefinitionError) -> str:
    text = error.faults[0].sentence
    message, separator, _ = text.rpartition(" (line ")
    return f"{message}." if separator else text


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)

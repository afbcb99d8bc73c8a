"""Trace files: writing, reading, and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.events import Event
from orchestration.exceptions import TraceError
from orchestration.runtime import (
    MAX_BYTES,
    MAX_EVENTS,
    MAX_LINE,
    TraceFile,
    read_trace,
)
from tests.orchestration.sample_rehearsals import Rehearsal, names, sample

DIALOGUE = ("I was charged twice for order A-1043. I want one of them back.", "Yes, please.")


async def trace_of(name: str = "support", *texts: str) -> TraceFile:
    """Return the trace of a conversation with a sample."""
    rehearsal = Rehearsal(name)
    events: list[Event] = []
    for text in texts or DIALOGUE:
        events += await rehearsal.events_of(text)
    recorded = [event for event in events if event.type != "message.delta"]
    return TraceFile("A talk", rehearsal.definition, "rehearsal", tuple(recorded))


@pytest.fixture
async def trace() -> TraceFile:
    """Return a trace with handoffs and tools."""
    return await trace_of()


@pytest.fixture
def lines(trace: TraceFile) -> list[Any]:
    """Return the lines of a trace as JSON values."""
    return [json.loads(line) for line in trace.lines()]


def file(lines: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def refusal(data: bytes) -> str:
    """Return the error of a file: one sentence with the line."""
    with pytest.raises(TraceError) as caught:
        read_trace(data)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    assert sentence.endswith(".")
    return sentence


async def test_a_trace_reads_back_from_its_file(trace):
    again = read_trace(b"".join(trace.lines()))
    assert again == trace
    assert [event.type for event in again.events].count("handoff.accepted") > 0


@pytest.mark.parametrize("name", names())
async def test_the_trace_of_every_sample_can_be_read(name):
    trace = await trace_of(name, "Hello", "I need help with an invoice, please.", "Yes")
    trace = replace(trace, subtask_definitions=tuple(map(sample, names())))
    assert read_trace(b"".join(trace.lines())) == trace


async def test_a_trace_without_events_is_a_new_conversation(trace):
    [head, *_] = trace.lines()
    assert read_trace(head).events == ()


async def test_a_byte_order_mark_and_windows_line_ends_are_accepted(trace):
    data = b"\xef\xbb\xbf" + b"\r\n".join(line.rstrip() for line in trace.lines()) + b"\r\n\r\n"
    assert read_trace(data) == trace


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"", "This is not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"name": "x"}', "This is no trace: the first line has no format"),
        (b'{"format": "baton.pipeline"}', "The format is 'baton.pipeline', not 'baton.trace/1'"),
        (b'{"format": "baton.trace/1", "format": 1}', "more than once"),
        (b'{"format": "baton.trace/1"}', "The field 'name' is missing"),
        (b'{"format": "baton.trace/1", "name": NaN}', "not a number that every program can read"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"[" * 100_000, "nested more than 32 deep"),
        (b'{"format": "' + b"a" * MAX_LINE + b'"}', "longer than 1 MiB"),
    ],
)
def test_an_invalid_head_line_is_refused(head, why):
    assert re.match(f"Line 1: .*{re.escape(why)}", refusal(head))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "a" * 121}, "'name' is not a text of at most 120 characters"),
        ({"name": 7}, "'name' is not a text"),
        ({"session": "a b"}, "'session' is not an id"),
        ({"session": '"><script>'}, "'session' is not an id"),
        ({"definition": {"name": "x", "stages": 1}}, "In 'definition':"),
        ({"definition": {"name": "x", "exec": "rm"}}, "In 'definition':"),
        ({"definition": []}, "In 'definition':"),
        ({"subtask_definitions": {}}, "is not a list of at most 20"),
        ({"subtask_definitions": [{}] * 21}, "is not a list of at most 20"),
        ({"subtask_definitions": [7]}, "In 'subtask_definitions[0]':"),
        ({"author": "me"}, "There is no field 'author'"),
    ],
)
async def test_a_head_line_with_an_error_is_refused(lines, change, why):
    lines[0] |= change
    assert refusal(file(lines)).startswith("Line 1: ")
    assert why in refusal(file(lines))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"type": "message.deleted"}, "This is not an event: Invalid value 'message.deleted'"),
        ({"type": "message.delta", "turn": 1, "offset": 0, "text": ""}, "This is not an event"),
        ({"seq": 5}, "The event has the number 5; expected 2"),
        ({"seq": "2"}, "This is not an event"),
        ({"at": "2026-01-01T00:00:00"}, "has no time zone"),
        ({"at": "yesterday"}, "This is not an event"),
        ({"by": "me"}, "This is not an event"),
        ({"session_id": "another"}, "There is no conversation 'another'"),
        ({"run_id": "<b>"}, "'run_id' is not an id"),
        ({"phase": "\0"}, "the character NUL"),
    ],
)
async def test_an_event_with_an_error_is_refused(lines, change, why):
    assert lines[2]["type"] == "message.received"
    lines[2] |= change
    assert refusal(file(lines)).startswith("Line 3: ")
    assert why in refusal(file(lines))


async def test_a_second_conversation_is_refused(lines):
    """An export of several conversations has all of them in one file."""
    assert refusal(file([*lines, *lines])).startswith(
        f"Line {len(lines) + 1}: A second conversation begins here"
    )


async def test_a_message_delta_is_refused(lines):
    head = {key: lines[2][key] for key in ("at", "session_id", "run_id", "phase")}
    delta = head | {"type": "message.delta", "seq": 2, "turn": 1, "offset": 0, "text": "Hel"}
    lines[2] = delta
    assert refusal(file(lines)) == "Line 3: A 'message.delta' is never recorded."


async def test_numbers_above_the_maximum_are_refused(lines):
    [place] = [i for i, one in enumerate(lines) if one.get("type") == "message.completed"][:1]
    lines[place]["usage"]["input_tokens"] = 2**60
    assert refusal(file(lines)) == (
        f"Line {place + 1}: $.usage.input_tokens: '{2**60}' is not a number that every program can"
        " read."
    )


async def test_missing_and_repeated_events_are_refused(lines):
    assert (
        refusal(file([*lines[:4], *lines[5:]])) == "Line 5: The event has the number 5; expected 4."
    )
    assert (
        refusal(file([*lines[:4], *lines[3:]])) == "Line 5: The event has the number 3; expected 4."
    )


async def test_a_run_that_starts_within_a_run_is_refused(lines):
    again = lines[1] | {"seq": 3, "run_id": "again"}
    sentence = refusal(file([*lines[:3], again]))
    assert sentence == "Line 4: A run starts before the previous run has ended."


async def test_subtasks_nested_too_deep_are_refused(lines):
    head = lines[1]
    begun = [head]
    for number in range(8):
        within = "rehearsal" if not number else f"task-{number - 1}"
        for change in (
            {"type": "run.started", "run_id": within, "message": None} if number else None,
            {
                "type": "subtask.started",
                "run_id": within,
                "task_id": f"task-{number}",
                "kind": "subtask",
                "title": "Anything",
                "input": "",
            },
        ):
            if change:
                kept = {key: head[key] for key in ("at", "phase")}
                begun.append(kept | {"session_id": within, "seq": len(begun) + 1} | change)
    assert "more than 5 deep" in refusal(file([lines[0], *begun]))


async def test_a_file_that_is_too_large_is_refused(trace):
    [head, *_] = trace.lines()
    assert refusal(head + b" " * MAX_BYTES) == "The file is larger than 8 MiB."
    assert refusal(head + b"{}\n" * (MAX_EVENTS + 1)) == "The file holds more than 10,000 events."


async def test_a_definition_in_a_file_stays_data(lines):
    lines[0]["definition"]["rules"] = [
        {
            "id": "hostile",
            "agent_id": lines[0]["definition"]["agents"][0]["id"],
            "when": {"expression": "__import__('os').system('true')"},
        }
    ]
    with pytest.raises(TraceError):
        read_trace(file(lines))


@given(data=st.data())
async def test_a_damaged_trace_is_read_or_refused(data):
    trace = await trace_of()
    lines = [json.loads(line) for line in trace.lines()]
    event = data.draw(st.sampled_from(lines[1:]))
    key = data.draw(st.sampled_from(sorted(event)))
    event[key] = data.draw(
        st.one_of(
            st.none(),
            st.integers(),
            st.text(max_size=20),
            st.sampled_from([other[key] for other in lines[1:] if key in other]),
        )
    )
    try:
        again = read_trace(file(lines))
    except TraceError:
        refusal(file(lines))
    else:
        assert len(again.events) == len(lines) - 1

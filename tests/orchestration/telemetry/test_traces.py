"""Traces of the ended runs of a conversation."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from orchestration.events import Event
from orchestration.telemetry import RunTrace, traces_of
from tests.orchestration.conversations import four_stages
from tests.orchestration.journals import FOLDER, load_journal
from tests.orchestration.telemetry.run_events import answer, completed, started, turn

# The file of the fork contains the events of two conversations.
PATHS = [path for path in sorted(FOLDER.glob("*.json")) if path.stem != "fork"]


RUN = (started(), turn(2), answer(3), completed(4))


def traces_in(*events: Event, **options: Any) -> list[RunTrace]:
    return traces_of(events, session_id="session", definition=four_stages(), **options)


def test_a_run_in_progress_has_no_trace():
    assert traces_in(started(), turn(2)) == []


def test_each_ended_run_has_a_trace_with_ids_of_its_own_that_stay_the_same():
    second = [msgspec.structs.replace(event, run_id="run-2") for event in RUN]
    first, other = traces_in(*RUN, *second)
    assert traces_in(*RUN) == [first]
    assert (first.first_seq, first.last_seq, first.ended) == (1, 4, RUN[-1].at)
    assert first.trace_id != other.trace_id
    keys = [span.key for span in first.spans]
    assert keys == [span.key for span in other.spans]
    assert not {first.span_id(key) for key in keys} & {other.span_id(key) for key in keys}


def test_a_run_of_another_conversation_has_no_trace():
    assert traces_in(*(msgspec.structs.replace(event, session_id="other") for event in RUN)) == []


def test_attributes_are_added_to_the_span_of_the_run_alone():
    (built,) = traces_in(*RUN, attributes={"baton.request.id": "request-1"})
    found = [span.attributes.get("baton.request.id") for span in built.spans]
    assert found == ["request-1", None, None]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_spans_of_every_recorded_scenario_fit_into_each_other(path: Path):
    journal = load_journal(path)
    own = journal.events[0].session_id
    traces = traces_of(journal.events, session_id=own, definition=journal.definition)
    ends = [one for one in journal.events if one.type in ("run.completed", "run.failed")]
    assert len(traces) == sum(one.session_id == own for one in ends)
    for built in traces:
        events = [one for one in journal.events if built.first_seq <= one.seq <= built.last_seq]
        assert_well_formed(built)
        counts = Counter(span.name.split()[0] for span in built.spans)
        types = Counter(one.type for one in events)
        assert counts["invoke_agent"] == types["turn.started"]
        assert counts["chat"] == types["turn.started"] + types["turn.retried"]
        assert counts["invoke_workflow"] == 1 + types["subtask.started"]
        decided = types["handoff.accepted"] + types["handoff.rejected"]
        assert counts["execute_tool"] >= types["tool.called"] + decided


def assert_well_formed(built: RunTrace) -> None:
    """Check ids, parents and times of a trace."""
    spans = {span.key: span for span in built.spans}
    assert len(spans) == len(built.spans)
    assert len({built.span_id(key) for key in spans}) == len(spans)
    assert [span.key for span in built.spans if span.parent is None] == [built.spans[0].key]
    for span in built.spans[1:]:
        parent = spans[span.parent or ""]
        assert span.end is not None
        assert parent.end is not None
        assert parent.start <= span.start <= span.end <= parent.end, span

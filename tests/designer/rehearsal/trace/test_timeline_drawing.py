"""The drawing of a timeline."""

from datetime import timedelta

import pytest

from designer.rehearsal.fragments.names import Speaker
from designer.rehearsal.trace.timeline_drawing import Span, TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import changed, names, whole_story


@pytest.fixture
def started() -> e.TurnStarted:
    return next(event for event in whole_story() if isinstance(event, e.TurnStarted))


@pytest.fixture
def main() -> TracedConversation:
    return TracedConversation(names())


def later(event, milliseconds, **fields):
    return changed(event, at=event.at + timedelta(milliseconds=milliseconds), **fields)


def test_a_span_ends_at_the_time_of_its_last_event(started, main):
    drawing = TimelineDrawing()
    drawing.advance(started)
    drawing.begin(("turn",), started, main, "turn", "m")
    end = later(started, 1_250)
    drawing.advance(end)
    drawing.end(("turn",), end, failed=True)
    [span] = drawing.lanes["agent-triage"].spans
    assert (span.begin, span.end, span.failed, span.duration) == (0, 1_250, True, "1.2 s")
    assert drawing.last == 1_250


def test_a_span_in_progress_has_no_end():
    assert Span(1, "turn", "m", 0).duration == "under way"


def test_the_end_of_something_unknown_changes_nothing(started):
    drawing = TimelineDrawing()
    drawing.end(("tool", "r1", "c1"), started)
    assert drawing.lanes == {}


def test_a_subtask_of_another_pipeline_has_lanes_of_its_own(started, main):
    guide = TracedConversation(names(), kind="subtask", title="City guide", is_on_canvas=False)
    drawing = TimelineDrawing()
    drawing.begin(("a",), started, main, "turn", "m")
    drawing.begin(("b",), started, guide, "turn", "m")
    assert list(drawing.lanes) == ["agent-triage", "City guide/agent-triage"]


def test_a_handoff_leads_from_lane_to_lane_and_names_both(started, main):
    drawing = TimelineDrawing()
    drawing.add_handoff(started, main, "agent-triage", None, refused=False)
    drawing.add_handoff(started, main, "agent-handler", "agent-triage", refused=True)
    ends = [(one.source, one.target, one.label) for one in drawing.handoffs]
    assert ends == [(0, 1, "Triage → Human"), (2, 0, "Handler ↛ Triage")]


def test_the_end_of_a_subtask_s_run_leaves_other_spans_open(started, main):
    member = TracedConversation(names(), kind="member")
    drawing = TimelineDrawing()
    drawing.begin(("turn", "s", "r1"), started, main, "turn", "m")
    drawing.begin(("turn", "s", "t1"), started, member, "turn", "m")
    drawing.end_run(changed(started, run_id="t1"), member, failed=False)
    assert [span.end for span in drawing.lanes["agent-triage"].spans] == [None, 0]
    drawing.end_run(started, main, failed=True)
    assert drawing.lanes["agent-triage"].spans[0].failed


def message(drawing: TimelineDrawing, event: e.Event, text: str) -> None:
    drawing.advance(event)
    drawing.add_message("user", Speaker.named("User"), event, text)


def test_earlier_spans_become_one_span_for_each_run(started):
    drawing = TimelineDrawing()
    for run in range(3):
        first = later(started, 10_000 * run, seq=10 * run + 1)
        drawing.begin_run(first, str(run + 1), f"question {run + 1}")
        for number in range(4):
            message(drawing, later(first, 10 * number, seq=first.seq + number), f"m{number}")
    drawing.finish(2)
    spans = [(one.label, one.begin, one.end) for one in drawing.lanes["user"].spans]
    summaries = [("4 activities", 0, 30), ("4 activities", 30, 60), ("2 activities", 60, 70)]
    assert spans == [*summaries, ("m2", 80, 80), ("m3", 90, 90)]


def test_runs_follow_each_other_without_the_time_between_them(started):
    drawing = TimelineDrawing()
    drawing.begin_run(started, "1", "Hello")
    message(drawing, started, "a")
    message(drawing, later(started, 200), "b")
    second = later(started, 60_000, seq=9)
    drawing.begin_run(second, "2", "Bye")
    message(drawing, later(second, 50), "c")
    drawing.finish(10)
    assert [(one.name, one.begin, one.end) for one in drawing.groups] == [
        ("1", 0, 200),
        ("2", 200, 250),
    ]
    assert [one.begin for one in drawing.lanes["user"].spans] == [0, 200, 250]

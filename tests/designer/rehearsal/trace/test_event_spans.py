"""The effect of each event type on the timeline."""

import pytest

from designer.rehearsal.trace import event_spans
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.timeline_drawing import TimelineDrawing
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import changed, names, whole_story


def drawn(*events, kind=None) -> TimelineDrawing:
    drawing, traced = TimelineDrawing(), TracedConversation(names(), kind=kind)
    for event in events:
        drawing.advance(event)
        TABLE[type(event)].span(event, drawing, traced)
    return drawing


def first(event_type):
    return next(event for event in whole_story() if isinstance(event, event_type))


def spans(drawing):
    return [span for lane in drawing.lanes.values() for span in lane.spans]


def test_a_retry_ends_the_failed_attempt_and_begins_the_next():
    started = first(e.TurnStarted)
    fallback = [event for event in whole_story() if isinstance(event, e.TurnRetried)][1]
    retried = changed(fallback, run_id=started.run_id, session_id=started.session_id, model="m2")
    failed, again = spans(drawn(started, retried))
    assert (failed.failed, again.end, again.label) == (True, None, "m2 again after ProviderError")


@pytest.mark.parametrize(
    ("begin", "end", "kind"),
    [
        (e.TurnStarted, e.MessageCompleted, "turn"),
        (e.ToolCalled, e.ToolReturned, "tool"),
        (e.InputRequested, e.InputReceived, "wait"),
        (e.RunPaused, e.RunResumed, "pause"),
    ],
)
def test_one_event_begins_a_span_and_another_ends_it(begin, end, kind):
    started = first(begin)
    ended = changed(first(end), run_id=started.run_id, session_id=started.session_id)
    [span] = spans(drawn(started, ended))
    assert (span.kind, span.end is None, span.failed) == (kind, False, False)


def test_an_approval_is_waited_for_until_it_is_decided():
    requested, decided = first(e.ApprovalRequested), first(e.ApprovalGiven)
    [span] = spans(drawn(requested, decided))
    assert (span.kind, span.label, span.end is None) == ("wait", "pay", False)


def test_the_message_of_a_subtask_is_none_of_the_user():
    received = first(e.MessageReceived)
    assert list(drawn(received).lanes) == ["user"]
    assert not drawn(received, kind="member").lanes


def test_a_rejection_without_a_known_target_is_not_drawn():
    rejected = changed(first(e.HandoffRejected), to_agent=None)
    assert not drawn(rejected).handoffs
    [line] = drawn(changed(rejected, to_agent="agent-resolver")).handoffs
    assert line.refused


def test_the_end_of_a_run_ends_what_is_in_progress():
    started, failed = first(e.TurnStarted), first(e.RunFailed)
    [span] = spans(drawn(started, failed))
    assert span.failed


def test_all_other_events_draw_nothing():
    silent = [event for event in whole_story() if TABLE[type(event)].span is event_spans.none]
    assert silent
    assert not drawn(*silent).lanes

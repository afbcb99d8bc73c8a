"""An entry of an event type, and its effect on the timeline."""

import pytest

from designer.rehearsal.trace.event_table import TABLE
from orchestration import events as e
from tests.designer.rehearsal.trace.drawn_spans import drawn, first, spans
from tests.designer.rehearsal.trace.event_stories import changed, whole_story


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


def test_all_other_events_draw_nothing():
    silent = [event for event in whole_story() if not TABLE[type(event)].has_span]
    assert silent
    assert not drawn(*silent).lanes

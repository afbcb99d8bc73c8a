"""Entries of the events of turns: messages, routing, model calls and answers."""

from orchestration import events as e
from tests.designer.rehearsal.trace.drawn_spans import drawn, first, spans
from tests.designer.rehearsal.trace.event_stories import changed, whole_story


def test_a_retry_ends_the_failed_attempt_and_begins_the_next():
    started = first(e.TurnStarted)
    fallback = [event for event in whole_story() if isinstance(event, e.TurnRetried)][1]
    retried = changed(fallback, run_id=started.run_id, session_id=started.session_id, model="m2")
    failed, again = spans(drawn(started, retried))
    assert (failed.failed, again.end, again.label) == (True, None, "m2 again after ProviderError")


def test_the_message_of_a_subtask_is_none_of_the_user():
    received = first(e.MessageReceived)
    assert list(drawn(received).lanes) == ["user"]
    assert not drawn(received, kind="member").lanes

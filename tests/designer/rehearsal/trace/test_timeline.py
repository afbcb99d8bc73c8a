"""The timeline of a run."""

import pytest
from django.urls import reverse

from designer.models import Conversation
from designer.rehearsal.trace.timeline import timeline_of
from orchestration import events as e
from tests.designer.recorded_conversations import record_rehearsal

pytestmark = pytest.mark.django_db


def test_a_run_is_drawn_to_scale_with_a_lane_for_each_agent(ask, conversation):
    timeline = timeline_of(conversation, 1)
    assert timeline is not None
    assert [lane.speaker.name for lane in timeline.lanes] == ["User", "Triage", "Handler"]
    events = {event.seq: event for event in conversation.events()}
    started_at = events[1].at
    for lane in timeline.lanes:
        for span in lane.spans:
            at = (events[span.seq].at - started_at).total_seconds() * 1000
            assert span.begin == int(at)
            assert span.end is not None
            assert span.begin <= span.end <= timeline.length
    assert [(one.source, one.target, one.refused) for one in timeline.handoffs] == [(1, 2, False)]
    turns = [span for lane in timeline.lanes for span in lane.spans if span.kind == "turn"]
    asked = conversation.events(at_most=timeline.runs[1].seq - 1)
    assert len(turns) == sum(isinstance(event, e.TurnStarted) for event in asked)
    assert f'data-length="{timeline.length}"' in ask("timeline", run=1)
    assert ask("timeline") == ask("timeline", run=timeline.runs[-1].seq)


def test_a_conversation_without_a_run_has_no_timeline_and_no_contexts(client, user):
    empty = record_rehearsal(user, "Hello")
    empty.recorded_events.all().delete()
    Conversation.objects.filter(pk=empty.pk).update(last_seq=0)
    empty.refresh_from_db()
    assert timeline_of(empty) is None
    for name in ("timeline", "contexts", "conversation_track", "conversation_events"):
        assert client.get(reverse(name, args=[empty.pk])).status_code == 200

"""The timeline of a conversation."""

from itertools import pairwise

import pytest
from django.urls import reverse

from designer.models import Conversation
from designer.pipelines.traces import open_trace
from designer.rehearsal.trace.timeline import MAX_GROUPS, MAX_SPANS, timeline_of
from orchestration import events as e
from tests.designer.recorded_conversations import record_rehearsal
from tests.designer.rehearsal.trace.conftest import TEXTS
from tests.long_trace import long_trace

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
    asked = conversation.events(at_most=timeline.choices[1].seq - 1)
    assert len(turns) == sum(isinstance(event, e.TurnStarted) for event in asked)
    assert f'data-length="{timeline.length}"' in ask("timeline", run=1)


def test_the_timeline_shows_the_whole_conversation_grouped_by_run(ask, conversation):
    timeline = timeline_of(conversation)
    assert timeline is not None
    assert [group.name for group in timeline.groups] == ["1", "2", "3"]
    assert [group.label for group in timeline.groups] == list(TEXTS)
    assert not timeline.is_reduced
    spans = [span for lane in timeline.lanes for span in lane.spans]
    turns = [span.seq for span in spans if span.kind == "turn"]
    asked = [event for event in conversation.events() if isinstance(event, e.TurnStarted)]
    assert sorted(turns) == [event.seq for event in asked]
    for group, later in pairwise(timeline.groups):
        assert group.end == later.begin
        inside = [span for span in spans if group.seq <= span.seq < later.seq]
        assert all(group.begin <= span.begin <= group.end for span in inside)
    html = ask("timeline")
    assert html.count('class="lanes__run"') == 3
    assert '<option value="">Whole conversation</option>' in html


def test_a_long_conversation_is_drawn_whole_within_bounds(user):
    conversation = open_trace(user=user, trace=long_trace(10_000))
    timeline = timeline_of(conversation)
    assert timeline is not None
    assert len(timeline.groups) <= MAX_GROUPS
    assert timeline.is_reduced
    spans = [span for lane in timeline.lanes for span in lane.spans]
    assert len(spans) <= MAX_SPANS + MAX_GROUPS * len(timeline.lanes)
    activities = [int(one.label.split()[0]) if one.kind == "summary" else 1 for one in spans]
    counted = conversation.recorded_events.filter(type__in=["turn.started", "message.received"])
    assert sum(activities) == counted.count()
    part = timeline_of(conversation, timeline.choices[0].seq)
    assert part is not None
    assert not part.is_reduced
    assert part.groups[0].name == "1"
    assert 1 < len(part.groups) <= MAX_GROUPS


def test_a_conversation_without_a_run_has_no_timeline_and_no_contexts(client, user):
    empty = record_rehearsal(user, "Hello")
    empty.recorded_events.all().delete()
    Conversation.objects.filter(pk=empty.pk).update(last_seq=0)
    empty.refresh_from_db()
    assert timeline_of(empty) is None
    for name in ("timeline", "contexts", "conversation_track", "conversation_events"):
        assert client.get(reverse(name, args=[empty.pk])).status_code == 200

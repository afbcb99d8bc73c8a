"""Upkeep of summaries."""

import pytest

from designer.conversations import start_summaries
from designer.conversations.search import matching
from designer.models import ConversationSummary
from orchestration.control import HandBack, TakeOver
from tests.designer.jobs.workers import run_tasks
from tests.designer.leases import begin_run
from tests.designer.recorded_conversations import converse, find_seq, steer
from tests.designer.rehearsal.run_events import run_started

pytestmark = pytest.mark.django_db


def test_a_new_conversation_has_an_empty_summary(conversation):
    summary = conversation.summary
    assert (summary.outcome, summary.turns, summary.source) == ("new", 0, "rehearsal")
    assert summary.last_at == conversation.created


def test_a_running_conversation_shows_its_first_words(conversation):
    begin_run(conversation_id=conversation.pk, event=run_started())
    summary = ConversationSummary.objects.get(pk=conversation.pk)
    assert (summary.outcome, summary.first_words) == ("running", "Hello <b>")


def test_the_sums_grow_with_each_run(conversation):
    converse(conversation, "I was charged twice for order A-1043.")
    first = ConversationSummary.objects.get(pk=conversation.pk)
    assert (first.seq, first.outcome) == (conversation.last_seq, "replied")
    assert first.handoffs == conversation.recorded_events.filter(type="handoff.accepted").count()
    assert first.path.split()[0] == "intake"
    converse(conversation, "Thank you.")
    second = ConversationSummary.objects.get(pk=conversation.pk)
    answers = conversation.recorded_events.filter(type="message.completed").count()
    assert (second.turns, second.seq) == (answers, conversation.last_seq)
    assert second.first_words == first.first_words


def test_events_outside_of_a_run_are_included(recorded, user):
    steer(recorded, TakeOver(id="1", by=user.username))
    assert find_seq(recorded, "human.joined") == recorded.last_seq
    summary = ConversationSummary.objects.get(pk=recorded.pk)
    assert (summary.seq, summary.outcome) == (recorded.last_seq, "waiting_for_human")
    steer(recorded, HandBack(id="2", by=user.username, target="agent-handler"))
    assert ConversationSummary.objects.get(pk=recorded.pk).outcome == "replied"


def test_a_job_computes_the_sums_of_earlier_conversations(recorded):
    expected = ConversationSummary.objects.values().get(pk=recorded.pk)
    empty = {"turns": 0, "tokens": 0, "path": "", "agents": "", "handoffs": 0, "rejections": 0}
    empty |= {"seconds": 0, "unpriced": 0, "rejected": {}, "answer_times": {}, "channel": ""}
    rows = ConversationSummary.objects.filter(pk=recorded.pk)
    rows.update(is_outdated=True, outcome="new", seq=0, first_words="", **empty)
    assert start_summaries()
    assert start_summaries() is None
    run_tasks()
    assert rows.values().get() == expected
    assert rows.filter(pk__in=matching(["charged"])).exists()
    assert start_summaries() is None

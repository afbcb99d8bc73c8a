"""The conversations in the inbox."""

import pytest

from designer.rehearsal.fragments import inbox
from orchestration.control import End, HandOver
from orchestration.definition import HUMAN
from orchestration.events import load
from tests.designer.recorded_conversations import converse, record_rehearsal, steer

pytestmark = pytest.mark.django_db


def test_the_inbox_begins_with_the_longest_waiting_conversation(user, monkeypatch):
    monkeypatch.setattr(inbox, "MAX_LISTED", 2)
    rows = [record_rehearsal(user) for _ in range(3)]
    for row in (rows[1], rows[2], rows[0]):
        command = HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True)
        steer(row, command)
    shown = [one.conversation for one in inbox.inbox_context(user)["waiting"]]
    assert shown == [rows[1], rows[2]]


def test_an_ended_conversation_waits_since_the_new_message(user):
    row = record_rehearsal(user)
    steer(row, HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True))
    steer(row, End(id="end-2", by="ada"))
    converse(row, "One more thing")
    first = row.recorded_events.filter(type="run.completed").latest("seq")
    converse(row, "Hello?")
    [entry] = inbox.inbox_context(user)["waiting"]
    assert entry.since == load(first.body).at


def test_without_a_handoff_a_conversation_waits_since_its_first_unanswered_message(user):
    row = record_rehearsal(user)
    steer(row, HandOver(id="to-human-1", by="ada", target=HUMAN, reason="", past_check=True))
    converse(row, "Is anybody there?")
    row.recorded_events.filter(type="handoff.accepted").delete()
    unanswered = row.recorded_events.filter(type="run.completed").latest("seq")
    [entry] = inbox.inbox_context(user)["waiting"]
    assert entry.since == load(unanswered.body).at != row.created

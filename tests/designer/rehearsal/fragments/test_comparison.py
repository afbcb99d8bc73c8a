"""The comparison of two conversations."""

from __future__ import annotations

from itertools import pairwise

import pytest

from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.fragments.comparison import compare
from orchestration.events import RunStarted
from orchestration.messages import InboundMessage
from tests.designer.leases import begin_run
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import converse, find_seq, record_rehearsal
from tests.orchestration.conversations import NOON

pytestmark = pytest.mark.django_db


def test_a_fork_that_goes_another_way_parts_where_it_was_told_otherwise(user, recorded):
    seq = find_seq(recorded, "message.received", 1)
    fork = converse(fork_conversation(recorded, user=user, before=seq), "No, thank you.")
    found = compare(recorded, fork)
    assert found.first is not None
    assert found.first.left is not None
    assert found.first.right is not None
    assert (found.first.left.text, found.first.right.text) == ("Yes, please.", "No, thank you.")
    assert not any(row.differs for row in found.rows[: found.rows.index(found.first)])
    measures = {name: (left, right) for name, left, right in found.measures}
    assert measures["Path"][0].startswith("intake → handling")
    assert measures["Tokens sent"][0] != measures["Tokens sent"][1]


def test_rows_that_differ_in_a_row_are_one_difference(user, recorded):
    seq = find_seq(recorded, "message.received", 1)
    fork = converse(fork_conversation(recorded, user=user, before=seq), "No, thank you.")
    found = compare(recorded, fork)
    numbers = [row.number for row in found.rows if row.number]
    assert numbers == list(range(1, found.differences + 1))
    for before, row in pairwise(found.rows):
        assert bool(row.number) == (row.differs and not before.differs)
    assert "path__stage--visited" in found.left.drawing
    assert found.left.drawing != found.right.drawing


def test_a_path_begins_where_the_conversation_began(user, recorded):
    message = InboundMessage(id="m1", text="Hello", start_phase="review")
    other = make_conversation(user, recorded.snapshot())
    head = (1, NOON, other.session_id, "run-1", "review", None)
    begin_run(conversation_id=other.pk, event=RunStarted(*head, message=message))
    assert compare(other, other).left.path == ("review",)


def test_the_payloads_of_compared_handoffs_stand_side_by_side(user):
    typed = record_rehearsal(user, "My gears slip and I need the bike by Friday", name="bike-shop")
    found = compare(typed, typed)
    [handoff] = [row.left.text for row in found.rows if row.left and row.left.kind == "handoff"]
    assert handoff.startswith("to Workshop: bike Touring 7 · urgent yes · summary The gears slip")


def test_two_that_went_the_same_way_do_not_differ(user, recorded):
    fork = fork_conversation(recorded, user=user, after=recorded.last_seq)
    found = compare(recorded, fork)
    assert found.first is None
    assert all(left == right for _, left, right in found.measures)


def test_a_task_of_a_group_is_not_a_message_of_the_customer(user):
    texts = ("Plan a weekend in Lisbon", "Two, from Hamburg", "yes, look them up")
    recorded = record_rehearsal(user, *texts, name="weekend-trip")
    received = [each for each in recorded.events() if each.type == "message.received"]
    said = [
        row.left.text
        for row in compare(recorded, recorded).rows
        if row.left and row.left.kind == "customer"
    ]
    assert said == list(texts)
    assert len(received) > len(said)

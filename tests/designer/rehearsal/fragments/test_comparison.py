"""The comparison of two conversations."""

from __future__ import annotations

import pytest

from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.fragments.comparison import compare
from tests.designer.recorded_conversations import converse, find_seq, record_rehearsal

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


def test_what_a_handoff_tells_stands_beside_what_the_other_told(user):
    typed = record_rehearsal(user, "My gears slip and I need the bike by Friday", name="bike-shop")
    found = compare(typed, typed)
    [handoff] = [row.left.text for row in found.rows if row.left and row.left.kind == "handoff"]
    assert handoff.startswith("to Workshop: bike Touring 7 · urgent yes · summary The gears slip")


def test_two_that_went_the_same_way_do_not_differ(user, recorded):
    fork = fork_conversation(recorded, user=user, after=recorded.last_seq)
    found = compare(recorded, fork)
    assert found.first is None
    assert all(left == right for _, left, right in found.measures)

"""Actions on whole conversations."""

import pytest

from designer.rehearsal.actions.rehearsals import resend_message
from tests.designer.recorded_conversations import converse, find_seq

pytestmark = pytest.mark.django_db


def test_a_fork_of_a_resend_has_the_suffix_once_with_a_number(recorded):
    first = find_seq(recorded, "message.received")
    fork = resend_message(conversation=recorded, seq=first, text="Hello", user=recorded.started_by)
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork,
        seq=find_seq(fork, "message.received"),
        text="Good day",
        user=recorded.started_by,
    )
    assert [fork.name, again.name] == ["Rehearsal 1, said anew", "Rehearsal 1, said anew 2"]


def test_a_resend_in_a_numbered_fork_gets_the_next_number(recorded):
    user = recorded.started_by
    first = find_seq(recorded, "message.received")
    for text in ("Hello", "Good day"):
        fork = resend_message(conversation=recorded, seq=first, text=text, user=user)
    assert fork.name == "Rehearsal 1, said anew 2"
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork, seq=find_seq(fork, "message.received"), text="Hi", user=user
    )
    assert again.name == "Rehearsal 1, said anew 3"

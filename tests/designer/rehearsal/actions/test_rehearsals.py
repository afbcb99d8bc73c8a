"""A rehearsal as a whole: its name, its end, what is said anew in it, and who could take it."""

import pytest

from designer.rehearsal.actions.rehearsals import resend_message
from tests.designer.recorded_conversations import converse, place

pytestmark = pytest.mark.django_db


def test_what_is_said_anew_in_what_was_said_anew_is_called_so_once_and_numbered(recorded):
    first = place(recorded, "message.received")
    fork = resend_message(conversation=recorded, seq=first, text="Hello", user=recorded.started_by)
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork,
        seq=place(fork, "message.received"),
        text="Good day",
        user=recorded.started_by,
    )
    assert [fork.name, again.name] == ["Rehearsal 1, said anew", "Rehearsal 1, said anew 2"]


def test_what_is_said_anew_in_a_numbered_one_or_beside_it_has_a_name_of_its_own(recorded):
    user = recorded.started_by
    first = place(recorded, "message.received")
    for text in ("Hello", "Good day"):
        fork = resend_message(conversation=recorded, seq=first, text=text, user=user)
    assert fork.name == "Rehearsal 1, said anew 2"
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork, seq=place(fork, "message.received"), text="Hi", user=user
    )
    assert again.name == "Rehearsal 1, said anew 3"

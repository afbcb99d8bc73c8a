"""Actions on whole conversations."""

import pytest

from designer.rehearsal.actions.rehearsals import resend_message
from tests.designer.recorded_conversations import converse, find_seq

pytestmark = pytest.mark.django_db


def test_a_variant_of_a_variant_has_the_suffix_once_with_a_number(recorded):
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
    assert [fork.name, again.name] == ["Rehearsal 1 (edit)", "Rehearsal 1 (edit 2)"]


def test_a_variant_of_a_numbered_variant_gets_the_next_number(recorded):
    user = recorded.started_by
    first = find_seq(recorded, "message.received")
    for text in ("Hello", "Good day"):
        fork = resend_message(conversation=recorded, seq=first, text=text, user=user)
    assert fork.name == "Rehearsal 1 (edit 2)"
    fork.commands.all().delete()
    converse(fork, "Hello")
    again = resend_message(
        conversation=fork, seq=find_seq(fork, "message.received"), text="Hi", user=user
    )
    assert again.name == "Rehearsal 1 (edit 3)"


def test_the_name_of_a_variant_says_whether_the_message_was_changed(recorded):
    user, seq = recorded.started_by, find_seq(recorded, "message.received", 1)
    text = recorded.recorded_events.get(seq=seq).body["message"]["text"]
    made = [
        resend_message(conversation=recorded, seq=seq, text=sent, user=user).name
        for sent in (text, "No, thanks.", text)
    ]
    assert made == ["Rehearsal 1 (retry)", "Rehearsal 1 (edit)", "Rehearsal 1 (retry 2)"]


def test_a_name_of_an_earlier_version_loses_its_suffix(recorded):
    recorded.name = "Angry, said anew 2"
    recorded.save()
    seq = find_seq(recorded, "message.received")
    fork = resend_message(conversation=recorded, seq=seq, text="Hello", user=recorded.started_by)
    assert fork.name == "Angry (edit)"


def test_a_retry_sends_the_whole_message_again(recorded):
    seq = find_seq(recorded, "message.received")
    row = recorded.recorded_events.get(seq=seq)
    row.body["message"] |= {"start_phase": "handling", "variables": {"plan": "pro"}}
    row.save()
    text = row.body["message"]["text"]
    fork = resend_message(conversation=recorded, seq=seq, text=text, user=recorded.started_by)
    sent = fork.commands.get().body
    assert (sent["start_phase"], sent["variables"]) == ("handling", {"plan": "pro"})

"""Variants of messages in the forks of a conversation."""

import pytest

from designer.models import Conversation
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.actions.rehearsals import delete_conversation, resend_message
from designer.rehearsal.fragments.variants import render_variants_mark, variants_of
from tests.designer.recorded_conversations import converse, find_seq

pytestmark = pytest.mark.django_db


def resent(conversation: Conversation, text: str, which: int = 1) -> Conversation:
    """Create a variant of a message, and record its answer."""
    seq = find_seq(conversation, "message.received", which)
    user = conversation.started_by
    fork = resend_message(conversation=conversation, seq=seq, text=text, user=user)
    fork.commands.all().delete()
    return converse(fork, text)


def positions(conversation: Conversation) -> list[tuple[int, int]]:
    found = variants_of(conversation, Conversation.objects.all())
    return [(one.position, one.count) for one in found]


def test_a_message_without_a_variant_has_no_position(recorded):
    assert positions(recorded) == []
    fork_conversation(recorded, user=recorded.started_by, after=recorded.last_seq)
    assert positions(recorded) == []


def test_the_variants_of_a_message_are_numbered_in_the_order_of_their_times(recorded):
    first = resent(recorded, "No, thanks.")
    second = resent(first, "Perhaps later.")
    assert [positions(one) for one in (recorded, first, second)] == [[(1, 3)], [(2, 3)], [(3, 3)]]
    [middle] = variants_of(first, Conversation.objects.all())
    assert middle.previous is not None
    assert middle.next is not None
    steps = middle.previous.conversation_id, middle.next.conversation_id
    assert steps == (recorded.pk, second.pk)
    [last] = variants_of(second, Conversation.objects.all())
    assert last.next is None


def test_a_later_message_has_variants_of_its_own(recorded):
    edited = resent(recorded, "No, thanks.")
    converse(edited, "Good bye")
    retried = resent(edited, "Good bye", which=2)
    assert positions(retried) == [(2, 2), (2, 2)]
    assert positions(recorded) == [(1, 2)]


def test_a_deleted_variant_is_not_counted(recorded):
    first = resent(recorded, "No, thanks.")
    second = resent(first, "Perhaps later.")
    delete_conversation(conversation=first)
    second.refresh_from_db()
    assert [positions(one) for one in (recorded, second)] == [[(1, 2)], [(2, 2)]]
    delete_conversation(conversation=recorded)
    assert positions(second) == []


def test_only_visible_conversations_are_counted(recorded):
    hidden = resent(recorded, "No, thanks.")
    resent(recorded, "Perhaps later.")
    found = variants_of(recorded, Conversation.objects.exclude(pk=hidden.pk))
    assert [(one.position, one.count) for one in found] == [(1, 2)]


def test_the_mark_of_the_socket_changes_with_each_variant(recorded):
    alone = render_variants_mark(recorded)
    first = resent(recorded, "No, thanks.")
    two = render_variants_mark(recorded)
    delete_conversation(conversation=resent(first, "Perhaps later."))
    assert len({alone, two}) == 2
    assert render_variants_mark(first) == two, "it is the same for all forks, without deleted ones"

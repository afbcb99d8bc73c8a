"""The full-text index."""

import pytest

from designer.conversations.search import (
    add_texts,
    create_index,
    indexed_text,
    matching,
    split_search,
)
from designer.models import Conversation, ConversationSummary, RecordedEvent
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.actions.rehearsals import delete_conversation
from tests.designer.recorded_conversations import QUESTION, converse

pytestmark = pytest.mark.django_db


def found(text: str) -> set[int]:
    rows = ConversationSummary.objects.all()
    for part in split_search(text):
        rows = rows.filter(pk__in=matching(part))
    return set(rows.values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("twice order", [["twice"], ["order"]]),
        ('"charged twice" A-1043', [["charged", "twice"], ["A", "1043"]]),
        ('"open', [["open"]]),
        ("* ) OR -", [["OR"]]),
        ("", []),
        ("a b c d e f g h i j", [[letter] for letter in "abcdefgh"]),
    ],
)
def test_a_search_is_split_into_words_and_phrases(text, parts):
    assert [list(part) for part in split_search(text)] == parts


def test_recorded_messages_are_found_at_once(recorded):
    assert found("charged order") == {recorded.pk}
    assert found("CHARGED A-1043") == {recorded.pk}
    assert found('"charged twice"') == {recorded.pk}
    assert found('"twice charged"') == set()
    assert found("zebra") == set()


def test_words_may_be_in_different_messages_of_one_conversation(conversation):
    converse(conversation, "My zebra is ill.", "And the giraffe?")
    assert found("zebra giraffe") == {conversation.pk}


@pytest.mark.parametrize("text", ['"', "NEAR(", "a:b", "-x", "\x00", "'; --", "AND OR NOT"])
def test_no_text_of_a_search_is_an_error(recorded, text):
    assert isinstance(found(text), set)


def test_the_index_has_the_recorded_text_only(recorded):
    """Secrets are removed before an event is recorded, so the body is the only source."""
    row = RecordedEvent.objects.filter(conversation=recorded, type="message.received").first()
    assert row is not None
    assert indexed_text(row.type, row.body) == QUESTION
    assert indexed_text("run.started", {"message": {"text": QUESTION}}) == ""
    assert indexed_text("tool.called", {"text": "x"}) == ""
    assert indexed_text("message.received", {"message": None}) == ""


def test_a_deleted_conversation_is_not_found(recorded, conversation):
    converse(conversation, "I was charged twice.")
    delete_conversation(conversation=recorded)
    assert found("charged") == {conversation.pk}
    # SQLite may give the id to the next conversation, so no entry may be left.
    add_texts([(conversation.pk, 900, "")])
    Conversation.objects.all().delete()
    create_index()
    assert found("charged") == set()


def test_a_fork_is_found_too(recorded, user):
    fork = fork_conversation(conversation=recorded, user=user, after=recorded.last_seq)
    assert found("charged") == {recorded.pk, fork.pk}
    rows = ConversationSummary.objects.order_by("pk").values_list("source", "path", "turns")
    (source, *sums), (fork_source, *fork_sums) = rows
    assert (source, fork_source, sums) == ("rehearsal", "fork", fork_sums)
    summary = ConversationSummary.objects.get(pk=fork.pk)
    assert 0 < summary.tokens == summary.copied_tokens

"""Permissions of summaries, which agree with those of their conversations."""

import pytest

from designer.models import Conversation, ConversationSummary, Pipeline
from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.live_conversations import make_pipeline
from tests.designer.subtask_definitions import asking, running, share

pytestmark = pytest.mark.django_db


@pytest.fixture
def inner(user) -> Pipeline:
    return make_pipeline(user, asking("Inner"))


@pytest.fixture
def outer(inner, user) -> Pipeline:
    """Pipeline with a conversation that runs the inner one as a subtask."""
    pipeline = make_pipeline(user, asking("Outer", running("Inner")))
    start_conversation(pipeline=pipeline, user=user)
    return pipeline


def seen(user) -> tuple[int, int]:
    """Return the numbers of summaries that a user may open, and that are hidden from the user."""
    opened = ConversationSummary.objects.of(user)
    conversations = Conversation.objects.of(user).values_list("pk", flat=True)
    assert {row.pk for row in opened} == set(conversations)
    return opened.count(), ConversationSummary.objects.hidden_from(user).count()


def test_editors_need_access_to_the_pipelines_of_all_subtasks(inner, outer, user, other_user):
    assert seen(other_user) == (0, 0)
    share(outer, other_user)
    assert seen(other_user) == (0, 1)
    share(inner, other_user, role="viewer")
    assert seen(other_user) == (1, 0)
    inner.delete()
    assert seen(other_user) == (0, 1)
    assert seen(user) == (1, 0)


def test_unknown_subtasks_hide_a_summary_from_editors(inner, outer, user, other_user):
    for pipeline in (inner, outer):
        share(pipeline, other_user)
    Conversation.objects.get().subtask_pipelines.all().delete()
    assert seen(other_user) == (0, 1)
    assert seen(user) == (1, 0)


def test_viewers_see_no_summaries(inner, outer, other_user):
    for pipeline in (inner, outer):
        share(pipeline, other_user, role="viewer")
    assert seen(other_user) == (0, 0)


def test_editors_see_their_own_conversations(outer, other_user):
    share(outer, other_user)
    Conversation.objects.update(started_by=other_user)
    ConversationSummary.objects.update(started_by=other_user)
    assert seen(other_user) == (1, 0)


def test_the_summaries_of_a_pipeline_are_those_that_the_user_may_open(outer, user, other_user):
    other = make_pipeline(user, asking("Other"))
    start_conversation(pipeline=other, user=user)
    share(outer, other_user)
    share(other, other_user)
    rows = ConversationSummary.objects
    counts = [rows.in_pipeline(outer, each).count() for each in (user, other_user)]
    assert counts == [1, 0]
    assert [row.pipeline for row in rows.in_pipeline(other, other_user)] == [other]

"""Permissions of conversations."""

import pytest

from designer.models import Conversation, Membership
from designer.pipelines.actions import delete_pipeline
from designer.rehearsal.actions.conversations import start_conversation
from tests.designer.live_conversations import make_pipeline
from tests.designer.subtask_definitions import asking, running, share

pytestmark = pytest.mark.django_db


def can_open(conversation: Conversation, user) -> bool:
    return Conversation.objects.of(user).filter(pk=conversation.pk).exists()


def test_members_need_access_to_the_pipelines_of_all_subtasks(user, other_user):
    inner, middle = (make_pipeline(user, asking(name)) for name in ("Inner", "Middle"))
    tools = running("Inner"), running("Middle", name="have_it_halved")
    outer = make_pipeline(user, asking("Outer", *tools))
    conversation = start_conversation(pipeline=outer, user=user)
    share(outer, other_user)
    share(inner, other_user, role="viewer")
    assert not can_open(conversation, other_user)
    share(middle, other_user, role="viewer")
    assert can_open(conversation, other_user)
    Membership.objects.filter(pipeline=inner).delete()
    assert not can_open(conversation, other_user)
    share(inner, other_user)
    delete_pipeline(pipeline=inner)
    assert not can_open(conversation, other_user)
    assert can_open(conversation, user)


def test_unknown_pipelines_of_subtasks_deny_access_to_members(user, other_user):
    share(make_pipeline(user, asking("Inner")), other_user)
    outer = make_pipeline(user, asking("Outer", running("Inner")))
    share(outer, other_user)
    conversation = start_conversation(pipeline=outer, user=user)
    conversation.subtask_pipelines.all().delete()
    assert not can_open(conversation, other_user)

"""Number of waiting conversations in the top bar."""

import pytest
from django.contrib.auth.models import AnonymousUser

from designer.templatetags.inbox import inbox_count


@pytest.mark.django_db
def test_only_accessible_waiting_conversations_are_counted(user, other_user, conversation):
    assert inbox_count({"user": user}) == 0
    conversation.waits_for_human = True
    conversation.save()
    assert inbox_count({"user": user}) == 1
    assert inbox_count({"user": other_user}) == 0


@pytest.mark.parametrize("context", [{}, {"user": AnonymousUser()}])
def test_without_a_login_nothing_is_counted(context):
    assert inbox_count(context) == 0

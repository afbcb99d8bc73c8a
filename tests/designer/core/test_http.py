"""Objects of a request with permission checks."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, QueryDict
from django.test import RequestFactory

from designer.core.http import (
    conversation_of_session,
    get_pipeline,
    key_in,
    pipeline_of_session,
    shared_conversation,
    user_of_session,
)
from designer.models import Membership
from designer.rehearsal.actions.share_links import create_share_link


@pytest.mark.parametrize(("query", "key"), [("k=a", "a"), ("k=a%00b", ""), ("", "")])
def test_a_key_with_nul_is_empty(query, key):
    assert key_in(QueryDict(query), "k") == key


def request_of(user, method="get"):
    request = getattr(RequestFactory(), method)("/")
    request.user = user
    return request


@pytest.mark.django_db
def test_the_role_decides_about_access_to_a_pipeline(pipeline, user, other_user):
    Membership.objects.update(role="viewer")
    assert get_pipeline(request_of(other_user), pipeline.pk) == pipeline
    with pytest.raises(PermissionDenied, match="view-only access"):
        get_pipeline(request_of(other_user, "post"), pipeline.pk)
    with pytest.raises(PermissionDenied, match="Only the owner"):
        get_pipeline(request_of(other_user), pipeline.pk, right="own")
    Membership.objects.all().delete()
    with pytest.raises(Http404):
        get_pipeline(request_of(other_user), pipeline.pk)
    assert get_pipeline(request_of(user), pipeline.pk, right="own") == pipeline


@pytest.mark.django_db
def test_a_session_gives_access_until_it_ends(client, user, conversation, other_client):
    key = client.session.session_key
    assert user_of_session(key) == user
    assert conversation_of_session(key, conversation.pk) == conversation
    assert pipeline_of_session(key, conversation.pipeline_id) == (conversation.pipeline, user)
    other_key = other_client.session.session_key
    assert conversation_of_session(other_key, conversation.pk) is None
    assert pipeline_of_session(other_key, conversation.pipeline_id) is None
    client.logout()
    assert user_of_session(key) is None
    assert conversation_of_session(key, conversation.pk) is None


@pytest.mark.django_db
def test_a_share_link_works_while_its_author_has_access(user, conversation):
    token = create_share_link(conversation=conversation, user=user)
    shared = shared_conversation(token)
    assert shared == conversation
    assert shared is not None
    assert shared.is_watched
    assert shared_conversation("guessed") is None
    user.is_active = False
    user.save()
    assert shared_conversation(token) is None

"""Permissions of AG-UI streams."""

from __future__ import annotations

import pytest
from django.urls import reverse

from designer.models import Conversation
from designer.rehearsal.actions.share_links import create_share_link, revoke_share_link
from tests.designer.live_conversations import make_conversation, sample

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, sample("support"))


def test_an_anonymous_reader_is_sent_to_the_sign_in(anonymous_client, conversation):
    response = anonymous_client.get(reverse("conversation_agui", args=[conversation.pk]))
    assert response.status_code == 302


def test_someone_elses_conversation_is_not_there(other_client, conversation):
    response = other_client.get(reverse("conversation_agui", args=[conversation.pk]))
    assert response.status_code == 404


def test_a_place_that_is_none_is_refused(client, conversation):
    path = reverse("conversation_agui", args=[conversation.pk])
    response = client.get(path, headers={"Last-Event-ID": "x"})
    refusal = {"error": "Last-Event-ID is not an id of this stream. Omit it."}
    assert (response.status_code, response.json()) == (400, refusal)


def test_a_link_that_is_none_or_was_taken_back_opens_nothing(anonymous_client, user, conversation):
    token = create_share_link(conversation=conversation, user=user)
    [link] = conversation.share_links.all()
    assert token not in link.token_hash
    assert anonymous_client.get(reverse("watch_agui", args=["guessed"])).status_code == 404
    revoke_share_link(link=link, by=user)
    assert anonymous_client.get(reverse("watch_agui", args=[token])).status_code == 404


def test_a_link_of_a_former_member_opens_nothing(anonymous_client, user, other_user, conversation):
    token = create_share_link(conversation=conversation, user=other_user)
    assert anonymous_client.get(reverse("watch_agui", args=[token])).status_code == 404

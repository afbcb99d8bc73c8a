"""Share links as rows."""

import pytest

from designer.models import ShareLink
from designer.rehearsal.actions.share_links import create_share_link

pytestmark = pytest.mark.django_db


def test_only_the_hash_of_the_token_is_stored(conversation, user):
    token = create_share_link(conversation=conversation, user=user)
    row = ShareLink.objects.values().get()
    assert token not in str(row)
    assert len(row["token_hash"]) == 64


def test_the_newest_link_comes_first(conversation, user):
    for _ in range(2):
        create_share_link(conversation=conversation, user=user)
    first, second = conversation.share_links.all()
    assert first.pk > second.pk

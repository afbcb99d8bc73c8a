"""Actions on share links."""

from __future__ import annotations

import pytest

from designer.rehearsal.actions.share_links import MAX_LINKS, create_share_link
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


def test_a_conversation_has_only_so_many_links(client, user, recorded):
    for _ in range(MAX_LINKS):
        create_share_link(conversation=recorded, user=user)
    response = client.post(url("share_links", recorded.pk))
    assert response.status_code == 422
    assert "at most 20 links" in response.content.decode()

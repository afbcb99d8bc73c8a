"""The choice of two conversations."""

from __future__ import annotations

import pytest

from tests.designer.live_conversations import make_conversation
from tests.designer.rehearsal.rehearsal_urls import url

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("chosen", ["999", "x", "\0"])
def test_incomparable_conversations_are_refused(client, other_user, recorded, chosen):
    theirs = make_conversation(other_user)
    for one in (chosen, str(theirs.pk)):
        path = url("compare", recorded.pipeline_id)
        response = client.get(path, {"left": one, "right": recorded.pk})
        assert response.status_code == 422
        assert "Choose a conversation of this pipeline." in response.content.decode()

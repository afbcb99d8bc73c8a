"""Actions on the wire log of a conversation."""

from __future__ import annotations

import pytest

from designer.rehearsal.actions import wire_log as actions
from tests.designer.rehearsal.exchanges import keep, switch

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_the_last_exchanges_are_kept(conversation, client):
    switch(client, conversation)
    for number in range(actions.MAX_KEPT + 3):
        keep(conversation, number)
    kept = [one.body["sent"] for one in conversation.exchanges.all()]
    assert len(kept) == actions.MAX_KEPT
    assert kept[0] == "request 3"

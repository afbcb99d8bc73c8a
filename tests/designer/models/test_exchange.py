"""Wire log as rows."""

import pytest

from designer.models import Exchange

pytestmark = pytest.mark.django_db


def test_exchanges_are_in_order_and_deleted_with_their_conversation(conversation):
    for turn in (2, 1):
        Exchange.objects.create(
            conversation=conversation, session="s", run="r", turn=turn, body={"turn": turn}
        )
    assert [exchange.turn for exchange in conversation.exchanges.all()] == [2, 1]
    conversation.delete()
    assert not Exchange.objects.exists()

"""The recording of exchanges during a run."""

from __future__ import annotations

from functools import partial

import pytest
from django.test import Client
from django.urls import reverse

from designer.core.database import in_database
from designer.rehearsal.actions.share_links import create_share_link
from tests.designer.rehearsal.exchanges import event_of, switch, talk
from tests.orchestration.providers.completions_server import DONE, HELLO, Server, streamed

pytestmark = pytest.mark.django_db(transaction=True)


async def test_no_exchange_is_recorded_while_the_log_is_off(conversation, client):
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    assert not await in_database(conversation.exchanges.exists)
    html = await in_database(event_of, client, conversation, "turn.started")
    assert "Exchange 1" not in html


async def test_a_late_exchange_is_neither_shown_nor_kept(conversation, client):
    await in_database(switch, client, conversation)
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    late = await in_database(conversation.exchanges.get)
    await in_database(partial(switch, client, conversation, on="no"))
    late.pk = None
    await in_database(late.save)
    html = await in_database(event_of, client, conversation, "turn.started")
    assert "Exchange 1" not in html
    await in_database(switch, client, conversation)
    assert not await in_database(conversation.exchanges.exists)


async def test_a_holder_of_a_share_link_sees_no_exchange(conversation, client, user):
    await in_database(switch, client, conversation)
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    token = await in_database(partial(create_share_link, conversation=conversation, user=user))
    row = await in_database(conversation.recorded_events.filter(type="turn.started").get)
    path = reverse("watch_event", args=[token, row.seq])
    html = (await in_database(Client().get, path)).text
    assert "turn.started" in html
    assert "Exchange 1" not in html
    page = await in_database(Client().get, reverse("watch", args=[token]))
    assert 'id="wire-log"' not in page.text

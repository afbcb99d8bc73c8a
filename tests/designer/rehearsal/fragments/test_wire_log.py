"""The wire log of an inspected event."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from designer.core.database import in_database
from designer.rehearsal.fragments.wire_log import ShownExchange
from orchestration.providers import WireExchange
from tests.designer.live_conversations import Reader
from tests.designer.rehearsal.exchanges import event_of, switch, talk
from tests.orchestration.providers.completions_server import DONE, HELLO, KEY, Server, streamed

pytestmark = pytest.mark.django_db(transaction=True)


async def test_an_opened_turn_shows_the_exchanges_without_the_key(conversation, client):
    assert (await in_database(switch, client, conversation)).status_code == 200
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    for kind in ("turn.started", "message.completed"):
        html = await in_database(event_of, client, conversation, kind)
        assert "Exchange 1" in html
        assert "http://models.test/v1/chat/completions" in html
        assert "authorization: Bearer [redacted]" in html
        assert "[DONE]" in html
        assert KEY not in html
    html = await in_database(event_of, client, conversation, "message.received")
    assert "Exchange 1" not in html


async def test_open_pages_are_notified_when_the_log_is_switched(conversation, client):
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    await reader.until('id="wire-log-state" data-logged="no"')
    for on in ("yes", "no"):
        await in_database(switch, client, conversation, on=on)
        await reader.until(f'id="wire-log-state" data-logged="{on}" hx-swap-oob="true"')
    await reader.leave()


@pytest.mark.parametrize("body", ["[" * 100_000, '"\\ud800"', '{"a": 1, "a": 2}', "7" * 5_000])
def test_a_body_that_is_no_unambiguous_json_is_shown_unchanged(body):
    exchange = WireExchange(
        at=datetime.now(UTC),
        url="",
        sent_headers=(),
        sent=body,
        status=200,
        headers=(),
        received="",
        left_out=0,
        first_byte=None,
        milliseconds=0,
        error="",
    )
    assert ShownExchange(exchange, 1).sent == body

"""The wire log of a conversation: off, until who may edit the pipeline switches it on."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from designer.accounts.sharing import share_pipeline
from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions import wire_log as actions
from designer.rehearsal.actions.share_links import create_watch_link
from designer.rehearsal.live.providers import use_providers
from designer.rehearsal.live.wire_log import all_recorded
from orchestration.providers.provider import WireExchange
from tests.designer.live_conversations import Reader, make_conversation
from tests.designer.live_waits import has, message, until
from tests.orchestration.providers.completions_server import DONE, HELLO, KEY, Server, streamed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user)


def switch(client: Client, conversation: Conversation, on: str = "yes", sure: str = "yes") -> Any:
    fields = {"on": on, "sure": sure}
    return client.post(reverse("switch_wire_log", args=[conversation.pk]), fields)


def event_of(client: Client, conversation: Conversation, kind: str) -> str:
    row = conversation.recorded_events.filter(type=kind).first()
    assert row is not None
    url = reverse("conversation_event", args=[conversation.pk, row.seq])
    return client.get(url).content.decode()


def an_exchange(number: int) -> WireExchange:
    return WireExchange(
        at=datetime.now(UTC),
        url="http://models.test/",
        sent_headers=(),
        sent=f"request {number}",
        status=200,
        headers=(),
        received="",
        left_out=0,
        first_byte=1,
        milliseconds=2,
        error="",
    )


async def talk(conversation: Conversation, server: Server, number: int = 1) -> None:
    """A run with a model behind this server, from its beginning to its end."""
    use_providers({"default": server.provider(model="m1")})
    await live.say(conversation.pk, message(number))
    await until(has(conversation, "run.completed"))
    await live.shut_down()
    await all_recorded()


async def test_what_is_off_keeps_nothing(conversation, client):
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    assert not await in_database(conversation.exchanges.exists)
    html = await in_database(event_of, client, conversation, "turn.started")
    assert "Exchange 1" not in html


async def test_an_opened_turn_shows_the_exchanges_without_the_key(conversation, client):
    assert (await in_database(switch, client, conversation)).status_code == 200
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    for kind in ("turn.started", "message.completed"):
        html = await in_database(event_of, client, conversation, kind)
        assert "Exchange 1" in html
        assert "http://models.test/v1/chat/completions" in html
        assert "authorization: Bearer [key]" in html
        assert "[DONE]" in html
        assert KEY not in html
    html = await in_database(event_of, client, conversation, "message.received")
    assert "Exchange 1" not in html


def test_the_switch_stands_in_the_pane_and_off_forgets_what_was_kept(conversation, client):
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert 'id="wire-log"' in page
    assert 'aria-pressed="true" title="Keep no more' not in page
    assert b'aria-pressed="true"' in switch(client, conversation).content
    keep(conversation, 1)
    assert conversation.exchanges.count() == 1
    assert b'aria-pressed="false"' in switch(client, conversation, "no").content
    assert conversation.exchanges.count() == 0
    keep(conversation, 2)
    assert conversation.exchanges.count() == 0


def test_off_asks_before_it_forgets_what_is_kept(conversation, client):
    switch(client, conversation)
    for number in (1, 2):
        keep(conversation, number)
    html = switch(client, conversation, "no", sure="").text
    assert 'aria-pressed="true"' in html
    assert "2 exchanges with the models are kept. They are forgotten with it" in html
    assert conversation.exchanges.count() == 2
    html = switch(client, conversation, "no").text
    assert 'aria-pressed="false"' in html
    assert "forget-exchanges" not in html
    assert conversation.exchanges.count() == 0


async def test_whoever_has_it_open_hears_that_it_is_on_or_off(conversation, client):
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    await reader.until('id="wire-log-state" data-logged="no"')
    for on in ("yes", "no"):
        await in_database(switch, client, conversation, on=on)
        await reader.until(f'id="wire-log-state" data-logged="{on}" hx-swap-oob="true"')
    await reader.leave()


def test_off_asks_nothing_where_nothing_is_kept(conversation, client):
    switch(client, conversation)
    html = switch(client, conversation, "no", sure="").text
    assert 'aria-pressed="false"' in html
    assert "forget-exchanges" not in html


def keep(conversation: Conversation, number: int) -> None:
    actions.record_exchange(
        conversation_id=conversation.pk,
        session="s",
        run="r",
        turn=1,
        exchange=an_exchange(number),
    )


async def test_what_is_written_down_as_the_log_goes_off_is_neither_shown_nor_kept(
    conversation, client
):
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


def test_only_the_last_exchanges_are_kept(conversation, client):
    switch(client, conversation)
    for number in range(actions.MAX_KEPT + 3):
        keep(conversation, number)
    kept = [one.body["sent"] for one in conversation.exchanges.all()]
    assert len(kept) == actions.MAX_KEPT
    assert kept[0] == "request 3"


def test_who_may_only_look_neither_switches_it_nor_sees_it(
    conversation, client, other_client, other_user
):
    page = reverse("conversation", args=[conversation.pk])
    share_pipeline(pipeline=conversation.pipeline, username=other_user.username, role="viewer")
    assert switch(other_client, conversation).status_code == 404
    assert other_client.get(page).status_code == 404
    share_pipeline(pipeline=conversation.pipeline, username=other_user.username, role="editor")
    assert 'id="wire-log"' in other_client.get(page).text
    assert switch(other_client, conversation).status_code == 200


async def test_who_watches_by_a_link_sees_no_exchange(conversation, client, user):
    await in_database(switch, client, conversation)
    await talk(conversation, Server(streamed(*HELLO, DONE)))
    token = await in_database(partial(create_watch_link, conversation=conversation, user=user))
    row = await in_database(conversation.recorded_events.filter(type="turn.started").get)
    path = reverse("watch_event", args=[token, row.seq])
    html = (await in_database(Client().get, path)).text
    assert "turn.started" in html
    assert "Exchange 1" not in html
    page = await in_database(Client().get, reverse("watch", args=[token]))
    assert 'id="wire-log"' not in page.text


def test_who_is_not_signed_in_is_asked_to_be(conversation):
    assert switch(Client(), conversation).status_code == 302

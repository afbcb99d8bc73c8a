"""Exchanges with models, and the switch of the wire log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.test import Client
from django.urls import reverse

from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions import wire_log as actions
from designer.rehearsal.live.providers import use_providers
from designer.rehearsal.live.wire_log import all_recorded
from orchestration.providers.provider import WireExchange
from tests.designer.live_waits import has, message, until
from tests.orchestration.providers.completions_server import Server


def switch(client: Client, conversation: Conversation, on: str = "yes", sure: str = "yes") -> Any:
    fields = {"on": on, "sure": sure}
    return client.post(reverse("switch_wire_log", args=[conversation.pk]), fields)


def event_of(client: Client, conversation: Conversation, kind: str) -> str:
    row = conversation.recorded_events.filter(type=kind).first()
    assert row is not None
    url = reverse("conversation_event", args=[conversation.pk, row.seq])
    return client.get(url).content.decode()


def make_exchange(number: int) -> WireExchange:
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
    """Complete a run with the model of a server."""
    use_providers({"default": server.provider(model="m1")})
    await live.say(conversation.pk, message(number))
    await until(has(conversation, "run.completed"))
    await live.shut_down()
    await all_recorded()


def keep(conversation: Conversation, number: int) -> None:
    actions.record_exchange(
        conversation_id=conversation.pk,
        session="s",
        run="r",
        turn=1,
        exchange=make_exchange(number),
    )

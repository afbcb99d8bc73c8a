"""Positions of readers, and streams that continue at them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.agui.event_stream import protocol_events
from designer.rehearsal.agui.reader import Cursor
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments.names import Names
from orchestration.messages import InboundMessage
from tests.designer.live_conversations import make_conversation, provide
from tests.designer.recorded_conversations import record_rehearsal
from tests.designer.rehearsal.agui.agui_client import Stream
from tests.designer.rehearsal.agui.protocol_checks import answer_text, assert_follows_the_protocol


@pytest.mark.parametrize(
    ("text", "cursor"),
    [
        ("0", Cursor()),
        ("17", Cursor(17)),
        ("17;run-1.2=3:40", Cursor(17, (("run-1", 2, 3, 40),))),
        ("9;a.1=0:1;a.b__c:0.2=7:0", Cursor(9, (("a", 1, 0, 1), ("a.b__c:0", 2, 7, 0)))),
    ],
)
def test_a_position_is_written_as_it_is_parsed(text, cursor):
    assert Cursor.parse(text) == cursor
    assert str(cursor) == text


def test_a_reader_without_a_position_begins_at_the_start():
    assert Cursor.parse("") == Cursor(0)


@pytest.mark.parametrize(
    "text", ["x", "-1", "1;", "1;a=b", "1" * 20, "7;a.1=1:1;" + "b" * 500, "1" + ";a.1=1:1" * 51]
)
def test_an_invalid_position_is_refused(text):
    with pytest.raises(ValueError, match="^" + text[:20].replace(".", "[.]")):
        Cursor.parse(text)


@pytest.mark.django_db(transaction=True)
async def test_a_long_trace_comes_in_streams_of_which_each_goes_on_with_the_last(
    settings, client, user
):
    settings.AGUI_BYTES = 2000
    conversation = await in_database(record_rehearsal, user)
    path = reverse("conversation_agui", args=[conversation.pk])
    expected = await in_database(whole_stream, conversation)
    whole: list[dict[str, Any]] = []
    last, streams = "", 0
    while len(whole) < len(expected):
        stream = Stream(client, path, after=last)
        await stream.open()
        await stream.until_it_ends(len(expected) - len(whole))
        await stream.leave()
        whole += stream.events
        last, streams = stream.last_id, streams + 1
    assert streams > 1
    assert whole == expected


def whole_stream(conversation: Conversation) -> list[dict[str, Any]]:
    thread = AguiThread(f"conversation-{conversation.pk}", Names.of(conversation.snapshot()))
    messages = [one for event in conversation.events() for one in protocol_events(event, thread)]
    return [json.loads(one.model_dump_json(by_alias=True)) for one in messages]


@pytest.mark.django_db(transaction=True)
async def test_an_answer_is_heard_as_it_streams_and_gone_on_with_where_it_broke_off(
    client, user, shut_down_runs
):
    provider = provide("Hello ", "dear ", "customer.")
    conversation = await in_database(make_conversation, user)
    path = reverse("conversation_agui", args=[conversation.pk])
    first = Stream(client, path)
    headers = await first.open()
    assert headers[b"Content-Type"] == b"text/event-stream"
    assert b"Content-Encoding" not in headers
    await live.say(conversation.pk, InboundMessage(id="message-1", text="Hello"))
    provider.release(1)
    await first.until("Hello ")
    provider.release(1)
    await first.until("dear ")
    await first.leave()

    second = Stream(client, path, after=first.last_id)
    await second.open()
    provider.release(10)
    await second.until("RUN_FINISHED")
    await second.leave()
    whole = [*first.events, *second.events]
    assert_follows_the_protocol(whole)
    assert answer_text(whole) == "Hello dear customer."

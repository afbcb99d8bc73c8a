"""The AG-UI stream: how long somebody may read it, how many are open, how much is on its way."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import AsyncRequestFactory, Client
from django.urls import reverse

from designer.core import notifications
from designer.core.database import in_database
from designer.models import Conversation, Membership
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import create_watch_link
from designer.rehearsal.agui.events import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.agui.views import watch_agui
from designer.rehearsal.fragments.names import Names
from tests.designer.live_conversations import PATIENCE, make_conversation
from tests.designer.recorded_conversations import had
from tests.designer.rehearsal.agui.agui_client import Stream

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def reader(client, user, other_user, other_client):
    """The stream of someone with whom the pipeline is shared, and what it is shared by."""
    conversation = await in_database(make_conversation, user)
    pipeline: Any = conversation.pipeline
    shared = await in_database(
        lambda: Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    )
    stream = Stream(other_client, reverse("conversation_agui", args=[conversation.pk]))
    await stream.open()
    yield stream, conversation, shared
    await stream.leave()


async def test_a_stream_ends_at_once_for_whom_it_is_shared_with_no_more(settings, reader):
    settings.READER_CHECK_SECONDS = 3600
    stream, conversation, shared = reader
    await stream.until("retry:")
    await in_database(shared.delete)
    await in_database(notifications.notify_shared, conversation.pipeline_id)
    await stream.response.wait(timeout=PATIENCE)


async def test_a_stream_ends_at_once_for_whoever_signs_out(settings, reader, other_client):
    settings.READER_CHECK_SECONDS = 3600
    stream, *_ = reader
    await stream.until("retry:")
    await in_database(other_client.post, reverse("sign_out"))
    await stream.response.wait(timeout=PATIENCE)


async def test_however_often_it_rings_it_is_looked_at_who_may_read(settings, reader):
    settings.READER_CHECK_SECONDS = 0.2
    stream, conversation, shared = reader
    await stream.until("still here")
    await in_database(shared.delete)
    group = live.group_of(conversation.pk)
    over = asyncio.create_task(stream.response.wait(timeout=PATIENCE))
    while not over.done():
        await notifications.send_to_group(group, {"type": "answers.streamed", "deltas": []})
        await asyncio.sleep(0.01)
    await over


async def test_a_stream_holds_no_connection_to_the_database_and_leaves_none(connected, reader):
    stream, *_ = reader
    await stream.until("retry:")
    assert connected
    assert not held(connected)
    await stream.leave()
    assert not held(connected)


async def test_a_page_leaves_no_connection_to_the_database_behind(connected, client, user):
    page = Stream(client, reverse("pipelines"))
    assert await page.status() == 200
    await page.response.wait(timeout=PATIENCE)
    assert connected
    assert not held(connected)


@pytest.fixture
def connected():
    """The connections that are made from now on in the threads of requests."""
    made: list[BaseDatabaseWrapper] = []

    def note(connection: BaseDatabaseWrapper, **_: object) -> None:
        if not threading.current_thread().name.startswith(("MainThread", "baton-live")):
            made.append(connection)

    connection_created.connect(note)
    yield made
    connection_created.disconnect(note)


def held(made: list[BaseDatabaseWrapper]) -> list[BaseDatabaseWrapper]:
    return [one for one in made if one.connection is not None]


async def test_one_link_takes_the_streams_of_nobody_else(settings, client, user):
    settings.AGUI_STREAMS_EACH = 1
    conversation = await in_database(make_conversation, user)
    token = await in_database(lambda: create_watch_link(conversation=conversation, user=user))
    path = reverse("watch_agui", args=[token])
    first = Stream(Client(), path)
    await first.open()
    await first.until("retry:")
    refused = Stream(Client(), path)
    assert await refused.status() == 503
    own = Stream(client, reverse("conversation_agui", args=[conversation.pk]))
    assert await own.status() == 200
    await own.leave()
    await first.leave()
    again = Stream(Client(), path)
    assert await again.status() == 200
    await again.leave()


async def test_two_that_come_at_once_are_not_let_past_the_bound(settings, user):
    settings.AGUI_STREAMS = 1
    conversation = await in_database(make_conversation, user)
    token = await in_database(lambda: create_watch_link(conversation=conversation, user=user))
    request: Any = AsyncRequestFactory().get("/")
    answers: list[Any] = [await watch_agui(request, token) for _ in range(2)]
    first, second = map(aiter, answers)
    assert await anext(first) == b"retry: 500\n\n"
    assert [part async for part in second] == [b"retry: 500\n\n"]
    await first.aclose()


async def test_a_long_trace_comes_in_streams_of_which_each_goes_on_with_the_last(
    settings, client, user
):
    settings.AGUI_BYTES = 2000
    conversation = await in_database(had, user)
    path = reverse("conversation_agui", args=[conversation.pk])
    expected = await in_database(told_at_once, conversation)
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


def told_at_once(conversation: Conversation) -> list[dict[str, Any]]:
    thread = AguiThread(f"conversation-{conversation.pk}", Names.of(conversation.snapshot()))
    told = [one for event in conversation.events() for one in protocol_events(event, thread)]
    return [json.loads(one.model_dump_json(by_alias=True)) for one in told]

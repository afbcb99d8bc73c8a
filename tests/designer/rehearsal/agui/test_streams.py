"""AG-UI streams: permissions in time, number of open streams, and connections."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from channels.layers import get_channel_layer
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import AsyncRequestFactory, Client
from django.urls import reverse

from designer.core import notifications
from designer.core.database import in_database
from designer.models import Membership
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import create_share_link, revoke_share_link
from designer.rehearsal.agui.views import watch_agui
from tests.designer.live_conversations import MAX_WAIT, make_conversation
from tests.designer.rehearsal.agui.agui_client import Stream

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def reader(client, user, other_user, other_client):
    """Stream of a user with a shared pipeline, and the membership."""
    conversation = await in_database(make_conversation, user)
    pipeline: Any = conversation.pipeline
    shared = await in_database(
        lambda: Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    )
    stream = Stream(other_client, reverse("conversation_agui", args=[conversation.pk]))
    await stream.open()
    yield stream, conversation, shared
    await stream.leave()


async def test_a_stream_ends_at_once_when_its_sharing_ends(settings, reader):
    settings.READER_CHECK_SECONDS = 3600
    stream, conversation, shared = reader
    await stream.until("retry:")
    await in_database(shared.delete)
    await in_database(notifications.notify_shared, conversation.pipeline_id)
    await stream.response.wait(timeout=MAX_WAIT)


async def test_a_stream_ends_at_once_when_its_reader_signs_out(settings, reader, other_client):
    settings.READER_CHECK_SECONDS = 3600
    stream, *_ = reader
    await stream.until("retry:")
    await in_database(other_client.post, reverse("sign_out"))
    await stream.response.wait(timeout=MAX_WAIT)


async def test_without_a_channel_layer_a_stream_ends_to_be_requested_again(
    settings, user, client, caplog
):
    conversation = await in_database(make_conversation, user)
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": ["redis://127.0.0.1:1"]},
        }
    }
    stream = Stream(client, reverse("conversation_agui", args=[conversation.pk]))
    await stream.open()
    await stream.until_it_ends(1)
    await stream.response.wait(timeout=MAX_WAIT)
    assert stream.text.startswith("retry: ")
    assert "Refused a stream: the channel layer does not work (ConnectionError)" in caplog.text


async def test_permission_to_read_is_checked_after_each_notification(settings, reader):
    settings.READER_CHECK_SECONDS = 0.2
    stream, conversation, shared = reader
    await stream.until("still here")
    await in_database(shared.delete)
    group = live.group_of(conversation.pk)
    over = asyncio.create_task(stream.response.wait(timeout=MAX_WAIT))
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
    await page.response.wait(timeout=MAX_WAIT)
    assert connected
    assert not held(connected)


@pytest.fixture
def connected():
    """Database connections that the threads of requests open from now on."""
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
    token = await in_database(lambda: create_share_link(conversation=conversation, user=user))
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
    token = await in_database(lambda: create_share_link(conversation=conversation, user=user))
    request: Any = AsyncRequestFactory().get("/")
    answers: list[Any] = [await watch_agui(request, token) for _ in range(2)]
    first, second = map(aiter, answers)
    assert await anext(first) == b"retry: 500\n\n"
    assert [part async for part in second] == [b"retry: 500\n\n"]
    await first.aclose()


async def test_a_stream_ends_with_its_reader(client, user, shut_down_runs):
    conversation = await in_database(make_conversation, user)
    stream = Stream(client, reverse("conversation_agui", args=[conversation.pk]))
    await stream.open()
    await stream.until("retry:")
    layer = get_channel_layer()
    group = live.group_of(conversation.pk)
    assert len(layer.groups[group]) == 1
    await stream.leave()
    assert not layer.groups.get(group)


async def test_a_stream_ends_when_its_link_is_taken_back(settings, user, shut_down_runs):
    settings.READER_CHECK_SECONDS = 0.01
    conversation = await in_database(make_conversation, user)
    token = await in_database(lambda: create_share_link(conversation=conversation, user=user))
    stream = Stream(Client(), reverse("watch_agui", args=[token]))
    headers = await stream.open()
    assert headers[b"Access-Control-Allow-Origin"] == b"*"
    await stream.until("still here")
    link = await in_database(conversation.share_links.get)
    await in_database(lambda: revoke_share_link(link=link, by=link.created_by))
    await stream.response.wait(timeout=MAX_WAIT)

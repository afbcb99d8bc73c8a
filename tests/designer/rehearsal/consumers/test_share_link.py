"""The socket of a share link."""

from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial

import pytest
import pytest_asyncio
from django.test import Client
from django.utils import timezone

from designer.core import notifications
from designer.core.consumer import NOT_ALLOWED
from designer.core.database import in_database
from designer.models import ShareLink
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import create_share_link, revoke_share_link
from tests.designer.live_conversations import (
    Reader,
    provide,
    recorded,
)
from tests.designer.live_waits import message, reloaded
from tests.designer.rehearsal.consumers.message_samples import DOING, MESSAGES

pytestmark = pytest.mark.django_db(transaction=True)


@pytest_asyncio.fixture
async def watcher(anonymous_client, user, conversation) -> AsyncIterator[Reader]:
    """Socket of a holder of a share link who is not signed in."""
    token = await in_database(create_share_link, conversation=conversation, user=user)
    watcher = Reader(anonymous_client, conversation.pk, f"/ws/watch/{token}/")
    assert await watcher.connect()
    yield watcher
    await live.shut_down()
    await watcher.leave()


async def test_the_holder_of_a_link_can_watch(watcher, conversation):
    await watcher.resume()
    provide("Hi.").release(1)
    await live.say(conversation.pk, message())
    await watcher.until_run_ends()
    assert watcher.seen == list(range(1, 7))


@pytest.mark.parametrize("operation", DOING)
async def test_the_holder_of_a_link_cannot_change_anything(watcher, conversation, operation):
    await watcher.ask(op=operation, **MESSAGES[operation])
    assert "You have view-only access" in await watcher.until("composer-notice")
    assert await recorded(conversation.pk) == []
    assert (await reloaded(conversation)).break_points == {}


async def test_a_watcher_sees_the_supervisors_changes_outside_the_events(
    watcher, client, conversation
):
    await watcher.resume()
    await live.set_break_point(conversation.pk, "review", on=True)
    listed = await watcher.until('data-element="stage-review"')
    assert "before turns in review" in listed
    assert "data-unmark" not in listed, "only the supervisor may remove it"
    await live.set_break_point(conversation.pk, "review", on=False)
    assert "stage-review" not in await watcher.until('id="break-points"')
    rename = partial(client.post, f"/conversations/{conversation.pk}/rename/", {"name": "Refunds"})
    assert (await in_database(rename)).status_code == 302
    assert "Watching Refunds" in await watcher.until('id="chat-title"[^>]*>Refunds')


async def test_a_watcher_sees_a_new_variant_and_its_end_at_once(watcher, client, conversation):
    await watcher.resume()
    await live.say(conversation.pk, message())
    await watcher.until_run_ends()
    again = {"seq": 2, "text": "Something else"}
    resend = partial(client.post, f"/conversations/{conversation.pk}/resend/", again)
    fork = (await in_database(resend))["Location"]
    listed = await watcher.until('id="variants".*Variant 1 of 2')
    assert "data-step-to" not in listed, "a watcher cannot leave the conversation"
    assert (await in_database(partial(client.post, f"{fork}delete/"))).status_code == 302
    assert "Variant" not in await watcher.until('id="variants"')


async def test_a_watcher_is_disconnected_when_the_link_is_revoked(watcher, conversation):
    link = await in_database(ShareLink.objects.get)
    await in_database(lambda: revoke_share_link(link=link, by=link.created_by))
    await in_database(notifications.notify_conversation, conversation.pk)
    assert await watcher.closed() == NOT_ALLOWED
    again = Reader(Client(), conversation.pk, watcher.path)
    assert await again.connect()
    assert await again.closed() == NOT_ALLOWED, "the page is told so and does not reconnect"


async def test_a_socket_is_closed_when_its_link_expires(anonymous_client, user, conversation):
    token = await in_database(create_share_link, conversation=conversation, user=user, days=1)
    soon = timezone.now() + timedelta(seconds=2)
    await in_database(ShareLink.objects.update, expires=soon)
    reader = Reader(anonymous_client, conversation.pk, f"/ws/watch/{token}/")
    assert await reader.connect()
    await reader.resume()
    assert await reader.closed() == NOT_ALLOWED
    assert timezone.now() >= soon


async def test_an_unknown_link_has_no_socket(anonymous_client, conversation):
    assert not await Reader(anonymous_client, conversation.pk, "/ws/watch/unknown/").connect()

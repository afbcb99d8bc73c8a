"""Socket of a conversation: permissions, messages and commands."""

import json

import pytest
from channels.testing import WebsocketCommunicator
from django.test import Client
from django.urls import reverse

from designer.core import notifications
from designer.core.consumer import BURST, MAX_REFUSED, NOT_ALLOWED, TOO_MUCH
from designer.core.database import in_database
from designer.core.socket_messages import MAX_FRAME, Operation
from designer.models import Conversation, Membership
from designer.rehearsal import live
from designer.rehearsal.consumers.conversation import ConversationConsumer
from designer.rehearsal.live import runs
from orchestration.control import MAX_TEXT
from tests.designer.live_conversations import (
    MAX_WAIT,
    Reader,
    flaky_layer,
    provide,
    recorded,
)
from tests.designer.rehearsal.consumers.message_samples import MESSAGES, names

pytestmark = pytest.mark.django_db(transaction=True)


async def test_nobody_without_a_session_is_let_in(anonymous_client, conversation):
    assert not await Reader(anonymous_client, conversation.pk).connect()


async def test_someone_else_s_conversation_is_as_one_that_is_not_there(other_client, conversation):
    assert not await Reader(other_client, conversation.pk).connect()
    assert not await Reader(other_client, conversation.pk + 1).connect()


def test_every_operation_has_a_message_here():
    assert names(Operation) == MESSAGES.keys()


@pytest.mark.parametrize("operation", MESSAGES)
async def test_a_signed_out_user_is_refused_with_the_next_message(reader, client, operation):
    await in_database(client.session.flush)
    await reader.ask(op=operation, **MESSAGES[operation])
    assert await reader.socket.receive_output(timeout=MAX_WAIT) == {
        "type": "websocket.close",
        "code": NOT_ALLOWED,
    }


@pytest.mark.parametrize("operation", MESSAGES)
async def test_a_former_owner_is_refused(reader, conversation, other_user, operation):
    pipeline = conversation.pipeline
    pipeline.owner = other_user
    await in_database(pipeline.save)
    await reader.ask(op=operation, **MESSAGES[operation])
    closed = await reader.socket.receive_output(timeout=MAX_WAIT)
    assert closed["code"] == NOT_ALLOWED
    assert await recorded(conversation.pk) == []


async def test_a_viewer_of_the_pipeline_has_no_socket(other_client, other_user, conversation):
    viewer = Membership(pipeline=conversation.pipeline, user=other_user, role="viewer")
    await in_database(viewer.save)
    assert not await Reader(other_client, conversation.pk).connect()


async def test_the_socket_of_a_former_member_is_closed_at_once(
    other_client, other_user, conversation
):
    member = Membership(pipeline=conversation.pipeline, user=other_user, role="editor")
    await in_database(member.save)
    reader = Reader(other_client, conversation.pk)
    assert await reader.connect()
    await in_database(member.delete)
    await in_database(notifications.notify_shared, conversation.pipeline_id)
    assert await reader.closed() == NOT_ALLOWED


class DeletedMeanwhile(ConversationConsumer):
    """Socket of a conversation that is deleted right after it was read for a message."""

    async def receive(self, text_data=None, bytes_data=None):
        self.is_asked = True
        await super().receive(text_data, bytes_data)

    async def allowed(self):
        found = await super().allowed()
        if found is not None and hasattr(self, "is_asked"):
            await in_database(Conversation.objects.filter(pk=found.pk).delete)
        return found


@pytest.mark.parametrize("operation", MESSAGES)
async def test_a_request_to_a_deleted_conversation_closes_the_socket(
    client, conversation, operation
):
    reader = Reader(client, conversation.pk)
    reader.socket = WebsocketCommunicator(DeletedMeanwhile.as_asgi(), reader.path)
    reader.socket.scope["cookies"] = {key: one.value for key, one in client.cookies.items()}
    reader.socket.scope["url_route"] = {"kwargs": {"pk": conversation.pk}}
    assert await reader.connect()
    for _ in range(2):
        await reader.ask(op=operation, **MESSAGES[operation])
    assert await reader.closed() == NOT_ALLOWED
    await live.shut_down()


async def test_sign_out_closes_the_sockets_of_its_session_only(
    client, user, conversation, settings
):
    settings.READER_CHECK_SECONDS = 3600
    elsewhere = Client()
    await in_database(elsewhere.force_login, user)
    reader, other = Reader(client, conversation.pk), Reader(elsewhere, conversation.pk)
    assert await reader.connect()
    assert await other.connect()
    await in_database(client.post, reverse("sign_out"))
    assert await reader.closed() == NOT_ALLOWED
    await other.resume()
    await other.until('id="queue"')
    await other.leave()


async def test_a_sign_out_is_noticed_after_a_failure_of_the_channel_layer(
    client, conversation, settings
):
    settings.READER_CHECK_SECONDS = 0.05
    layer = flaky_layer(settings)
    reader = Reader(client, conversation.pk)
    assert await reader.connect()
    layer.is_down = True
    await in_database(client.post, reverse("sign_out"))
    await in_database(notifications.notify_conversation, conversation.pk)
    assert layer.lost.is_set()
    layer.is_down = False
    closed = await reader.socket.receive_output(timeout=MAX_WAIT)
    assert closed["code"] == NOT_ALLOWED


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("not json", "The message is not JSON."),
        ("[" * 50_000, "There are more than 5,000 values."),
        ("{}", "The message was not understood"),
        ('{"op": "drop"}', "Input tag &#x27;drop&#x27; found"),
        ('{"op": []}', "does not match any of the expected tags"),
        ('{"op": "resume"}', "after: Field required"),
        ('{"op": "resume", "after": -1}', "after: Input should be greater than or equal to 0"),
        ('{"op": "say", "id": "x", "text": "Hello"}', "id: String should match"),
        ('{"op": "say", "id": "message-1", "text": "\\ud800"}', "$.text: The text contains a lone"),
        ('{"op": "say", "id": "message-1", "text": " \\n "}', "Write something first."),
        ('{"op": "say", "id": "message-1", "text": "a\\u0000b"}', "the character NUL"),
        (
            json.dumps({"op": "say", "id": "message-1", "text": "x" * (MAX_TEXT + 1)}),
            "The message has 8,001 characters; 8,000 are allowed. It stays here",
        ),
        (json.dumps({"op": "say", "text": "x" * MAX_FRAME}), "The message is larger than 64 KiB."),
        ('{"op": "note", "text": ""}', "Write something first."),
        ('{"op": "reply", "text": "a\\u0000b"}', "the character NUL"),
        ('{"op": "hand_over", "target": " "}', "Choose a target first."),
        ('{"op": "hand_over", "target": "\\ud800"}', "$.target: The text contains a lone"),
        (
            '{"op": "break_point", "source": "intake"}',
            "both ends of a transition.",
        ),
        ('{"op": "break_point", "stage": "elsewhere"}', "There is no stage"),
        ('{"op": "pause", "id": "x"}', "id: String should match"),
        ('{"op": "pause"}', "There is no run to pause: send a message first."),
    ],
)
async def test_a_malformed_message_gets_an_error_and_the_socket_stays_open(
    reader, conversation, message, sentence
):
    await reader.socket.send_to(text_data=message)
    notice = await reader.receive()
    assert 'id="composer-notice"' in notice
    assert sentence in notice
    assert await recorded(conversation.pk) == []

    provide("Hi.").release(1)
    await reader.resume()
    await reader.say("Hello")
    await reader.until_run_ends()


async def test_bytes_are_refused(reader):
    await reader.socket.send_to(bytes_data=b"\x00")
    assert "A message must be text, not binary data." in await reader.receive()


async def test_a_flood_is_slowed_and_told_so(reader):
    for _ in range(30):
        await reader.resume()
    assert "Too many messages at once." in await reader.until("composer-notice")


async def test_a_client_over_the_rate_limit_is_disconnected(reader):
    for _ in range(int(BURST) + MAX_REFUSED + 50):
        await reader.socket.send_to(text_data="{}")
    assert await reader.closed() == TOO_MUCH
    assert len([one for one in reader.frames if "Too many messages" in one]) < 5


async def test_a_message_while_a_run_is_on_waits_is_shown_and_comes_next(reader, conversation):
    provider = provide("Hi.")
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    await reader.say("And another thing", message_id="message-2")
    assert 'id="waiting-message-2"' in await reader.until("And another thing")
    assert [kind for _, kind in await recorded(conversation.pk)].count("message.received") == 1
    provider.release(2)
    await reader.until_run_ends()
    await reader.until_run_ends()
    assert [kind for _, kind in await recorded(conversation.pk)].count("message.received") == 2
    while "waiting-message-2" in reader.last('id="queue"'):
        await reader.receive()


async def test_a_queued_command_can_be_withdrawn_until_it_is_executed(reader, conversation):
    provider = provide("Hi.")
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    await reader.say("And another thing", message_id="message-2")
    await reader.until("waiting-message-2")
    await reader.ask(op="withdraw", key="message-2")
    assert "waiting" not in await reader.until('id="queue"')
    await reader.ask(op="withdraw", key="message-2")
    await reader.until("too late to withdraw this")
    provider.release(1)
    await reader.until_run_ends()
    assert [kind for _, kind in await recorded(conversation.pk)].count("message.received") == 1


async def test_a_message_comes_back_with_its_own_id_channel_and_intent(reader):
    provide("Hi.").release(1)
    await reader.resume()
    sent = await reader.say("Hello", channel_type="sms", intent="billing")
    frame = await reader.until("message.received")
    assert f'data-message="{sent}"' in frame
    assert "sms · intent: billing" in frame


async def test_a_message_sent_twice_counts_once(reader, conversation):
    provide("Hi.").release(1)
    await reader.resume()
    sent = await reader.say("Hello")
    await reader.say("Hello", message_id=sent)
    await reader.until_run_ends()
    await reader.say("Hello", message_id=sent)
    await reader.ask(op="unknown")
    await reader.until("not understood")
    assert [kind for _, kind in await recorded(conversation.pk)].count("message.received") == 1
    assert reader.seen == list(range(1, 7))


async def test_the_sender_is_told_if_a_stopped_run_continues(reader, monkeypatch):
    monkeypatch.setattr(runs, "TRIES", 0)
    provide("Hi.")
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    await reader.ask(op="stop")
    assert await reader.until("The run could not be ended")


async def test_stop_ends_the_answer(reader):
    provide("Hi.")
    await reader.resume()
    await reader.say("Hello")
    await reader.until("turn.started")
    await reader.ask(op="stop")
    assert "Stopped by ada" in await reader.until(r"run\.completed")

"""Providers of runs: connections of the pipeline's owner."""

import asyncio
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from designer.core.database import in_database
from designer.models import Connection, Conversation
from designer.pipelines.actions import import_definition
from designer.rehearsal import live
from designer.rehearsal.actions.conversations import start_conversation
from designer.rehearsal.live.providers import providers_for, use_providers
from orchestration.definition import Agent, PipelineDefinition, Stage
from orchestration.network import AllowedAddresses
from tests.conftest import signed_in
from tests.designer.live_conversations import HeldProvider
from tests.designer.live_waits import has, last_event, message, until
from tests.openai_server import HOLD, OpenAIServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def allowed(settings) -> None:
    settings.ALLOWED_ADDRESSES = AllowedAddresses.parse(["127.0.0.1"])


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def connect(user, server, name="default", **options) -> Connection:
    row = Connection(owner=user, name=name, base_url=server.base_url, model="small", **options)
    row.store_secrets(key=server.api_key, headers={"X-Team": "blue"})
    row.save()
    return row


def conversation_of(user, provider="default") -> Conversation:
    definition = PipelineDefinition(
        name="Desk",
        agents=(Agent(id="clerk", name="Clerk", provider=provider),),
        stages=(Stage(phase="desk", agent_id="clerk"),),
        entry="desk",
    )
    pipeline = import_definition(user=user, definition=definition)
    return start_conversation(pipeline=pipeline, user=user)


async def answer(conversation: Conversation) -> str:
    """Return the answer to “Hello”."""
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.completed"))
    events: Any = await in_database(conversation.events)
    return str(next(one for one in reversed(events) if one.type == "message.completed").text)


async def test_a_connection_of_the_owner_answers_before_the_environments(user, server):
    use_providers({"default": HeldProvider("never")})
    await in_database(connect, user, server)
    conversation = await in_database(conversation_of, user)
    assert (await answer(conversation)).strip() == "Hello"
    assert server.requests[0]["model"] == "small"
    assert server.headers[0]["X-Team"] == "blue"
    events: Any = await in_database(conversation.events)
    assert next(one.provider for one in events if one.type == "turn.started") == "default"


async def test_the_connection_of_someone_else_is_not_asked(user, other_user, server):
    held = HeldProvider("Mine.")
    held.release(1)
    use_providers({"default": held})
    await in_database(connect, other_user, server)
    conversation = await in_database(conversation_of, user)
    assert await answer(conversation) == "Mine."
    assert server.requests == []


async def test_as_long_as_nothing_changes_runs_share_a_client(user, server):
    row = await in_database(connect, user, server)
    await in_database(connect, user, server, "other")
    one = await in_database(conversation_of, user)
    two = await in_database(conversation_of, user)
    before = await providers_for(one.pk)
    assert await providers_for(two.pk) is before
    row.version += 1
    await in_database(row.save)
    after = await providers_for(one.pk)
    assert after["default"] is not before["default"]
    assert after["other"] is before["other"]


async def test_a_replaced_client_is_closed_when_its_last_answer_has_come(user, server):
    server.script = lambda _: ["Hel", HOLD, "lo."]
    row = await in_database(connect, user, server)
    conversation = await in_database(conversation_of, user)
    old: Any = (await providers_for(conversation.pk))["default"]
    await live.say(conversation.pk, message())
    await asyncio.to_thread(server.wait_until_held)
    row.version += 1
    await in_database(row.save)
    await providers_for(conversation.pk)
    assert old._client._client is not None, "somebody waits for its answer"
    server.release()
    await until(has(conversation, "run.completed"))
    assert old._client._client is None
    gc.collect()  # a connection that was left open would warn here


async def test_an_address_inside_is_not_asked(user, server, settings):
    settings.ALLOWED_ADDRESSES = AllowedAddresses()
    await in_database(connect, user, server)
    conversation = await in_database(conversation_of, user)
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.failed"))
    event: Any = await last_event(conversation)
    assert "BATON_ALLOWED_ADDRESSES" in event.message
    assert server.requests == []


async def test_a_key_that_cannot_be_read_ends_the_run_in_words(user, server, settings):
    row = await in_database(connect, user, server)
    conversation = await in_database(conversation_of, user)
    settings.SECRET_KEY = "another-" + "x" * 40
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.failed"))
    event: Any = await last_event(conversation)
    assert "BATON_ENCRYPTION_KEYS" in event.message
    assert row.sealed_key not in event.message


async def test_the_price_of_a_connection_is_shown_without_one_in_the_settings(
    user, server, settings
):
    await in_database(connect, user, server, price_in=1_000_000.0, price_out=2_000_000.0)
    conversation = await in_database(conversation_of, user)
    await answer(conversation)
    events: Any = await in_database(conversation.events)
    usage = next(one.usage for one in events if one.type == "message.completed")
    assert usage.output_tokens
    cost = usage.input_tokens + 2 * usage.output_tokens
    assert f"${cost:,.2f}" in await page_of(user, conversation)
    settings.PRICES = {"small": (0.0, 0.0)}
    assert "$0.0000" in await page_of(user, conversation)


async def page_of(user, conversation: Conversation) -> str:
    """Return the page of a conversation."""

    def shown() -> str:
        client = signed_in(user)
        return str(client.get(f"/conversations/{conversation.pk}/").content.decode())

    return await in_database(shown)


async def test_a_refused_key_names_the_connection(user, server):
    row = await in_database(connect, user, server, "work")
    row.store_secrets(key="wrong", headers=None)
    await in_database(row.save)
    conversation = await in_database(conversation_of, user, "work")
    await live.say(conversation.pk, message())
    await until(has(conversation, "run.failed"))
    event: Any = await last_event(conversation)
    assert "check the key of the connection 'work'" in event.message

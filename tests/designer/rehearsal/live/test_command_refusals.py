"""Refused commands and their delivery."""

from __future__ import annotations

import pytest

from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.live import runs
from tests.designer.live_conversations import Reader, make_conversation
from tests.designer.live_waits import reloaded
from tests.designer.rehearsal.live.approvals import ask_to_pay, asked, paying
from tests.designer.steering_commands import waiting

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, paying())


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        ({"op": "change", "arguments": '{"amount": "much"}'}, "The arguments of pay are wrong"),
        ({"op": "change", "arguments": "{"}, "are not JSON"),
        (
            {"op": "change", "arguments": "x" * 50_001},
            "The text of the arguments is too long: 50,000 characters are allowed.",
        ),
        (
            {"op": "refuse", "reason": "x" * 2_001},
            "The reason is too long: 2,000 characters are allowed.",
        ),
        ({"op": "approve", "asked": "1"}, "no longer waits"),
        ({"op": "approve", "asked": "0"}, "greater than or equal to 1"),
        ({"op": "approve", "asked": "x"}, "valid integer"),
    ],
)
async def test_an_invalid_decision_is_an_error_and_the_call_still_waits(
    client, conversation, operation, sentence
):
    await ask_to_pay(conversation)
    [seq] = await asked(conversation)
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    await reader.ask(**{"asked": str(seq)} | operation)
    await reader.until(sentence)
    await reader.ask(op="unknown")
    await reader.until("not understood")
    assert "".join(reader.frames).count(sentence) == 1  # said once, and not among what waits too
    assert (await reloaded(conversation)).approvals == 1
    assert await waiting(conversation) == []
    await reader.leave()


async def test_a_refusal_is_said_once_where_a_watch_of_the_conversation_sees_to_it_first(
    client, conversation, monkeypatch
):
    await ask_to_pay(conversation)
    [seq] = await asked(conversation)
    update = runs.update

    async def update_after_a_watch(conversation_id):
        await live.process_queue(conversation_id)
        await update(conversation_id)

    monkeypatch.setattr(runs, "update", update_after_a_watch)
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    await reader.ask(op="change", asked=str(seq), arguments="{")
    await reader.until("are not JSON")
    await reader.ask(op="unknown")
    await reader.until("not understood")
    assert "".join(reader.frames).count("are not JSON") == 1
    assert await waiting(conversation) == []
    await reader.leave()

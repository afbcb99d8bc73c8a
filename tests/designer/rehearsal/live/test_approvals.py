"""Calls that a person approves: over the socket, in the inbox, in a fork, in the terminal."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from itertools import groupby
from typing import Any

import pytest
import pytest_asyncio
from django.urls import reverse

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.actions.share_links import create_watch_link
from designer.rehearsal.agui.events import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments import inbox
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.live import run_driver
from designer.rehearsal.live.providers import use_providers
from orchestration import events as e
from orchestration.control import ApproveCall, RefuseCall, SendNote
from orchestration.definition import (
    Cue,
    CueCall,
    Group,
    PipelineDefinition,
    Stage,
    Tool,
    ToolExample,
)
from tests.designer.live_conversations import Reader, make_conversation
from tests.designer.live_waits import is_over, message, reloaded, types, until
from tests.designer.management.commands.test_rehearse import in_file, rehearse, said
from tests.designer.rehearsal.agui.test_events import assert_follows_the_protocol
from tests.designer.steering_commands import by_ada, events, is_left_alone, is_paused, waiting
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    four_stages,
)

pytestmark = pytest.mark.django_db(transaction=True)

AMOUNT = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}},
    "required": ["amount"],
}
PAY = Tool(
    name="pay", approval=True, parameters=AMOUNT, examples=(ToolExample(result="It is paid."),)
)
LOOK = Tool(name="look", examples=(ToolExample(result="There it is."),))
ONE: Turn = [calling("pay", call_id="c1", amount=7), calling("look", call_id="c2")]


def paying(**changes: Any) -> PipelineDefinition:
    """Agents that may look, and pay where a person approves it."""
    tools = {"tools": ("look", "pay"), **changes}
    agents = [agent.model_copy(update=tools) for agent in four_stages().agents]
    return four_stages(tools=[PAY, LOOK], agents=agents)


def in_a_group() -> PipelineDefinition:
    """The same, where the first two of them answer together, one after the other."""
    group = Group(agents=(TRIAGE, HANDLER), parallel=False)
    stages = (Stage(phase="intake", kind="group", group=group), *paying().stages[2:])
    return paying().model_copy(update={"stages": stages, "transitions": ()})


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, paying())


@pytest_asyncio.fixture(autouse=True)
async def no_run_stays_behind() -> AsyncIterator[None]:
    yield
    await live.shut_down()


async def ask_to_pay(conversation: Conversation, *turns: Turn) -> PlayedModel:
    """Say something; a call waits for a person after it."""
    model = PlayedModel(turns or (ONE, ["Done."]))
    use_providers({"default": model})
    await live.say(conversation.pk, message())
    await until(is_paused(conversation))
    return model


async def asked(conversation: Conversation) -> list[int]:
    return [event.seq for event in await events(conversation, "approval.requested")]


async def test_a_call_that_waits_survives_its_process_and_is_taken_up_by_nobody(
    conversation, settings
):
    settings.LEASE_SECONDS = 0.01
    await ask_to_pay(conversation)
    await live.shut_down()
    live.attend(conversation.pk)
    await until(is_left_alone(conversation))
    row: Any = await reloaded(conversation)
    assert (row.approvals, row.is_paused, row.lease_until) == (1, True, None)
    assert (await types(conversation))[-4:] == [
        "approval.requested",
        "tool.called",
        "tool.returned",
        "run.paused",
    ]

    [seq] = await asked(conversation)
    await live.command(conversation.pk, by_ada(ApproveCall, asked=seq))
    await until(is_over(conversation))
    assert (await reloaded(conversation)).approvals == 0
    assert (await types(conversation)).count("tool.called") == 2
    row = await reloaded(conversation)
    assert (row.run_id, row.is_paused) == ("", False)


async def test_over_the_socket_a_call_is_approved_changed_or_refused(client, conversation):
    model = await ask_to_pay(
        conversation, [calling("pay", call_id=f"c{n}", amount=n) for n in range(3)], ["Done."]
    )
    reader = Reader(client, conversation.pk)
    await reader.connect()
    await reader.resume()
    first, second, third = await asked(conversation)
    await reader.ask(op="approve", id="approve-1", asked=str(first))
    await reader.ask(op="approve", id="approve-1", asked=str(first))
    await reader.ask(op="change", asked=str(second), arguments='{"amount": 40}')
    await reader.ask(op="refuse", asked=str(third), reason="Too <b>much</b>.")
    await until(is_over(conversation))
    given = [
        (one.decision, one.arguments, one.reason, one.by)
        for one in await events(conversation, "approval.given")
    ]
    assert given == [
        ("approved", None, "", "ada"),
        ("changed", '{"amount":40}', "", "ada"),
        ("refused", None, "Too <b>much</b>.", "ada"),
    ]
    assert model.seen[-1][-1] == "Error: A person refused this call: Too <b>much</b>."
    await reader.until("Too &lt;b&gt;much&lt;/b&gt;")
    await reader.leave()


@pytest.mark.parametrize(
    ("operation", "sentence"),
    [
        ({"op": "change", "arguments": '{"amount": "much"}'}, "The arguments of pay are wrong"),
        ({"op": "change", "arguments": "{"}, "are not JSON"),
        ({"op": "change", "arguments": "x" * 50_001}, "at most 50000 characters"),
        ({"op": "refuse", "reason": "x" * 2_001}, "at most 2000 characters"),
        ({"op": "approve", "asked": "1"}, "no longer waits"),
        ({"op": "approve", "asked": "0"}, "greater than or equal to 1"),
        ({"op": "approve", "asked": "x"}, "valid integer"),
    ],
)
async def test_what_cannot_be_decided_so_is_said_in_a_sentence_and_the_call_still_waits(
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
    update = run_driver.update

    async def update_after_a_watch(conversation_id):
        await live.process_queue(conversation_id)
        await update(conversation_id)

    monkeypatch.setattr(run_driver, "update", update_after_a_watch)
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


async def test_whoever_only_watches_decides_nothing(client, conversation, user):
    await ask_to_pay(conversation)
    [seq] = await asked(conversation)
    token = await in_database(lambda: create_watch_link(conversation=conversation, user=user))
    reader = Reader(client, conversation.pk, f"/ws/watch/{token}/")
    await reader.connect()
    await reader.resume()
    await reader.ask(op="approve", asked=str(seq))
    await reader.until("You have view-only access")
    page = (await in_database(client.get, f"/watch/{token}/")).content.decode()
    assert '<ul id="approvals"></ul>' in page
    assert "data-decide" not in page
    assert (await reloaded(conversation)).approvals == 1
    await reader.leave()


async def test_a_run_that_waits_for_approval_can_be_stopped(conversation):
    await ask_to_pay(conversation)
    await live.stop(conversation.pk)
    row: Any = await reloaded(conversation)
    assert (row.run_id, row.approvals, row.is_paused) == ("", 0, False)


async def test_a_call_that_waits_is_counted_and_listed_in_the_inbox(
    client, other_client, user, conversation
):
    await ask_to_pay(conversation)
    assert await in_database(inbox.count_waiting, user) == 1
    page = (await in_database(client.get, reverse("inbox"))).content.decode()
    assert "Waits for approval: pay" in page
    assert f'href="/conversations/{conversation.pk}/#approvals"' in page
    other = (await in_database(other_client.get, reverse("inbox"))).content.decode()
    assert "Nobody waits" in other

    [seq] = await asked(conversation)
    await live.command(conversation.pk, by_ada(RefuseCall, asked=seq))
    await until(is_over(conversation))
    assert await in_database(inbox.count_waiting, user) == 0


async def test_the_inbox_names_a_call_that_still_waits(client, conversation):
    calls = [calling("pay", call_id=f"c{n}", amount=n) for n in (1, 2)]
    await ask_to_pay(conversation, calls, ["Done."])
    _, second = await asked(conversation)
    await live.command(conversation.pk, by_ada(RefuseCall, asked=second))
    page = (await in_database(client.get, reverse("inbox"))).content.decode()
    assert "{&quot;amount&quot;: 1}" in page
    assert "{&quot;amount&quot;: 2}" not in page


async def test_the_page_shows_the_call_with_its_arguments_to_be_edited(client, conversation):
    await ask_to_pay(conversation)
    path = reverse("conversation", args=[conversation.pk])
    page = (await in_database(client.get, path)).content.decode()
    assert 'aria-label="Arguments of pay">{\n  &quot;amount&quot;: 7\n}</textarea>' in page
    assert "waits for approval" in page
    assert 'data-standing="asking"' in page


async def test_a_fork_of_a_run_that_waits_waits_too_and_is_decided_apart(conversation, user):
    await ask_to_pay(conversation)
    last = (await reloaded(conversation)).last_seq
    fork = await in_database(lambda: fork_conversation(conversation, user=user, after=last))
    assert (fork.approvals, fork.is_paused) == (1, True)
    [seq] = await asked(conversation)
    early = await in_database(lambda: fork_conversation(conversation, user=user, after=seq))
    assert (early.approvals, early.is_paused) == (1, False)
    live.attend(early.pk)
    await until(is_paused(early))
    for one in (fork, early):
        await live.command(one.pk, by_ada(ApproveCall, asked=seq))
        await until(is_over(one))
    assert (await reloaded(conversation)).approvals == 1


async def test_a_decision_counts_once_however_often_it_comes(conversation):
    await ask_to_pay(conversation)
    [seq] = await asked(conversation)
    command = by_ada(ApproveCall, asked=seq)
    for _ in range(3):
        await live.command(conversation.pk, command)
    await until(is_over(conversation))
    assert len(await events(conversation, "approval.given")) == 1


async def test_another_front_end_hears_of_a_run_that_asks_as_the_protocol_has_it(conversation):
    calls: Turn = [calling("pay", call_id=f"c{n}", amount=n) for n in range(2)]
    await ask_to_pay(conversation, calls, ["Done."])
    first, second = await asked(conversation)
    waiting_still = [f"approval-{first}"], [f"approval-{second}"]
    await live.command(conversation.pk, by_ada(SendNote, text="Look twice."))
    await live.command(conversation.pk, by_ada(ApproveCall, asked=first))
    await live.command(conversation.pk, by_ada(RefuseCall, asked=second, reason="No."))
    await until(is_over(conversation))
    told = await in_database(heard, conversation)
    assert_follows_the_protocol(told)
    ends = [one for one in told if one["type"] == "RUN_FINISHED"]
    both = [one for ids in waiting_still for one in ids]
    waits = [asked_by(one) for one in ends]
    assert waits[:2] == [both, both]
    # Once or twice for the second alone: the run may or may not have gone on before it is refused.
    assert [ids for ids, _ in groupby(waits)] == [both, waiting_still[1], []]
    assert ends[-1]["outcome"] == {"type": "success"}
    [interrupt, _] = ends[0]["outcome"]["interrupts"]
    assert (interrupt["reason"], interrupt["toolCallId"]) == ("tool_call", "c0")
    assert len({one["runId"] for one in ends}) == len(ends)
    recorded = await events(conversation, "run.completed")
    spent = [one["usage"][0]["totalTokens"] for one in ends]
    assert sum(spent) == recorded[0].usage.input_tokens + recorded[0].usage.output_tokens
    results = {one["toolCallId"]: one["content"] for one in told if "content" in one}
    assert results == {"c0": "It is paid.", "c1": "Error: A person refused this call: No."}


def asked_by(end: dict[str, Any]) -> list[str]:
    """The ids of what a run that is over waits for."""
    return [one["id"] for one in end["outcome"].get("interrupts", [])]


async def test_who_asks_within_a_group_is_suspended_and_goes_on_under_its_own_id(user):
    conversation = await in_database(make_conversation, user, in_a_group())
    await ask_to_pay(conversation, [calling("pay", call_id="c1", amount=7)], ["Done."])
    [seq] = await asked(conversation)
    await live.command(conversation.pk, by_ada(ApproveCall, asked=seq))
    await until(is_over(conversation))
    told = await in_database(heard, conversation)
    assert_follows_the_protocol(told)
    [suspended] = [one for one in told if "outcome" in one and one["type"] == "SUBAGENT_FINISHED"]
    assert suspended["outcome"] == {"type": "suspended", "interruptIds": [f"approval-{seq}"]}
    begun = [one["subagentRunId"] for one in told if one["type"] == "SUBAGENT_STARTED"]
    assert begun.count(suspended["subagentRunId"]) == 2


def heard(conversation: Conversation) -> list[dict[str, Any]]:
    thread = AguiThread("thread", Names.of(conversation.snapshot()))
    told: Iterable[e.Event] = conversation.events()
    return [
        json.loads(one.model_dump_json(by_alias=True))
        for event in told
        for one in protocol_events(event, thread)
    ]


def test_in_the_terminal_a_call_that_waits_is_told_of_and_ends_with_the_code_for_waiting(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("BATON_TOKENS_PER_SECOND", "0")
    cue = Cue(call=CueCall(tool="pay", arguments={"amount": 7}))
    path = in_file(tmp_path, paying(cues=(cue,)))
    printed, code = rehearse(path, *said("Pay!", "Hello?"))
    assert code == 4
    assert "pay waits for approval" in printed
    assert "waits for the approval of pay" in printed
    assert "Hello?" not in printed

"""Approvals of calls: by the socket, in the inbox, in a fork, in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.forks import fork_conversation
from designer.rehearsal.actions.share_links import create_share_link
from designer.rehearsal.fragments import inbox
from orchestration.control import ApproveCall, RefuseCall
from orchestration.definition import (
    Cue,
    CueCall,
)
from tests.designer.live_conversations import Reader, make_conversation
from tests.designer.live_waits import is_over, reloaded, types, until
from tests.designer.management.commands.test_rehearse import in_file, rehearse, said
from tests.designer.rehearsal.live.approvals import ask_to_pay, asked, paying
from tests.designer.steering_commands import by_ada, events, is_left_alone, is_paused
from tests.orchestration.conversations import (
    calling,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, paying())


async def test_a_call_that_waits_survives_its_process_and_is_taken_up_by_nobody(
    conversation, settings
):
    settings.LEASE_SECONDS = 0.01
    await ask_to_pay(conversation)
    await live.shut_down()
    live.wake()
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


async def test_a_watcher_cannot_decide_an_approval(client, conversation, user):
    await ask_to_pay(conversation)
    [seq] = await asked(conversation)
    token = await in_database(lambda: create_share_link(conversation=conversation, user=user))
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
    assert "No conversation waits" in other

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
    live.wake()
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


def test_in_the_terminal_a_pending_approval_ends_with_the_code_for_waiting(tmp_path, monkeypatch):
    monkeypatch.setenv("BATON_TOKENS_PER_SECOND", "0")
    cue = Cue(call=CueCall(tool="pay", arguments={"amount": 7}))
    path = in_file(tmp_path, paying(cues=(cue,)))
    printed, code = rehearse(path, *said("Pay!", "Hello?"))
    assert code == 4
    assert "pay waits for approval" in printed
    assert "waits for the approval of pay" in printed
    assert "Hello?" not in printed

"""Runs that wait for a person, in the AG-UI protocol."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import pytest

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from orchestration.control import ApproveCall, RefuseCall, SendNote
from orchestration.definition import (
    Group,
    PipelineDefinition,
    Stage,
)
from tests.designer.live_conversations import make_conversation
from tests.designer.live_waits import is_over, until
from tests.designer.rehearsal.agui.protocol_checks import (
    assert_follows_the_protocol,
    protocol_messages,
)
from tests.designer.rehearsal.live.approvals import ask_to_pay, asked, paying
from tests.designer.steering_commands import by_ada, events
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    Turn,
    calling,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shut_down_runs")]


def in_a_group() -> PipelineDefinition:
    """Return the pipeline with its first two agents as a group."""
    group = Group(agents=(TRIAGE, HANDLER), parallel=False)
    stages = (Stage(phase="intake", kind="group", group=group), *paying().stages[2:])
    return paying().model_copy(update={"stages": stages, "transitions": ()})


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, paying())


async def test_another_front_end_hears_of_a_run_that_asks_as_the_protocol_has_it(conversation):
    calls: Turn = [calling("pay", call_id=f"c{n}", amount=n) for n in range(2)]
    await ask_to_pay(conversation, calls, ["Done."])
    first, second = await asked(conversation)
    waiting_still = [f"approval-{first}"], [f"approval-{second}"]
    await live.command(conversation.pk, by_ada(SendNote, text="Look twice."))
    await live.command(conversation.pk, by_ada(ApproveCall, asked=first))
    await live.command(conversation.pk, by_ada(RefuseCall, asked=second, reason="No."))
    await until(is_over(conversation))
    messages = await in_database(protocol_messages, conversation)
    assert_follows_the_protocol(messages)
    ends = [one for one in messages if one["type"] == "RUN_FINISHED"]
    both = [one for ids in waiting_still for one in ids]
    waits = [asked_by(one) for one in ends]
    assert waits[:2] == [both, both]
    # Once or twice for the second alone: the run may or may not have gone on before it is refused.
    assert [ids for ids, _ in groupby(waits)] == [both, waiting_still[1], []]
    assert ends[-1]["outcome"] == {"type": "success"}
    [interrupt, _] = ends[0]["outcome"]["interrupts"]
    run = ends[0]["runId"]
    assert (interrupt["reason"], interrupt["toolCallId"]) == ("tool_call", f"{run}.c0")
    assert len({one["runId"] for one in ends}) == len(ends)
    recorded = await events(conversation, "run.completed")
    spent = [one["usage"][0]["totalTokens"] for one in ends]
    assert sum(spent) == recorded[0].usage.input_tokens + recorded[0].usage.output_tokens
    results = {one["toolCallId"]: one["content"] for one in messages if "content" in one}
    refused = "Error: A person refused this call: No."
    assert results == {f"{run}.c0": "It is paid.", f"{run}.c1": refused}


def asked_by(end: dict[str, Any]) -> list[str]:
    """Return the ids of the interrupts at the end of a run."""
    return [one["id"] for one in end["outcome"].get("interrupts", [])]


async def test_a_member_with_a_question_is_suspended_and_continues_by_its_id(user):
    conversation = await in_database(make_conversation, user, in_a_group())
    await ask_to_pay(conversation, [calling("pay", call_id="c1", amount=7)], ["Done."])
    [seq] = await asked(conversation)
    await live.command(conversation.pk, by_ada(ApproveCall, asked=seq))
    await until(is_over(conversation))
    messages = await in_database(protocol_messages, conversation)
    assert_follows_the_protocol(messages)
    [suspended] = [
        one for one in messages if "outcome" in one and one["type"] == "SUBAGENT_FINISHED"
    ]
    assert suspended["outcome"] == {"type": "suspended", "interruptIds": [f"approval-{seq}"]}
    begun = [one["subagentRunId"] for one in messages if one["type"] == "SUBAGENT_STARTED"]
    assert begun.count(suspended["subagentRunId"]) == 2

"""Combinations: parallel work, cancellation from inside, missing parts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from orchestration.definition import Group, Limits, Stage, Tool, Transition
from orchestration.events import (
    HandoffRequested,
    MessageCompleted,
    RunCompleted,
    RunFailed,
    ToolReturned,
    decode,
    encode,
)
from orchestration.providers.provider import ModelRequest
from orchestration.tools import ToolHandler
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    every,
    only,
    say,
    session_with,
    unchecked_session_with,
    with_tools,
)
from tests.orchestration.topologies import agents, chain, model_of, once, star, with_group

PANEL = Group(agents=("b", "a", "c"))


async def test_a_cancellation_inside_the_model_fails_the_run():
    """Contract D-2: the run itself was not cancelled."""

    def cancelled(request: ModelRequest) -> Any:
        raise asyncio.CancelledError

    events = await say(session_with(PlayedModel(cancelled)), "hi")
    assert only(RunFailed, events).error == "CancelledError"


async def test_a_tool_without_text_does_not_affect_other_tools():
    """Contract H-7: its result becomes JSON."""

    class Odd:
        name = "odd"

        async def run(self, arguments: dict[str, Any], context: object) -> Any:
            return {"found": [1, None]}

    model = PlayedModel([(calling("odd"), calling("look")), ("Done.",)])
    tools = {"odd": Odd(), "look": lambda: "seen"}
    events = await say(session_with(model, with_tools("odd", "look"), tools=tools), "hi")
    results = [one.result.for_model() for one in every(ToolReturned, events)]
    assert sorted(results) == ["seen", '{"found": [1, null]}']


@pytest.mark.parametrize("wrong", ['{"q": NaN}', '{"q": "\\ud800"}', "[" * 5_000])
async def test_arguments_that_cannot_be_stored_are_an_error(wrong: str):
    """Contract H-7 and S-3."""
    call = type(calling("look"))(type(calling("look").call)(id="1", name="look", arguments=wrong))
    model = PlayedModel([(call,), ("Done.",)])
    events = await say(session_with(model, with_tools("look"), tools={"look": len}), "hi")
    assert only(ToolReturned, events).result.error
    assert [decode(encode(event)) for event in events] == events


async def test_a_workflow_names_an_unserved_next_stage():
    """Contract D-2: the human does not get the conversation."""
    definition = chain("a", "b")
    stages = (definition.stages[0], Stage(phase="at-b"))
    session = unchecked_session_with(model_of({}), definition.model_copy(update={"stages": stages}))
    assert "at-b" in only(RunFailed, await say(session, "hi")).message
    assert not session.state.with_human


async def test_a_workflow_continues_after_an_answered_question():
    """Contract T-10 and H-3."""

    async def later(request: object) -> None:
        return None

    definition = chain("a", "b", tools=[Tool(name="ask", kind="user_input")])
    both = (*agents("a"), *agents("b", tools=("ask",)))
    definition = definition.model_copy(update={"agents": both})
    model = model_of({"b": once(calling("ask", question="Sure?"))})
    session = session_with(model, definition, ask_user=later)
    await say(session, "hi")
    events = await say(session, "Yes")
    assert [one.agent_id for one in every(MessageCompleted, events)] == ["b"]


async def test_an_answer_that_names_a_peer_of_two_stages_is_an_answer():
    """Contract H-4: the target is ambiguous."""
    definition = star("a", "b", topology="swarm")
    stages = (*definition.stages, Stage(phase="also-b", agent_id="b"))
    ways = (*definition.transitions, Transition(source="at-a", target="also-b", kind="return"))
    definition = definition.model_copy(update={"stages": stages, "transitions": ways})
    events = await say(session_with(model_of({"a": lambda r: ("b",)}), definition), "hi")
    assert not every(HandoffRequested, events)
    assert only(RunCompleted, events).reason == "replied"


async def test_a_group_does_not_start_beyond_the_limit_of_turns():
    """Contract T-4."""
    definition = with_group(PANEL, entry="panel", transitions=[], limits=Limits(max_turns=2))
    model = model_of({})
    events = await say(session_with(model, definition), "hi")
    assert every(RunCompleted, events)[-1].reason == "turn_limit"
    assert model.requests == []


async def test_a_tool_that_ignores_cancellation_does_not_block_the_run():
    """Contract H-7: after a grace period."""
    freed = asyncio.Event()

    async def stubborn() -> str:
        while not freed.is_set():
            try:
                await freed.wait()
            except asyncio.CancelledError:
                continue
        return "late"

    tools = ToolHandler(tools={"stubborn": stubborn}, timeout=0.01, grace=0.01)
    (result,) = await tools.run([calling("stubborn", call_id="1").call])
    assert "did not answer within" in (result.error or "")
    freed.set()
    await asyncio.gather(*asyncio.all_tasks() - {asyncio.current_task()})

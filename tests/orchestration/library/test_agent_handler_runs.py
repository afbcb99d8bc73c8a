"""How a handler's run ends, when it stops, and what it may be given."""

from contextlib import aclosing

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration import (
    AgentSpec,
    HandlerError,
    InboundMessage,
    MemoryJournal,
    Message,
    Session,
    SwarmMode,
    Usage,
)
from orchestration.definition import Tool
from orchestration.events import Event, InputRequested, RunCompleted, TurnStarted
from orchestration.exceptions import ProviderError
from orchestration.messages import ToolCall
from orchestration.runtime import RunResult
from orchestration.tools import user_input_tool
from tests.orchestration.conversations import NOON, Turn, calling, every, types
from tests.orchestration.library_agents import NAMES, handler, never_asked, results_of, said, to
from tests.orchestration.topologies import Play, chain, model_of, once

# Ends


async def test_a_run_that_fails_says_so_and_raises():
    """Contract D-2: the last result has the reason."""

    def away(request: object) -> Turn:
        raise ProviderError("The model is away.")

    results = handler("workflow", {"b": away}).handle("hi")
    assert (await anext(results)).agent == "a"
    last = await anext(results)
    assert (last.agent, last.reason, last.error) == ("a", "failed", "The model is away.")
    with pytest.raises(HandlerError, match="The model is away"):
        await anext(results)


@pytest.mark.parametrize("mode", list(SwarmMode))
async def test_usage_adds_up(mode):
    """Contract D-6: what the results took is what the run took."""
    journal = MemoryJournal()
    handing: dict[str, Play] = {"a": to("b"), "b": to("c")}
    plays = {"team": {"a": once(calling("delegate_to_b", task="x"))}, "workflow": {}}
    results = await results_of(handler(mode, plays.get(mode, handing)), journal=journal)
    total = sum((result.usage for result in results), Usage())
    assert total == every(RunCompleted, journal.events)[-1].usage
    assert total.calls == 3


async def test_a_subtask_is_part_of_what_its_agent_took():
    """Contract D-6."""
    look = Tool(name="look", kind="subtask", pipeline="Looking")
    agents = {"a": AgentSpec(tools=[look])}
    journal = MemoryJournal()
    (result,) = await results_of(
        handler("workflow", {"a": once(calling("look", what="this"))}, agents=agents),
        pipelines=lambda request: chain("b"),
        journal=journal,
    )
    assert result.output == "a says: b(this)"
    assert result.usage == every(RunCompleted, journal.events)[-1].usage
    assert result.usage.calls == 3


async def test_the_turns_of_an_agent_that_never_ends_are_counted_and_told():
    """Contract D-2."""

    def look() -> str:
        return "nothing"

    made = handler(
        "workflow", {"a": lambda _: (calling("look"),)}, agents={"a": AgentSpec(tools=[look])}
    )
    (result,) = await results_of(made)
    assert result.reason == "turn_limit"
    assert result.usage.calls > 0


async def test_who_asks_the_user_may_wait_for_the_answer():
    """Contract D-2 and T-10: `ask_user` may answer at once, or the next message does."""

    async def later(request: InputRequested) -> None:
        assert request.question == "Which order?"

    async def at_once(request: InputRequested) -> str:
        return "Order 7"

    agents = {"a": AgentSpec(tools=[user_input_tool()])}
    made = handler(
        "handoff", {"a": once(calling("ask_user", question="Which order?"))}, agents=agents
    )
    (answered,) = await results_of(made, ask_user=at_once)
    assert answered.output == "a says: Order 7"

    journal = MemoryJournal()
    (waiting,) = await results_of(made, session_id="s1", ask_user=later, journal=journal)
    assert (waiting.agent, waiting.reason) == ("a", "waiting_for_user")
    (result,) = await results_of(
        made, "Order 8", session_id="s1", message_id="2", events=journal.events
    )
    assert result.output == "a says: Order 8"


async def test_who_stops_listening_stops_the_run():
    """Contract D-2: the journal says that it was cancelled."""
    journal, model = MemoryJournal(), model_of({})
    results = handler("workflow", provider=model).handle("hi", journal=journal)
    async with aclosing(results):
        await anext(results)
    assert every(RunCompleted, journal.events)[0].reason == "cancelled"
    assert len(model.requests) == 1


# The stop conditions


@pytest.mark.parametrize("mode", list(SwarmMode))
async def test_the_loop_goes_on_exactly_where_the_stop_condition_says_so(mode):
    """Contract H-6: of every result but the last it says no, of the last it says yes."""
    plays = {"team": {"a": once(calling("delegate_to_b", task="x"))}, "workflow": {}}
    handing: dict[str, Play] = {"a": to("b"), "b": lambda _: ("c",)}
    made = handler(mode, plays.get(mode, handing))
    results = await results_of(made)
    assert len(results) > 1
    asked = {
        "workflow": lambda result: made._check_workflow_stop(result.agent),
        "handoff": lambda result: made._check_handoff_stop(result, made.agents[result.agent]),
        "team": lambda result: made._check_team_stop(result.agent),
    }[mode]
    for _ in range(2):  # pure: asked again, the same
        assert [asked(result) for result in results] == [False] * (len(results) - 1) + [True]


def test_a_workflow_stops_after_the_last_in_its_order():
    """Contract H-6."""
    made = handler("workflow", flow_order=["c", "a"])
    stops = {name: made._check_workflow_stop(name) for name in ("c", "a")}
    assert stops == {"c": False, "a": True}


def test_a_handoff_is_a_call_of_the_tool_or_a_targets_name():
    """Contract H-6."""
    made = handler("handoff")
    agent = made.agents["a"]

    def stops(output: str = "", *calls: str) -> bool:
        made_calls = tuple(ToolCall(id=name, name=name) for name in calls)
        result = RunResult(agent="a", output=output, tool_calls=made_calls)
        return made._check_handoff_stop(result, agent)

    assert stops("Done.")
    assert stops("Done.", "look")
    assert not stops("Done.", "look", "handoff")
    assert not stops(" b ")
    assert stops("a")


def test_a_team_stops_when_its_lead_has_answered():
    """Contract H-6."""
    made = handler("team", flow_order=["b"])
    assert [made._check_team_stop(name) for name in NAMES] == [False, True, False]


# Context


async def test_what_was_said_before_is_known():
    """`messages` in a run of its own."""
    before = [
        Message(role="user", text="My name is Ada.", at=NOON),
        Message(role="assistant", text="Hello, Ada.", at=NOON, agent_id="a"),
    ]
    model = model_of({})
    await results_of(handler("handoff", provider=model), messages=before)
    assert model.seen == [["My name is Ada.", "Hello, Ada.", "hi"]]


async def test_a_conversation_goes_on_with_whoever_has_it():
    """`state`, or what is recorded under the same session id."""
    made = handler("handoff", {"a": to("b")})
    journal = MemoryJournal()
    await results_of(made, session_id="s1", journal=journal)
    following = await results_of(
        made, "and?", session_id="s1", message_id="2", events=journal.events, journal=journal
    )
    assert said(following) == [("b", "b(and?)")]
    session = Session(made.definition, journal.events, session_id="s1", providers={})
    assert [message.text for message in session.history if message.role == "user"] == ["hi", "and?"]
    assert said(await results_of(made, state=session.state)) == [("b", "b(hi)")]


async def test_what_nobody_knows_is_let_pass():
    """Contract H-1: additional context."""
    assert len(await results_of(handler("workflow"), colour="blue")) == 3


@given(st.data())
async def test_a_recorded_run_comes_again_and_only_the_rest_is_done(data):
    """Contract S-7, for every prefix of what is recorded."""
    plays = {"a": to("b"), "b": once(calling("handoff", target="c"))}
    journal = MemoryJournal()
    whole = await results_of(handler("handoff", plays), session_id="s1", journal=journal)
    cut = data.draw(st.integers(0, len(journal.events)))
    recorded: list[Event] = journal.events[:cut]
    model = never_asked() if cut == len(journal.events) else model_of(plays)
    again = MemoryJournal(recorded)
    results = await results_of(
        handler("handoff", provider=model), session_id="s1", events=recorded, journal=again
    )
    assert [(r.agent, r.output, r.reason) for r in results] == [
        (r.agent, r.output, r.reason) for r in whole
    ]
    assert types(again.events) == types(journal.events)
    begun = len(every(TurnStarted, recorded))
    ended = types(recorded).count("message.completed")
    assert len(model.requests) == 3 - ended
    assert begun - ended in (0, 1)


async def test_a_message_that_was_answered_is_not_answered_twice():
    """Contract S-7: whatever came after it."""
    made = handler("workflow")
    journal = MemoryJournal()
    first = await results_of(made, "one", session_id="s1", message_id="1", journal=journal)
    await results_of(
        made, "two", session_id="s1", message_id="2", events=journal.events, journal=journal
    )
    again = await results_of(
        handler("workflow", provider=never_asked()),
        "one",
        session_id="s1",
        message_id="1",
        events=journal.events,
    )
    assert said(again) == said(first)


async def test_a_replay_leaves_what_is_under_way_alone():
    """Contract S-7: an earlier message comes again, and nothing else is done."""
    journal = MemoryJournal()
    first = await results_of(handler("workflow"), session_id="s1", message_id="1", journal=journal)
    made = handler("workflow", provider=never_asked())
    again = made.handle(
        "hi", session_id="s1", message_id="1", events=[*journal.events, *begun(journal.events)]
    )
    assert said([result async for result in again]) == said(first)


def begun(recorded: list[Event]) -> list[Event]:
    """What is recorded of another run that was cut off at once."""
    message = InboundMessage(id="2", text="and?")
    started = msgspec.structs.replace(
        recorded[0], seq=len(recorded) + 1, run_id="run-2", message=message
    )
    return [started]

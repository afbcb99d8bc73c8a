"""Peers that pass the conversation to each other."""

import asyncio
import inspect
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from orchestration import (
    Agent,
    AgentSpec,
    Handoff,
    MemoryJournal,
    SessionError,
    StopReason,
    Swarm,
    Usage,
)
from orchestration.events import (
    CycleDetected,
    Event,
    HandoffAccepted,
    HandoffRejected,
    LimitReached,
    MessageCompleted,
    RunCompleted,
    ToolCalled,
    ToolReturned,
    dump,
)
from orchestration.exceptions import ProviderError
from orchestration.hooks import Hooks, HookTrigger
from orchestration.results import RunResult
from tests.orchestration.conversations import NOON, PlayedModel, Turn, calling, every, only, types
from tests.orchestration.topologies import Play, model_of, once


def swarm(
    plays: Mapping[str, Play] | None = None, names: Any = ("a", "b", "c"), tools=(), **fields
) -> Swarm:
    """Peers of these names, played so; those that are not played echo what they are told."""
    fields.setdefault("agents", {name: AgentSpec(tools=tools) for name in names})
    fields.setdefault("provider", model_of(plays or {}))
    fields.setdefault("entry_agent", next(iter(fields["agents"]), "a"))
    return Swarm(**fields)


async def run(made: Swarm, prompt: str = "hi", **context) -> tuple[list[Event], RunResult]:
    """The recorded events of a run, and its result."""
    running = made.run(prompt, **context)
    events = [event async for event in running if event.type != "message.delta"]
    return events, running.result


def to(target: str, **arguments: str) -> Play:
    """Hands over to this one at once."""
    return lambda request: (calling("handoff", target=target, **arguments),)


def round_the(names: str) -> dict[str, Play]:
    """Each hands over to the next, and the last to the first."""
    return {name: to(names[(at + 1) % len(names)]) for at, name in enumerate(names)}


# Construction


def test_everything_is_given_by_name():
    """S-1."""
    parameters = inspect.signature(Swarm).parameters.values()
    assert {one.kind for one in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    usual = {one.name: one.default for one in parameters if one.default is not one.empty}
    assert usual | {"provider": None, "tools": ()} == {
        "max_handoffs": 8,
        "detect_cycles": True,
        "pass_full_history": True,
        "handoff_tool_name": "handoff",
        "limit_counts": "completed",
        "provider": None,
        "tools": (),
    }
    assert Swarm.name == "swarm"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"entry_agent": "d"}, "entry agent 'd' is no agent here. There are: 'a', 'b', 'c'"),
        ({"names": ()}, "entry agent 'a' is no agent here. There are: none"),
        ({"max_handoffs": -1}, "max_handoffs: .*greater than or equal to 0"),
        ({"handoff_tool_name": "hand over"}, "handoff_tool_name: .*pattern"),
        ({"limit_counts": "all"}, "'completed' or 'requested'"),
        ({"agents": {"a": AgentSpec(handoffs=["d"])}}, "'a' hands over to 'd'"),
        ({"agents": {"a": Handoff("b")}}, "'a' is a Handoff to a name, 'b'"),
        ({"agents": {"": AgentSpec()}}, "'' is no name"),
        (
            {"agents": {"a": AgentSpec(), "b": Handoff(AgentSpec(), tool_name="go!")}},
            "handoff to 'b' cannot be: tool_name",
        ),
    ],
)
def test_bad_arguments_are_refused_with_the_culprit(fields, why):
    """S-1."""
    with pytest.raises(ValueError, match=why):
        swarm(**fields)


def test_an_agents_own_tool_does_not_hide_the_one_for_handing_over():
    """S-1: whatever that is called."""

    def pass_on() -> str:
        return ""

    swarm(tools=[pass_on])
    with pytest.raises(ValueError, match="'a' would have two tools called 'pass_on'"):
        swarm(tools=[pass_on], handoff_tool_name="pass_on")


def test_the_workers_are_the_peers_without_their_handoffs():
    """S-1."""
    a, b = AgentSpec(), Agent(id="b", name="B")
    made = swarm(agents={"a": a, "b": Handoff(b, description="Bills.")}, entry_agent="a")
    assert made.declared_workers() == {"a": a, "b": b}


# Plain peers


async def test_plain_peers_share_one_tool_that_names_them():
    """S-2."""
    model = model_of({})
    await run(swarm(provider=model, handoff_tool_name="pass_on"))
    (tool,) = model.requests[0].tools
    assert tool.name == "pass_on"
    properties = tool.parameters["properties"]
    assert properties["target"]["enum"] == ["b", "c"]
    assert set(properties) == {"target", "message"}
    assert tool.parameters["required"] == ["target"]


async def test_a_target_may_be_told_something():
    """S-2 and decision 3."""
    model = model_of({"a": to("b", message="Order 7 is late.")})
    await run(swarm(provider=model), "Where is my order?")
    assert model.seen[-1][0] == "[Context from previous agent (a)]: Order 7 is late."
    assert "Where is my order?" in model.seen[-1]


async def test_an_unknown_target_is_an_error_that_names_the_known_ones():
    """S-2: the model can correct it."""
    model = model_of({"a": once(calling("handoff", target="d"))})
    events, result = await run(swarm(provider=model))
    assert only(HandoffRejected, events).allowed == ("b", "c")
    assert "There is no agent 'd' here. You can hand over to: b, c." in model.seen[-1][-1]
    assert (result.agent, result.reason) == ("a", "replied")


async def test_a_peer_hands_over_neither_to_itself_nor_to_the_human():
    """S-2: nor by what is no JSON."""
    for call in (to("a"), to("human")):
        events, result = await run(swarm({"a": once(*call(None))}))  # type: ignore[arg-type]
        assert only(HandoffRejected, events).allowed == ("b", "c")
        assert (result.reason, result.handoffs) == ("replied", ())


async def test_of_several_handoffs_in_one_turn_the_first_valid_one_wins():
    """Decision 4: and every call has a result."""
    calls = [calling("handoff", call_id=str(n), target=to) for n, to in enumerate("dbbc")]
    events, result = await run(swarm({"a": once(*calls)}))
    assert [(one.from_agent, one.to_agent) for one in result.handoffs] == [("a", "b")]
    answered = {
        event.result.call_id if isinstance(event, ToolReturned) else event.call_id
        for event in events
        if isinstance(event, ToolReturned | HandoffAccepted | HandoffRejected)
    }
    assert answered == {"0", "1", "2", "3"}


async def test_peers_may_name_whom_they_hand_over_to():
    """S-2."""
    model = model_of({"a": to("b")})
    agents = {"a": AgentSpec(handoffs=["b"]), "b": AgentSpec(handoffs=[]), "c": AgentSpec()}
    await run(swarm(agents=agents, provider=model))
    first, last = model.requests
    assert first.tools[0].parameters["properties"]["target"]["enum"] == ["b"]
    assert last.tools == ()


async def test_a_peers_instructions_or_its_handoff_say_when_to_take_it():
    """S-3: a description without a model of what is told."""
    model = model_of({})
    agents = {
        "a": AgentSpec(),
        "b": Handoff(AgentSpec(instructions="You bill."), description="For refunds."),
        "c": AgentSpec(instructions="You ship. Always."),
    }
    await run(swarm(agents=agents, provider=model))
    (tool,) = model.requests[0].tools
    assert tool.description.splitlines()[-2:] == ["- b: For refunds.", "- c: You ship."]


# Typed peers


class Line(BaseModel):
    sku: str
    pieces: int


class Refund(BaseModel):
    order: int
    lines: list[Line]


def typed(plays: Mapping[str, Play], **fields: Any) -> Swarm:
    agents = {"a": AgentSpec(), "b": Handoff(AgentSpec(), input_type=Refund), "c": AgentSpec()}
    return swarm(plays, agents=agents, entry_agent="a", **fields)


async def test_a_typed_peer_has_a_tool_of_its_own_with_its_models_schema():
    """S-3: nested models included."""
    model = model_of({})
    await run(typed({}, provider=model))
    shared, own = model.requests[0].tools
    assert shared.parameters["properties"]["target"]["enum"] == ["c"]
    assert own.name == "transfer_to_b"
    assert own.parameters == Refund.model_json_schema()
    assert own.parameters["$defs"]["Line"]["required"] == ["sku", "pieces"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": "seven", "lines": []},
        {"order": 7},
        {"order": 7, "lines": [{"sku": "x", "pieces": "many"}]},
        {"order": 7, "lines": [{"sku": "x"}]},
    ],
)
async def test_an_invalid_payload_goes_back_to_be_corrected(wrong):
    """S-3."""
    right = {"order": 7, "lines": [{"sku": "x", "pieces": 2}]}

    def play(request: Any) -> Turn:
        corrected = request.messages[-1].role == "tool"
        return (calling("transfer_to_b", **(right if corrected else wrong)),)

    events, result = await run(typed({"a": play}))
    error = only(ToolReturned, events).result.error
    assert error is not None
    assert error.startswith("The arguments of transfer_to_b are wrong: ")
    assert result.handoffs[0].payload == right
    assert only(HandoffAccepted, events).payload == right
    assert result.agent == "b"


@pytest.mark.parametrize("play", [to("b"), lambda request: ("b",)])
async def test_a_typed_peer_is_not_reached_without_what_it_needs_to_know(play):
    """S-3: not by the other tool, not by its name."""
    events, result = await run(typed({"a": lambda r: play(r) if len(r.messages) == 1 else ("Ok",)}))
    assert "call transfer_to_b" in only(HandoffRejected, events).why
    assert (result.agent, result.handoffs) == ("a", ())


# Cycles and limits


@pytest.mark.parametrize("names", ["ab", "abc"])
async def test_handoffs_that_go_in_a_circle_end_the_run_with_the_loop(names):
    """S-5: A→B→A→B, and longer ones."""
    events, result = await run(swarm(round_the(names), max_handoffs=100))
    assert result.reason == "cycle"
    assert result.loop == only(CycleDetected, events).loop == tuple(names)
    assert len(result.handoffs) == 2 * len(names) - 2
    assert only(HandoffRejected, events).code == "cycle"


async def test_the_loop_has_the_callers_names():
    """S-5."""
    plays = {"http-agent": to("billing-agent"), "billing-agent": to("http-agent")}
    _, result = await run(swarm(plays, names=("HTTPAgent", "billing agent")))
    assert result.loop == ("HTTPAgent", "billing agent")
    assert result.handoffs[0].to_agent == "billing agent"


async def test_a_way_back_is_no_circle():
    """S-5: A→B→A."""

    def ask_b(request: Any) -> Turn:
        return ("Done.",) if len(request.messages) > 1 else (calling("handoff", target="b"),)

    _, result = await run(swarm({"a": ask_b, "b": to("a")}))
    assert (result.agent, result.reason, len(result.handoffs)) == ("a", "replied", 2)


async def test_without_the_detection_the_limit_ends_it():
    """S-5 and decision 1."""
    _, result = await run(swarm(round_the("ab"), detect_cycles=False))
    assert (result.reason, len(result.handoffs), result.loop) == ("handoff_limit", 8, ())


@pytest.mark.parametrize("limit", [0, 1, 2])
@pytest.mark.parametrize("counts", ["completed", "requested"])
async def test_so_many_handoffs_may_be_completed(limit, counts):
    """Decision 1."""
    made = swarm(round_the("abc"), max_handoffs=limit, limit_counts=counts)
    events, result = await run(made)
    completed = limit if counts == "completed" else max(0, limit - 1)
    assert (result.reason, len(result.handoffs)) == ("handoff_limit", completed)
    assert result.agent == "abc"[completed]
    assert only(HandoffRejected, events).code == "limit"
    reached = only(LimitReached, events)
    assert (reached.resource, reached.limit) == ("handoffs", limit)


# What a peer is shown


@pytest.mark.parametrize("full", [True, False])
async def test_the_users_question_is_passed_on_always(full):
    """S-6."""
    model = model_of({"a": once("Let me see.", *to("b", message="Late.")(None))})  # type: ignore[arg-type]
    await run(swarm(provider=model, pass_full_history=full), "Where is my order?")
    shown = model.seen[-1]
    assert "Where is my order?" in shown
    assert ("[a]: Let me see." in shown) is full
    assert shown[0].endswith(": Late.")


# Session ids and replays


async def test_every_turn_has_a_session_id_of_its_own():
    """S-7."""
    made = swarm({"a": to("b"), "b": to("c")})
    events, _ = await run(made, session_id="s1")
    turns = [one.session_id for one in every(MessageCompleted, events)]
    assert turns == ["s1__swarm_a_0", "s1__swarm_b_1", "s1__swarm_c_2"]
    assert events[0].session_id == events[-1].session_id == "s1"
    again, _ = await run(made, session_id="s1")
    assert [one.session_id for one in again] == [one.session_id for one in events]


class Counting:
    """A model and a tool that count how often they are called."""

    def __init__(self) -> None:
        self.model = model_of(
            {
                "a": once(calling("look", order=1), calling("look", order=2)),
                "b": lambda request: ("c",),
            }
        )
        self.model._turns = self._turn(self.model._turns)
        self.looks: list[int] = []

    def _turn(self, inner: Any) -> Any:
        def turn(request: Any) -> Turn:
            if request.agent.id == "a" and request.messages[-1].role == "tool":
                return (calling("handoff", target="b"),)
            answer: Turn = inner(request)
            return answer

        return turn

    def swarm(self) -> Swarm:
        def look(order: int) -> str:
            self.looks.append(order)
            return f"order {order}"

        return swarm(tools=[look], provider=self.model)


def seen(events: list[Event]) -> list[Any]:
    """The events, but for when they were and how long they took."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: timeless(one)
                for key, one in value.items()
                if key not in ("at", "milliseconds")
            }
        return [timeless(one) for one in value] if isinstance(value, list) else value

    return [timeless(dump(event)) for event in events]


@given(st.data())
async def test_a_replay_calls_no_provider_and_no_tool_twice(data):
    """S-7, for every prefix of what a journal has kept."""
    journal, first = MemoryJournal(), Counting()
    context: Any = {"session_id": "s1", "new_id": lambda: "run", "clock": lambda: NOON}
    events, result = await run(first.swarm(), journal=journal, **context)
    assert (result.agent, len(first.model.requests), sorted(first.looks)) == ("c", 4, [1, 2])
    assert seen(journal.events) == seen(events)

    kept = journal.events[: data.draw(st.integers(0, len(events)))]
    second, again = Counting(), MemoryJournal(kept)
    replayed, same = await run(second.swarm(), events=kept, journal=again, **context)
    assert seen(replayed) == seen(events) == seen(again.events)
    assert (same.agent, same.output, same.handoffs) == (
        result.agent,
        result.output,
        result.handoffs,
    )
    assert len(second.model.requests) == 4 - types(kept).count("message.completed")
    done = {one.result.call_id for one in every(ToolReturned, kept)}
    called = {one.call.id: one.call for one in every(ToolCalled, events)}
    assert len(second.looks) == len(called) - len(done)


async def test_a_finished_run_needs_no_provider_at_all():
    """S-7."""
    journal = MemoryJournal()
    _, result = await run(swarm({"a": to("b")}), session_id="s1", journal=journal)
    nobody = PlayedModel(lambda request: pytest.fail("a finished turn was run again"))
    _, again = await run(swarm(provider=nobody), session_id="s1", events=journal.events)
    assert again == result


async def test_a_session_goes_on_with_another_message():
    """S-7: with whoever has the conversation; the count of handoffs goes on."""
    journal, made = MemoryJournal(), swarm({"a": to("b")})
    await run(made, session_id="s1", journal=journal)
    events, result = await run(
        made, "and?", session_id="s1", message_id="2", events=journal.events, journal=journal
    )
    assert (result.agent, result.output) == ("b", "b(and?)")
    assert only(MessageCompleted, events).session_id == "s1__swarm_b_1"
    assert [one.seq for one in journal.events] == list(range(1, len(journal.events) + 1))


# Events


async def test_the_events_come_in_order():
    """S-8: started, active, handoff, completed."""
    events, _ = await run(typed({"a": lambda r: (calling("transfer_to_b", order=7, lines=[]),)}))
    assert types(events) == [
        "run.started",
        "message.received",
        "message.routed",
        "turn.started",
        "message.completed",
        "handoff.requested",
        "handoff.accepted",
        "phase.changed",
        "turn.started",
        "message.completed",
        "run.completed",
    ]
    active = [one.agent_id for one in events if one.type in ("message.routed", "phase.changed")]
    assert active == ["a", "b"]
    handoff = only(HandoffAccepted, events)
    assert (handoff.from_agent, handoff.to_agent) == ("a", "b")
    assert (handoff.payload, handoff.hop) == ({"order": 7, "lines": []}, 1)


@pytest.mark.parametrize(
    ("fields", "before_the_end"),
    [({}, "cycle.detected"), ({"max_handoffs": 1}, "limit.reached")],
)
async def test_a_circle_or_a_limit_is_told_before_the_end(fields, before_the_end):
    """S-8."""
    events, _ = await run(swarm(round_the("ab"), **fields))
    assert types(events)[-3:] == ["handoff.rejected", before_the_end, "run.completed"]


async def test_usage_adds_up():
    """Decision 6."""
    events, result = await run(Counting().swarm())
    total = sum((one.usage for one in every(MessageCompleted, events)), Usage())
    assert result.usage == only(RunCompleted, events).usage == total
    assert result.usage.calls == 4


async def test_hooks_hear_of_handoffs():
    """S-8: a listener of the caller's own."""
    heard = []
    hooks = Hooks()
    hooks.on(HookTrigger.ON_HANDOFF)(lambda event, context: heard.append(event.to_agent))
    await run(swarm({"a": to("b")}), hooks=hooks)
    assert heard == ["b"]


# Ends


async def test_a_run_can_be_awaited_for_its_result():
    result = await swarm({"a": to("b")}).run("hi")
    assert (result.agent, result.reason) == ("b", StopReason.REPLIED)


async def test_a_run_has_no_result_before_its_end():
    running = swarm().run("hi")
    await anext(running)
    with pytest.raises(SessionError, match="has not ended"):
        _ = running.result
    await running.aclose()


async def test_a_model_that_fails_is_a_result_that_says_so():
    """Decision 2: events end with run.failed, and awaiting raises nothing."""

    def away(request: object) -> Turn:
        raise ProviderError("away")

    events, result = await run(swarm({"a": to("b"), "b": away}))
    assert types(events)[-1] == "run.failed"
    assert (result.agent, result.reason, result.error) == ("a", "failed", "away")


async def test_who_stops_listening_stops_the_run():
    """Decision 2: the journal says that it was cancelled."""
    journal = MemoryJournal()
    async with aclosing(swarm({"a": to("b")}).run("hi", journal=journal)) as running:
        async for event in running:
            if event.type == "handoff.accepted":
                break
    assert only(RunCompleted, journal.events).reason == "cancelled"


async def test_a_run_that_is_cancelled_ends_in_the_journal_too():
    """Decision 2."""
    asked = asyncio.Event()

    async def hang() -> str:
        asked.set()
        await asyncio.Event().wait()
        return "never"

    journal = MemoryJournal()
    made = swarm({"a": lambda _: (calling("hang"),)}, tools=[hang])

    async def drive() -> RunResult:
        return await made.run("hi", journal=journal)

    task = asyncio.create_task(drive())
    await asyncio.wait_for(asked.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert only(RunCompleted, journal.events).reason == "cancelled"

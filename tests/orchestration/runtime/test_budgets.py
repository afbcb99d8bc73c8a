"""Budgets hold in every topology, whatever the models do (contract D-9)."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from itertools import pairwise
from typing import Any

from orchestration.conversation import BUDGET_RESOURCES
from orchestration.definition import (
    SUPERVISION_POINTS,
    Agent,
    Group,
    Limits,
    PipelineDefinition,
    Stage,
    Supervision,
    Tool,
    Transition,
)
from orchestration.events import (
    Event,
    LimitReached,
    RunCompleted,
    RunFailed,
    StopReason,
    TurnRetried,
    TurnStarted,
)
from orchestration.messages import InboundMessage, ToolCall
from orchestration.providers.provider import (
    CallPiece,
    Finished,
    ModelRequest,
    Piece,
    Retry,
    TextPiece,
)
from orchestration.runtime import Session
from orchestration.tools import user_input_tool
from orchestration.validation import errors, validate
from tests.orchestration.conversations import NOON, collect, every

GRAPHS = 1_000

RETRY = Retry(attempt=1, of=9, error="ProviderError", message="Busy.", wait=0.0)

Behaviour = Callable[[random.Random, ModelRequest], Iterator[Piece]]


def _call(name: str, arguments: object) -> CallPiece:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return CallPiece(ToolCall(id="", name=name, arguments=text))


def _arguments(request: ModelRequest, name: str, number: int) -> object:
    tool = next(tool for tool in request.tools if tool.name == name)
    if tool.kind in ("handoff", "transfer"):
        target = tool.options[number % len(tool.options)].target if tool.options else "nobody"
        return {"target": target, "reason": "because", "summary": "so far"}
    return {"task": f"task {number}", "question": "Which?", "text": f"again {number}"}


def always_a_tool(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Call any available tool."""
    names = [tool.name for tool in request.tools] or ["nothing"]
    name = chance.choice(names)
    known = request.tools and _arguments(request, name, chance.randrange(99))
    yield _call(name, known or {})


def always_a_handoff(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Hand over, or delegate."""
    handoffs = [tool for tool in request.tools if tool.kind in ("handoff", "transfer", "delegate")]
    name = chance.choice(handoffs).name if handoffs else "handoff_conversation"
    known = handoffs and _arguments(request, name, chance.randrange(99))
    yield _call(name, known or {"target": "human", "reason": "because", "summary": ""})


def all_at_once(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Call every tool several times in one turn."""
    yield TextPiece("All of them.")
    for number in range(2):
        for tool in request.tools:
            yield _call(tool.name, _arguments(request, tool.name, number))
    yield _call("nothing", {})


def unknown_targets(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Hand over to agents that do not exist."""
    yield _call("handoff_conversation", {"target": "nobody", "reason": "", "summary": ""})
    yield _call("transfer_to_nobody", {})


def itself(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Start the own pipeline as a subtask, each time with another input."""
    names = [tool.name for tool in request.tools if tool.kind in ("subtask", "delegate")]
    for name in names or ["nothing"]:
        yield _call(name, {"task": f"{chance.random()}", "text": f"{chance.random()}"})


def garbage(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Send arguments that are not JSON, or no object."""
    for tool in request.tools:
        yield _call(tool.name, chance.choice(["{", "[1]", "null", '{"target": 7}', "\\ud800"]))
    yield _call("", "}")


def endless_text(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Never stop the answer."""
    while True:
        yield TextPiece("more " * 50_000)


def an_answer(chance: random.Random, request: ModelRequest) -> Iterator[Piece]:
    """Answer, so that workflows and groups continue."""
    yield TextPiece("Done.")


ADVERSARIES: tuple[Behaviour, ...] = (
    always_a_tool,
    always_a_handoff,
    all_at_once,
    unknown_targets,
    itself,
    garbage,
    endless_text,
    an_answer,
)


class AdversarialModel:
    """A model that counts its calls and misbehaves by chance."""

    name = "adversary"

    def __init__(self, chance: random.Random, behaviours: tuple[Behaviour, ...]) -> None:
        self.chance, self.behaviours, self.calls = chance, behaviours, 0

    def model_of(self, request: ModelRequest) -> str:
        return "adversary"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        self.calls += 1
        while self.chance.random() < 0.1:
            yield RETRY
            self.calls += 1
        await asyncio.sleep(0)
        for piece in self.chance.choice(self.behaviours)(self.chance, request):
            yield piece
        yield Finished(10, 5)


def adversarial_graph(chance: random.Random) -> PipelineDefinition:
    """Return a random pipeline whose only effective limit is its budget."""
    while True:
        definition = _graph(chance)
        if not any(errors(validate(definition))):
            return definition


def _graph(chance: random.Random) -> PipelineDefinition:
    topology = chance.choice(["pipeline", "workflow", "team", "swarm"])
    names = [f"a{number}" for number in range(chance.randint(1, 4))]
    tools = (
        Tool(name="look"),
        Tool(name="again", kind="subtask", pipeline="Again", description="Start again."),
        user_input_tool(),
    )
    agents = [
        Agent(
            id=name, name=name.title(), tools=[each.name for each in tools if chance.random() < 0.5]
        )
        for name in names
    ]
    stages = [Stage(phase=f"at-{name}", agent_id=name) for name in names]
    transitions = _transitions(chance, topology, [stage.phase for stage in stages])
    if topology in ("pipeline", "workflow") and len(names) > 1 and chance.random() < 0.5:
        group = Group(agents=names[1:], parallel=chance.random() < 0.7)
        stages = [stages[0], Stage(phase="panel", kind="group", group=group)]
        transitions = [Transition(source=stages[0].phase, target="panel")]
        if topology == "pipeline":
            transitions += [Transition(source="panel", target=stages[0].phase)]
    budget: dict[str, Any] = {"max_calls": chance.randint(1, 40)}
    if chance.random() < 0.2:
        budget["max_tokens"] = chance.randint(1, 400)
    if chance.random() < 0.1:
        budget["max_cost"] = chance.randint(1, 10)
    limits = Limits(max_turns=1_000, max_handoffs=1_000, detect_cycles=False, **budget)
    supervised: dict[str, Any] = {}
    if chance.random() < 0.3:
        agents.append(Agent(id="watcher", name="Watcher"))
        supervised["supervisor_id"] = "watcher"
        supervised["supervision"] = Supervision(
            ask_at=chance.sample(SUPERVISION_POINTS, 2), may=("note", "redirect", "escalate")
        )
    return PipelineDefinition(
        name="Again",
        topology=topology,
        agents=agents,
        **supervised,
        stages=stages,
        transitions=transitions,
        tools=tools,
        entry=stages[0].phase,
        limits=limits,
    )


def _transitions(chance: random.Random, topology: str, phases: list[str]) -> list[Transition]:
    first, *others = phases
    if topology == "team":
        return [Transition(source=first, target=other, kind="return") for other in others]
    if topology == "workflow":
        return [Transition(source=one, target=two) for one, two in pairwise(phases)]
    return [
        Transition(source=source, target=target, kind="return")
        for source in phases
        for target in phases
        if source != target and chance.random() < 0.8
    ]


async def test_every_adversarial_graph_stops_within_its_budget():
    """Contract D-9: exact to the call, in all topologies, with parallel conversations."""
    reasons: Counter[StopReason] = Counter()
    for seed in range(GRAPHS):
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        definition = adversarial_graph(chance)
        kinds = chance.choices(ADVERSARIES, weights=(3, 3, 3, 3, 3, 3, 1, 2), k=3)
        model = AdversarialModel(chance, tuple(kinds))
        session = _session(definition, model)
        events = await collect(session.receive(InboundMessage(id="1", text="Hi")))
        _check_budget(seed, session, model.calls, events)
        end = events[-1]
        reasons[end.reason if isinstance(end, RunCompleted) else StopReason.FAILED] += 1
        again = _session(definition, model, events)
        assert again.metrics() == session.metrics(), seed
        assert again.history == session.history, seed
    assert set(reasons) >= _REACHED
    assert reasons[StopReason.CALL_LIMIT] > GRAPHS / 3


async def test_a_run_that_is_resumed_anywhere_has_one_budget():
    """Contract D-9: recorded calls count, whichever process made them."""
    for seed in range(100):
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        definition = adversarial_graph(chance)
        model = AdversarialModel(chance, (always_a_tool, always_a_handoff, all_at_once, itself))
        whole = await collect(
            _session(definition, model).receive(InboundMessage(id="1", text="Hi"))
        )
        cut = chance.randint(1, len(whole) - 1)
        session = _session(definition, model, whole[:cut])
        events = [*whole[:cut], *await collect(session.resume())]
        _check_budget(seed, session, _started_calls(events), events)


_REACHED = {
    StopReason.CALL_LIMIT,
    StopReason.TOKEN_LIMIT,
    StopReason.COST_LIMIT,
    StopReason.REPLIED,
    StopReason.WAITING_FOR_HUMAN,
}


def _session(
    definition: PipelineDefinition, model: AdversarialModel, events: list[Event] | None = None
) -> Session:
    return Session(
        definition,
        events or (),
        session_id="s1",
        providers={"default": model},
        pipelines=lambda request: definition,
        call_cost=lambda provider, model, usage: float(usage.calls),
        clock=lambda: NOON,
        new_id=lambda: "run",
    )


def _started_calls(events: list[Event]) -> int:
    return len(every(TurnStarted, events)) + len(every(TurnRetried, events))


def _check_budget(seed: int, session: Session, calls: int, events: list[Event]) -> None:
    """Check the calls of a finished run, the events of its end, and the kept messages."""
    limits, end = session.definition.limits, events[-1]
    assert isinstance(end, RunCompleted | RunFailed), seed
    assert end.session_id == "s1", seed
    assert not session.unfinished, seed
    assert calls == _started_calls(events) == session.metrics().calls.used, seed
    assert calls <= limits.max_calls, seed
    assert session.history[0].text == "Hi", seed
    if isinstance(end, RunCompleted) and end.reason == StopReason.CALL_LIMIT:
        assert calls == limits.max_calls, seed
    reached = {one.resource for one in every(LimitReached, events)}
    if isinstance(end, RunCompleted) and end.reason.endswith("_limit"):
        limit = every(LimitReached, events)[-1]
        assert events[-2] is limit, seed
        assert end.reason == f"{limit.resource.removesuffix('s')}_limit", seed
    if reached & BUDGET_RESOURCES:
        started = {one.session_id for one in events if one.type == "run.started"}
        ended = {one.session_id for one in events if isinstance(one, RunCompleted | RunFailed)}
        assert started == ended, seed

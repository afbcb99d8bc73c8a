"""Recorder of the golden journals: `python -m tests.orchestration.journal_scenarios`.

It writes the journals that are missing in `tests/journals/`. A recorded journal is never written
again: the engine of every later version must replay it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

from orchestration.definition import (
    Agent,
    Conditions,
    Cue,
    CueCall,
    CueHandoff,
    Group,
    Limits,
    Rule,
    Tool,
)
from orchestration.exceptions import ProviderError
from orchestration.providers.provider import Finished, ModelRequest, Provider
from orchestration.providers.scripted import ScriptedProvider
from tests.orchestration.conversations import PlayedModel, Turn, calling
from tests.orchestration.journals import FOLDER, Journal, Recorded, Step, play
from tests.orchestration.sample_rehearsals import sample
from tests.orchestration.topologies import chain, star, with_group

SAMPLES = {
    "support": ["I was charged twice", "It is A-1043", "card 4242", "yes, refund", "thanks"],
    "support-desk": ["hello", "I was billed twice", "2 March", "yes", "thanks"],
    "coding": ["I need a function that tells leap years from others", "go ahead", "good"],
    "weekend-trip": ["Plan a weekend in Lisbon", "yes", "thanks"],
    "bike-shop": ["My gears slip and I need the bike by Friday", "yes", "Do you have a helmet?"],
    "city-guide": ["A guide to Lisbon", "A guide to Prague"],
}
OTHERS = {
    "support": ["I want a human", "hello?"],
    "support-desk": ["your staff is rude", "I want a person", "I will call a lawyer"],
    "coding": ["hello", "start coding", "once more"],
    "weekend-trip": ["How will the weather be?", "What is there to see?"],
    "bike-shop": ["Who pays for the broken wheel?", "thanks"],
    "city-guide": ["Where?", "Lisbon"],
}
BY = {"by": "Ada"}


def scenarios() -> Iterator[tuple[str, Journal, Provider]]:
    """Yield the name, the inputs and the model of every journal."""
    scripted = ScriptedProvider(tokens_per_second=None)
    for name, texts in SAMPLES.items():
        yield f"sample-{name}", Journal(sample(name), says(*texts)), scripted
        yield f"sample-{name}-other", Journal(sample(name), says(*OTHERS[name])), scripted
        steps = [*says(texts[0]), {"restart": True}, *says(*texts[1:3], start=2)]
        yield f"sample-{name}-restart", Journal(sample(name), steps), scripted
    recorded = {**topologies(), **subtasks(), **approvals(), **commands(), **variables()}
    for name, journal in recorded.items():
        yield name, journal, scripted
    for name, (journal, model) in stops().items():
        yield name, journal, model


def says(*texts: str, start: int = 1) -> list[Step]:
    """Return a message for each text."""
    return [{"say": {"id": f"m{number}", "text": text}} for number, text in enumerate(texts, start)]


def playing(**cues: list[Cue]) -> tuple[Agent, ...]:
    """Return agents with cues."""
    return tuple(Agent(id=name, name=name.title(), cues=tuple(cues[name])) for name in cues)


def topologies() -> dict[str, Journal]:
    """Return journals of all topologies and of groups."""
    handing = playing(
        a=[Cue(when=("move",), hand_over=CueHandoff(target="b", summary="It is about money."))],
        b=[Cue(when=("move",), hand_over=CueHandoff(target="a")), Cue(say="Done.")],
    )
    team = playing(
        lead=[
            Cue(when=("ask",), call=CueCall(tool="delegate_to_b", arguments={"task": "Look."})),
            Cue(say="Here it is."),
        ],
        b=[Cue(say="I looked.")],
        c=[Cue(say="I also looked.")],
    )
    panel = {"agents": playing(first=[], last=[], a=[Cue(say="A.")], b=[Cue(say="B.")])}
    serial = Group(agents=("a", "b"), parallel=False)
    dependent = Group(agents=("a", "b"), dependencies={"a": ("b",)})
    return {
        "topology-pipeline": Journal(
            chain("a", "b", topology="pipeline", agents=handing), says("move", "hello", "move")
        ),
        "topology-pipeline-wait": Journal(
            chain("a", "b", topology="pipeline", agents=handing, on_handoff="wait"),
            says("move", "hello"),
        ),
        "topology-workflow": Journal(chain("a", "b", "c"), says("one", "two")),
        "topology-team": Journal(star("lead", "b", "c", agents=team), says("ask", "hello")),
        "topology-swarm": Journal(
            star("a", "b", topology="swarm", agents=handing), says("move", "hello")
        ),
        "group-parallel": Journal(
            with_group(Group(agents=("a", "b")), entry="panel", **panel), says("one", "two")
        ),
        "group-serial": Journal(with_group(serial, entry="panel", **panel), says("one")),
        "group-dependencies": Journal(with_group(dependent, entry="panel", **panel), says("one")),
        "group-workflow": Journal(
            with_group(Group(agents=("a", "b")), topology="workflow", **panel), says("one")
        ),
    }


def variables() -> dict[str, Journal]:
    """Return a journal with variables in instructions, cues and a condition."""
    clerks = playing(a=[Cue(say="Hello, {{customer.name}}.")], b=[Cue(say="Welcome back.")])
    texts = {"instructions": "Greet {{customer.name}}."}
    known = Conditions(custom="variables.plan == 'pro'")
    definition = chain(
        "a",
        "b",
        topology="pipeline",
        agents=tuple(clerk.model_copy(update=texts) for clerk in clerks),
        rules=(Rule(id="pro", agent_id="b", conditions=known),),
        variables={"customer.name": "Ada", "plan": "basic"},
    )
    first, second = says("hello", "and now")
    first["say"]["variables"] = {"plan": "pro"}
    second["say"]["variables"] = {"customer.name": "Bob"}
    return {"variables": Journal(definition, [first, {"restart": True}, second])}


def desk(*tools: Tool, cues: list[Cue], **fields: Any) -> Any:
    """Return a pipeline with one agent and its tools."""
    clerk = Agent(id="clerk", name="Clerk", tools=tuple(t.name for t in tools), cues=tuple(cues))
    return chain("clerk", topology="pipeline", agents=(clerk,), tools=tools, **fields)


def subtasks() -> dict[str, Journal]:
    """Return journals of subtasks, nested ones, and questions to the user."""
    research = Tool(name="research", kind="subtask", pipeline="Research")
    ask = Tool(name="ask_user", kind="user_input")
    cues = [
        Cue(when=("find",), call=CueCall(tool="research", arguments={"task": "Find it."})),
        Cue(say="That is all."),
    ]
    question = CueCall(tool="ask_user", arguments={"question": "Which one?"})
    inner = desk(cues=[Cue(say="Found.")]).model_copy(update={"name": "Research"})
    deeper = Tool(name="research", kind="subtask", pipeline="Archive")
    outer = desk(deeper, cues=[Cue(when=("Find",), call=cues[0].call), Cue(say="Passed on.")])
    outer = outer.model_copy(update={"name": "Research"})
    archive = inner.model_copy(update={"name": "Archive"})
    return {
        "subtask": Journal(desk(research, cues=cues), says("find", "thanks"), [inner]),
        "subtask-nested": Journal(desk(research, cues=cues), says("find"), [outer, archive]),
        "subtask-unknown": Journal(desk(research, cues=cues), says("find")),
        "subtask-interrupted": Journal(
            desk(research, cues=cues),
            [{**says("find")[0], "until": 8}, {"restart": True}, {"resume": True}],
            [inner],
        ),
        "question": Journal(
            desk(ask, cues=[Cue(when=("order",), call=question), Cue(say="Thanks.")]),
            says("order", "the red lamp"),
        ),
    }


def approvals() -> dict[str, Journal]:
    """Return journals of calls that wait for a decision."""
    refund = Tool(
        name="refund",
        approval=True,
        stand_in=True,
        parameters={"type": "object", "properties": {"order": {"type": "integer"}}},
        examples=[{"arguments": {"order": 7}, "result": "Paid."}, {"result": "Other."}],
    )
    call = CueCall(tool="refund", arguments={"order": 7})
    cues = [Cue(when=("refund",), call=call), Cue(say="Settled.")]
    definition = desk(refund, cues=cues)

    def decide(**fields: Any) -> list[Step]:
        command = {"id": "d1", **BY, "asked": 6, **fields}
        return [*says("refund"), {"command": command}, {"resume": True}]

    task = Tool(name="work", kind="subtask", pipeline="Work")
    inner = definition.model_copy(update={"name": "Work"})
    work = CueCall(tool="work", arguments={"task": "refund"})
    outer = desk(task, cues=[Cue(when=("go",), call=work), Cue(say="Finished.")])
    return {
        "approval-approved": Journal(definition, decide(kind="approve")),
        "approval-changed": Journal(definition, decide(kind="change", arguments='{"order": 8}')),
        "approval-refused": Journal(definition, decide(kind="refuse", reason="Not today.")),
        "approval-waiting": Journal(definition, says("refund")),
        "approval-restart": Journal(
            definition,
            [*decide(kind="approve")[:1], {"restart": True}, *decide(kind="approve")[1:]],
        ),
        "approval-in-subtask": Journal(outer, says("go"), [inner]),
    }


def commands() -> dict[str, Journal]:
    """Return journals of people's commands, and of forks."""
    definition = chain(
        "a",
        "b",
        topology="pipeline",
        agents=playing(
            a=[Cue(when=("move",), hand_over=CueHandoff(target="b")), Cue(say="A here.")],
            b=[Cue(say="B here.")],
        ),
    )

    def command(kind: str, **fields: Any) -> Step:
        return {"command": {"id": f"c-{kind}", "kind": kind, **BY, **fields}}

    pause = {"queue": {"id": "c1", "kind": "pause", **BY}}
    return {
        "command-pause": Journal(
            definition,
            [pause, *says("move"), command("go_on", step=True), {"resume": True}],
        ),
        "command-note": Journal(
            definition, [*says("hi"), command("note", text="Be brief."), *says("hi", start=2)]
        ),
        "command-feedback": Journal(
            definition,
            [
                *says("hi"),
                command("feedback", about=5, rating="down", comment="Too short."),
                {"restart": True},
                *says("move", start=2),
            ],
        ),
        "command-hand-over": Journal(
            definition, [*says("hi"), command("hand_over", target="b"), *says("hi", start=2)]
        ),
        "command-take-over": Journal(
            definition,
            [
                *says("hi"),
                command("take_over"),
                *says("Who are you?", start=2),
                command("reply", text="A person."),
                command("hand_back", target="b", summary="Sorted."),
                *says("Thanks", start=3),
            ],
        ),
        "command-end": Journal(
            definition, [*says("hi"), command("take_over"), command("end"), *says("hi", start=2)]
        ),
        "fork": Journal(definition, [*says("hi", "move"), {"fork": 6}, *says("move", start=3)]),
    }


def stops() -> dict[str, tuple[Journal, Provider]]:
    """Return journals that end for every reason."""
    both = star("a", "b", topology="swarm")

    def limited(**limits: Any) -> Journal:
        return Journal(desk(LOOK, cues=[], limits=Limits(**limits)), says("go", "again"))

    priced = limited(max_cost=0.25)
    priced.cost = 0.1
    moving = Journal(both, says("go"))
    moving.definition = both.model_copy(
        update={"limits": Limits(max_handoffs=3, detect_cycles=False)}
    )
    human = desk(cues=[Cue(hand_over=CueHandoff(target="human"))])
    agent_message = {"say": {"id": "m1", "text": "ping", "from_agent": "bot"}}
    scripted = ScriptedProvider(tokens_per_second=None)
    cancelled = [{**says("go")[0], "until": 5}, {"end": "cancelled", "by": "Ada"}]
    return {
        "stop-turn-limit": (limited(max_turns=3), PlayedModel(always_calls)),
        "stop-call-limit": (limited(max_calls=3), PlayedModel(always_calls)),
        "stop-token-limit": (limited(max_tokens=40), PlayedModel(always_calls)),
        "stop-cost-limit": (priced, PlayedModel(always_calls)),
        "stop-time-limit": (limited(max_seconds=0.1), Silent([])),
        "stop-context-limit": (limited(max_context_tokens=100), PlayedModel(always_calls)),
        "stop-handoff-limit": (moving, PlayedModel(always_hands_over)),
        "stop-cycle": (Journal(both, says("go")), PlayedModel(always_hands_over)),
        "stop-failed": (Journal(desk(cues=[]), says("go", "again")), PlayedModel(fails)),
        "stop-truncated": (Journal(desk(cues=[]), says("go")), Truncated([])),
        "stop-cancelled": (Journal(desk(cues=[]), cancelled), scripted),
        "stop-human": (Journal(human, says("go", "hello?")), scripted),
        "stop-message-of-agent": (Journal(desk(cues=[]), [agent_message]), scripted),
    }


LOOK = Tool(name="look", stand_in=True, examples=[{"result": "nothing"}])


def always_calls(request: ModelRequest) -> Turn:
    return (f"Turn {len(request.messages)}. " * 10, calling("look"))


def always_hands_over(request: ModelRequest) -> Turn:
    return (calling("handoff", target="b" if request.agent.id == "a" else "a"),)


def fails(request: ModelRequest) -> Turn:
    raise ProviderError("The model is away.")


class Silent(PlayedModel):
    """A model that never answers: the time of the run ends it."""

    async def stream(self, request: ModelRequest) -> Any:
        await asyncio.Future()
        yield Finished(0, 0)


class Truncated(PlayedModel):
    """A model whose answer reaches its maximum length."""

    async def stream(self, request: ModelRequest) -> Any:
        async for piece in super().stream(request):
            yield Finished(10, 5, reason="length") if isinstance(piece, Finished) else piece


async def record() -> Mapping[str, int]:
    """Record the missing journals; return the number of events of each."""
    counts = {}
    for name, journal, provider in scenarios():
        path = FOLDER / f"{name}.json"
        if not path.exists():
            journal.events, _ = await play(journal, provider)
            # Models of a replay answer in one piece, which orders the events of parallel agents.
            journal.events, _ = await play(journal, Recorded(journal))
            path.write_text(journal.dump(), encoding="utf-8")
            counts[name] = len(journal.events)
    return counts


if __name__ == "__main__":
    for name, count in asyncio.run(record()).items():
        print(f"{name}: {count} events")  # noqa: T201 - the purpose of the script

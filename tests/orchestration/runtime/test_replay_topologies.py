"""An interrupted run continues to the same end in every topology (contract S-7)."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.definition import Group, Limits, PipelineDefinition, Stage, Tool
from orchestration.events import (
    Event,
    InputRequested,
    MessageCompleted,
    MessageDelta,
    RunStarted,
    StopReason,
    ToolReturned,
    decode,
    encode,
)
from orchestration.messages import InboundMessage
from orchestration.providers.provider import CallPiece, ModelRequest
from orchestration.runtime import Session
from orchestration.tools import CallContext
from tests.orchestration.conversations import NOON, Turn, calling, collect, every, handing_over
from tests.orchestration.topologies import Play, agents, chain, echo, model_of, once, star

LOOK, SUMMARISE, ASK = (
    Tool(name="look"),
    Tool(name="summarise", kind="subtask", pipeline="Summary"),
    Tool(name="ask", kind="user_input"),
)
CALLS = [calling("look", q="x"), calling("summarise", text="t"), calling("ask", question="Sure?")]


def equipped(definition: PipelineDefinition) -> PipelineDefinition:
    """Return the pipeline with every tool for every agent."""
    given_tools = tuple(
        agent.model_copy(update={"tools": ("ask", "look", "summarise")})
        for agent in definition.agents
    )
    tools = (ASK, LOOK, SUMMARISE)
    return definition.model_copy(update={"agents": given_tools, "tools": tools})


def panel(group: Group) -> PipelineDefinition:
    """Return a pipeline: `a` hands over to a group of the others, then `d` answers."""
    definition = chain("a", "d", topology="pipeline", agents=agents("a", "b", "c", "d"))
    stages = (*definition.stages, Stage(phase="panel", kind="group", group=group))
    ways = [
        {"source": "at-a", "target": "panel"},
        {"source": "panel", "target": "at-d"},
        {"source": "at-d", "target": "at-a", "kind": "return"},
    ]
    parts = definition.model_dump() | {"stages": stages, "transitions": ways}
    return PipelineDefinition.model_validate(parts)


PIPELINES = [
    equipped(definition)
    for definition in (
        chain("a", "b", "c"),
        star("a", "b", "c"),
        star("a", "b", "c", topology="swarm", limits=Limits(max_handoffs=5)),
        panel(Group(agents=("c", "b"))),
        panel(Group(agents=("c", "b"), parallel=False)),
        panel(Group(agents=("c", "b"), dependencies={"c": ("b",)})),
    )
]

plays: st.SearchStrategy[Play] = st.one_of(
    st.just(echo),
    st.lists(st.sampled_from(CALLS), min_size=1, max_size=3).map(lambda calls: once(*calls)),
    st.sampled_from(["b", "c", "panel", "at-d"]).map(
        lambda to: once(
            calling("handoff", target=to),
            handing_over(to),
            calling(f"delegate_to_{to}", task="do it"),
        )
    ),
    st.just(once(calling("delegate_to_b", task="1"), calling("delegate_to_c", task="2"))),
)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(PIPELINES),
    st.dictionaries(st.sampled_from("abcd"), plays, max_size=4),
    st.integers(1, 2),
    st.booleans(),
)
async def test_every_prefix_of_a_conversation_has_the_same_rest(
    definition: PipelineDefinition, cast: dict[str, Play], messages: int, later: bool
) -> None:
    """Contract S-7: the same remaining events in each session, and no finished turn or tool again.

    Where several subtasks run at once, the order between them is not part of the promise.
    """
    whole = TopologyReplay(definition, cast, later)
    events = await whole.converse(messages)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    for cut in range(len(events) + 1):
        before = [decode(encode(event)) for event in events[:cut]]
        resumed = TopologyReplay(definition, cast, later, before)
        rest = await resumed.converse(messages)
        assert by_session(rest) == by_session(events[cut:])
        assert resumed.session.state == whole.session.state
        assert history_of(resumed.session) == history_of(whole.session)
        assert resumed.asked_models == len(every(MessageCompleted, rest))
        assert resumed.looked == looked_up(rest)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(PIPELINES), st.dictionaries(st.sampled_from("abcd"), plays), st.data())
async def test_a_run_interrupted_anywhere_can_be_ended(
    definition: PipelineDefinition, cast: dict[str, Play], data: st.DataObject
) -> None:
    """Contract D-2: every subtask ends first, then the run; and each call has a result."""
    length = len(await TopologyReplay(definition, cast, later=False).converse(1))
    cut = data.draw(st.integers(1, length - 1))
    left = TopologyReplay(definition, cast, later=False)
    before: list[Event] = []
    async with aclosing(left.session.receive(message(0))) as events:
        async for event in events:
            before += [] if isinstance(event, MessageDelta) else [event]
            if len(before) == cut:
                break
    last_seq = before[-1].seq
    ended = left.session.end_run(StopReason.CANCELLED)
    assert ended[-1].type == "run.completed"
    assert ended[-1].session_id == "s1"
    # Of subtasks that run at once, one may be a step ahead of what was given.
    assert [event.seq for event in ended] == list(range(ended[0].seq, ended[0].seq + len(ended)))
    assert ended[0].seq > last_seq
    assert not left.session.unfinished
    calls = [call.id for said in left.session.history for call in said.tool_calls]
    answers = [said.tool_call_id for said in left.session.history if said.role == "tool"]
    assert Counter(calls) == Counter(answers)


@pytest.mark.parametrize("definition", PIPELINES)
async def test_a_run_that_is_closed_leaves_no_task(definition: PipelineDefinition) -> None:
    """No task outlives its session."""
    cast = {"a": once(calling("delegate_to_b", task="1"), calling("delegate_to_c", task="2"))}
    length = len(await TopologyReplay(definition, cast, later=False).converse(1))
    for cut in range(1, length):
        left = TopologyReplay(definition, cast, later=False)
        async with aclosing(left.session.receive(message(0))) as events:
            async for event in events:
                if event.seq >= cut:
                    break
        assert asyncio.all_tasks() == {asyncio.current_task()}


class TopologyReplay:
    """A session with recorded events and agents with fixed roles."""

    def __init__(
        self,
        definition: PipelineDefinition,
        cast: dict[str, Play],
        later: bool,
        before: Sequence[Event] = (),
    ) -> None:
        self.model = model_of({who: in_turn(play) for who, play in cast.items()})
        self.looked: Counter[tuple[str, str]] = Counter()
        self._later = later
        self._runs = sum(event.session_id == "s1" for event in every(RunStarted, before))
        self.session = Session(
            definition,
            before,
            session_id="s1",
            providers={"default": self.model},
            tools={"look": self._look},
            ask_user=self._ask,
            pipelines=lambda request: SUMMARY,
            clock=lambda: NOON,
            new_id=lambda: f"run-{self._runs}",
        )

    @property
    def asked_models(self) -> int:
        return len(self.model.requests)

    async def converse(self, messages: int) -> list[Event]:
        """Resume an unfinished run, then send the remaining messages."""
        events = await collect(self.session.resume())
        for number in range(self._runs, messages):
            self._runs += 1
            events += await collect(self.session.receive(message(number)))
        return events

    async def _look(self, q: str, context: CallContext) -> str:
        session_id, _, _, call_id = context.key.rsplit("/", 3)
        self.looked[session_id, call_id] += 1
        return f"found {q}"

    async def _ask(self, request: InputRequested) -> str | None:
        return None if self._later else "Yes."


SUMMARY = chain("x", "y")


def message(number: int) -> InboundMessage:
    return InboundMessage(id=str(number), text=f"message {number}")


def in_turn(play: Play) -> Play:
    """Return a play limited to the calls that the agent's tools allow."""

    def turn(request: ModelRequest) -> Turn:
        offered = {tool.name for tool in request.tools}
        done = [
            one
            for one in play(request)
            if not isinstance(one, CallPiece) or one.call.name in offered
        ]
        return done or echo(request)

    return turn


def by_session(events: Sequence[Event]) -> dict[str, list[Any]]:
    """The events of each session in order, without their numbers and what a clock measured.

    Of subtasks that ran at once, whichever ended first comes first: that is put in order here.
    """
    sessions: dict[str, list[Any]] = {}
    for event in events:
        body = json.loads(encode(event), object_hook=without_measures)
        sessions.setdefault(body["session_id"], []).append(body)
    return {name: [*in_order(bodies)] for name, bodies in sessions.items()}


def in_order(bodies: list[Any]) -> Iterator[Any]:
    for ended, block in groupby(bodies, key=lambda body: body["type"] == "subtask.completed"):
        found = list(block)
        yield from sorted(found, key=lambda body: body["task_id"]) if ended else found


def without_measures(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in ("milliseconds", "seq")}


def history_of(session: Session) -> list[tuple[str, str | None, str]]:
    return [(said.role, said.agent_id, said.text) for said in session.history]


def looked_up(events: Sequence[Event]) -> Counter[tuple[str, str]]:
    """Return the session and the id of each finished call."""
    found = [one for one in every(ToolReturned, events) if one.result.name == "look"]
    return Counter((conversation_id(one.session_id), one.result.call_id) for one in found)


def conversation_id(session_id: str) -> str:
    return session_id.rpartition("__swarm_")[0] or session_id

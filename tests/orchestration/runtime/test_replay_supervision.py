"""An interrupted supervised run continues to the same end (contract O-5 and S-7)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.control import GoOn
from orchestration.definition import (
    SUPERVISION_POINTS,
    SUPERVISOR_ACTIONS,
    Limits,
    PipelineDefinition,
)
from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRequested,
    MessageCompleted,
    RunFailed,
    RunStarted,
    StopReason,
    SupervisorNoted,
    TurnStarted,
    decode,
    dump,
    encode,
)
from orchestration.exceptions import ProviderError
from orchestration.hooks import Hooks, HookTrigger
from orchestration.messages import InboundMessage
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    REVIEWER,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    handing_over,
)
from tests.orchestration.supervised_sessions import WATCHER, of_conversation, supervised

targets = st.sampled_from([HANDLER, REVIEWER, "human", "review", "stranger"])
commands = st.one_of(
    st.builds(lambda to: calling("note", text="Be kind.", to_agent=to), st.none() | targets),
    st.just(calling("pause", reason="Wait.")),
    st.builds(lambda target: calling("redirect", target=target, reason="r"), targets),
    st.just(calling("escalate", reason="r")),
)
turns: st.SearchStrategy[Turn] = st.one_of(
    st.just(("Hello.",)),
    st.builds(lambda target: (handing_over(target),), targets),
    st.lists(commands, min_size=1, max_size=3),
    st.lists(commands, min_size=1, max_size=3),
    st.just(("raise",)),
)
definitions = st.builds(
    lambda points, actions, calls, handoffs: supervised(
        *points,
        may=actions,
        max_calls=calls,
        limits=Limits(max_handoffs=handoffs, max_turns=4),
    ),
    st.lists(st.sampled_from(SUPERVISION_POINTS), min_size=1, max_size=4),
    st.lists(st.sampled_from(SUPERVISOR_ACTIONS), max_size=4),
    st.integers(1, 8),
    st.integers(0, 3),
)


class SupervisedReplay:
    """A supervised session with recorded events, and a model that continues after them."""

    def __init__(
        self, definition: PipelineDefinition, plan: Sequence[Turn], before: Sequence[Event] = ()
    ) -> None:
        failed = [one for one, two in pairwise(before) if isinstance(two, RunFailed)]
        done = len(every(MessageCompleted, before)) + len(every(TurnStarted, failed))
        remaining = iter(plan[done:])
        self._runs = sum(event.session_id == "s1" for event in every(RunStarted, before))
        self.model = PlayedModel(lambda request: self._turn(next(remaining, ("Done.",))))
        self.hooked: list[int] = []
        hooks = Hooks()
        hooks.on(HookTrigger.ON_HANDOFF)(lambda event, _: self.hooked.append(event.seq))
        self.session = Session(
            definition,
            before,
            session_id="s1",
            providers={"default": self.model},
            hooks=hooks,
            clock=lambda: NOON,
            new_id=lambda: f"run-{self._runs}",
        )

    async def converse(self, messages: Sequence[InboundMessage]) -> list[Event]:
        """Resume an unfinished run, then send the remaining messages; continue after a pause."""
        events = await self._drive(await collect(self.session.resume()))
        for message in messages[self._runs :]:
            self._runs += 1
            events += await self._drive(await collect(self.session.receive(message)))
        return events

    async def _drive(self, events: list[Event]) -> list[Event]:
        while self.session.paused is not None:
            events += self.session.steer(GoOn(id="continue", by="Ada"))
            events += await collect(self.session.resume())
        return events

    @staticmethod
    def _turn(turn: Turn) -> Turn:
        if list(turn) == ["raise"]:
            raise ProviderError("The model is away.")
        return turn


MESSAGES = [InboundMessage(id=text, text=text) for text in ("a", "b")]


@settings(max_examples=60, deadline=None)
@given(definitions, st.lists(turns, max_size=10))
async def test_every_prefix_of_a_supervised_conversation_has_the_same_rest(
    definition: PipelineDefinition, plan: list[Turn]
) -> None:
    first = SupervisedReplay(definition, plan)
    events = await first.converse(MESSAGES)
    handoffs = {event.seq for event in every(HandoffAccepted, events)}
    assert set(first.hooked) == handoffs
    for cut in range(len(events) + 1):
        before = [decode(encode(event)) for event in events[:cut]]
        resumed = SupervisedReplay(definition, plan, before)
        rest = await resumed.converse(MESSAGES)
        assert comparable(rest) == comparable(events[cut:])
        assert {seq for seq in handoffs if seq >= cut} <= set(resumed.hooked)
        completed = every(MessageCompleted, events[cut:])
        assert len(resumed.model.requests) >= len(completed)


@settings(max_examples=60, deadline=None)
@given(definitions, st.lists(turns, max_size=12))
async def test_a_supervised_conversation_keeps_its_promises(
    definition: PipelineDefinition, plan: list[Turn]
) -> None:
    replay = SupervisedReplay(definition, plan)
    events = await replay.converse(MESSAGES)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert not replay.session.unfinished
    own = of_conversation(events)
    commands: list[SupervisorNoted | HandoffRequested] = []
    commands += every(SupervisorNoted, own)
    commands += every(HandoffRequested, own)
    ids = [each.command_id for each in commands if each.command_id]
    assert len(ids) == len(set(ids))
    supervision = definition.supervision
    assert supervision is not None
    for run in ("run-1", "run-2"):
        first, last = (
            next(event.seq for event in own if event.run_id == run),
            max(event.seq for event in own if event.run_id == run),
        )
        turns_of_run = [
            event
            for event in every(TurnStarted, events)
            if first <= event.seq <= last and "__supervisor_" in event.session_id
        ]
        assert len(turns_of_run) <= supervision.max_calls
    assert all(message.agent_id != WATCHER for message in replay.session.history)


@settings(max_examples=30, deadline=None)
@given(definitions, st.lists(turns, max_size=6), st.data())
async def test_a_supervised_run_can_be_ended_anywhere(
    definition: PipelineDefinition, plan: list[Turn], data: st.DataObject
) -> None:
    whole = await SupervisedReplay(definition, plan).converse(MESSAGES[:1])
    cut = data.draw(st.integers(1, len(whole)))
    before = [decode(encode(event)) for event in whole[:cut]]
    session = SupervisedReplay(definition, plan, before).session
    if session.unfinished:
        before += session.end_run(StopReason.CANCELLED)
    again = SupervisedReplay(definition, (), before).session
    assert not again.unfinished
    assert (again.state, again.history) == (session.state, session.history)
    assert (await collect(again.receive(MESSAGES[1])))[-1].type in {"run.completed", "run.paused"}


def comparable(events: Sequence[Event]) -> list[Any]:
    """Return the events without measured times."""
    return [_without_times(dump(event)) for event in events]


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in ("milliseconds", "at")}
    return value

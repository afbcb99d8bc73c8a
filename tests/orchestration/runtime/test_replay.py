"""An interrupted run continues to the same end (contract S-7)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.definition import Limits, PipelineDefinition
from orchestration.events import (
    Event,
    MessageCompleted,
    MessageDelta,
    RunStarted,
    StopReason,
    ToolCalled,
    ToolReturned,
    TurnStarted,
    decode,
    encode,
)
from orchestration.exceptions import ProviderError
from orchestration.hooks import Hooks, HookTrigger
from orchestration.messages import InboundMessage, ToolCall
from orchestration.providers.provider import CallPiece
from orchestration.runtime import Session
from orchestration.tools import CallContext
from tests.orchestration.conversations import (
    HANDLER,
    NOON,
    RESOLVER,
    REVIEWER,
    TRIAGE,
    PlayedModel,
    Turn,
    calling,
    collect,
    every,
    four_stages,
    handing_over,
)

handoffs = st.builds(
    handing_over,
    st.sampled_from([HANDLER, REVIEWER, RESOLVER, TRIAGE, "review", "human", "stranger"]),
    summary=st.sampled_from(["", "so far"]),
)
broken_handoffs = st.just(
    CallPiece(ToolCall(id="", name="handoff_conversation", arguments='{"target"'))
)
tool_calls = st.builds(calling, st.sampled_from(["look", "fail", "nothing"]))
turns: st.SearchStrategy[Turn] = st.one_of(
    st.just(("Hello.",)),
    st.lists(
        st.one_of(st.just("One moment. "), tool_calls, handoffs, handoffs, broken_handoffs),
        max_size=4,
    ),
    st.just(("raise",)),
)
definitions = st.builds(
    lambda waits, max_handoffs, max_turns, context: with_look(
        on_handoff=waits,
        limits=Limits(max_handoffs=max_handoffs, max_turns=max_turns, max_context_tokens=context),
    ),
    st.sampled_from(["continue", "wait"]),
    st.integers(0, 3),
    st.integers(1, 6),
    st.sampled_from([600, 900, 100_000]),
)


@settings(max_examples=60, deadline=None)
@given(definitions, st.lists(turns, max_size=8), st.lists(st.sampled_from("ab"), max_size=3))
async def test_every_prefix_of_a_conversation_has_the_same_rest(
    definition: PipelineDefinition, plan: list[Turn], texts: list[str]
) -> None:
    """Contract S-7: the same remaining events, and no finished turn or tool again."""
    messages = [InboundMessage(id=str(at), text=text) for at, text in enumerate(["a", *texts])]
    events = await Replay(definition, plan).converse(messages)
    for cut in range(len(events) + 1):
        before = recorded(events[:cut])
        resumed = Replay(definition, plan, before)
        rest = await resumed.converse(messages)
        assert comparable(rest) == comparable(events[cut:])
        assert (
            resumed.session.state
            == Session(definition, events, session_id="s1", providers={}).state
        )
        assert resumed.model_calls == turns_left(before, events)
        assert resumed.executed == calls_left(before, events)


@settings(max_examples=30, deadline=None)
@given(definitions, st.lists(turns, max_size=6), st.data())
async def test_a_run_interrupted_anywhere_can_be_ended(
    definition: PipelineDefinition, plan: list[Turn], data: st.DataObject
) -> None:
    """Contract D-2: cancelled; the recorded events restore the session."""
    first, second = (InboundMessage(id=text, text=text) for text in "ab")
    whole = await Replay(definition, plan).converse([first])
    cut = data.draw(st.integers(1, len(whole) - 1))
    played = Replay(definition, plan)
    before: list[Event] = []
    async with aclosing(played.session.receive(first)) as events:
        async for event in events:
            before += [] if isinstance(event, MessageDelta) else [event]
            if len(before) == cut:
                break
    before.extend(played.session.end_run(StopReason.CANCELLED))
    assert not played.session.unfinished
    again = Session(definition, recorded(before), session_id="s1", providers={})
    assert again.state == played.session.state
    assert again.history == played.session.history
    calls = [call.id for message in again.history for call in message.tool_calls]
    answers = [message.tool_call_id for message in again.history if message.role == "tool"]
    assert sorted(calls) == sorted(map(str, answers))
    assert [event.seq for event in before] == list(range(1, cut + 2))
    assert (await collect(played.session.receive(second)))[-1].type in {
        "run.completed",
        "run.failed",
    }


class Replay:
    """A session with recorded events, and a model that continues after them."""

    def __init__(
        self, definition: PipelineDefinition, plan: Sequence[Turn], before: Sequence[Event] = ()
    ) -> None:
        done = len(every(MessageCompleted, before)) + failed_turns(before)
        left = iter(plan[done:])
        self.executed: list[str] = []
        self._runs = len(every(RunStarted, before))
        self.model = PlayedModel(lambda request: self._turn(next(left, ("Done.",))))
        hooks = Hooks()
        hooks.on(HookTrigger.ON_HANDOFF)(raising)
        hooks.on(HookTrigger.BEFORE_BROADCAST)(raising)
        self.session = Session(
            definition,
            before,
            session_id="s1",
            providers={"default": self.model},
            tools={"look": self._look, "fail": self._fail},
            hooks=hooks,
            clock=lambda: NOON,
            new_id=lambda: f"run-{self._runs}",
        )

    @property
    def model_calls(self) -> int:
        return len(self.model.requests)

    async def converse(self, messages: Sequence[InboundMessage]) -> list[Event]:
        """Resume an unfinished run, then send the remaining messages."""
        events = await collect(self.session.resume())
        for message in messages[self._runs :]:
            self._runs += 1
            events += await collect(self.session.receive(message))
        return events

    @staticmethod
    def _turn(turn: Turn) -> Turn:
        if list(turn) == ["raise"]:
            raise ProviderError("The model is away.")
        return turn

    async def _look(self, context: CallContext) -> str:
        self.executed.append(context.key)
        return "found"

    async def _fail(self, context: CallContext) -> str:
        self.executed.append(context.key)
        raise OSError("no such thing")


def with_look(**changes: Any) -> PipelineDefinition:
    definition = four_stages(
        tools=[{"name": "look"}, {"name": "fail"}],
        rules=[
            {"id": "wrong", "agent_id": HANDLER, "conditions": {"custom": "event.metadata.none"}}
        ],
        **changes,
    )
    agents = [agent.model_copy(update={"tools": ("fail", "look")}) for agent in definition.agents]
    return definition.model_copy(update={"agents": tuple(agents)})


def raising(*_: object) -> None:
    raise RuntimeError("a hook of no use")


def recorded(events: Sequence[Event]) -> list[Event]:
    """Return the events as read from a record."""
    return [decode(encode(event)) for event in events]


def comparable(events: Sequence[Event]) -> list[Any]:
    """Return the events without measured times."""
    return [json.loads(encode(event), object_hook=without_times) for event in events]


def without_times(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != "milliseconds"}


def failed_turns(events: Sequence[Event]) -> int:
    """Return the number of turns that started and ended with their run."""
    ended = [event.type == "run.failed" for event in events]
    asked = [isinstance(event, TurnStarted) for event in events]
    return sum(was and over for was, over in zip(asked, ended[1:], strict=False))


def turns_left(before: Sequence[Event], events: Sequence[Event]) -> int:
    """Return the number of unfinished turns: later ones, and the interrupted one."""
    open_turn = bool(before) and isinstance(before[-1], TurnStarted)
    return len(every(TurnStarted, events)) - len(every(TurnStarted, before)) + open_turn


def calls_left(before: Sequence[Event], events: Sequence[Event]) -> list[str]:
    """Return the keys of the tool calls without a result, in order."""
    done = {event.result.call_id for event in every(ToolReturned, before)}
    turn, keys = 0, []
    for event in events:
        if isinstance(event, TurnStarted):
            turn = event.turn
        if not isinstance(event, ToolCalled) or event.call.name == "nothing":
            continue
        if event.call.id not in done:
            keys.append(f"s1/{event.run_id}/{turn}/{event.call.id}")
    return keys

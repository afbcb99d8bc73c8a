"""Requests of turns and contexts of handoffs, recomputed from a journal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestration.definition import HUMAN, InputFilter, PipelineDefinition
from orchestration.events import (
    Event,
    HandoffAccepted,
    MessageDelta,
    TurnStarted,
    decode,
    encode,
)
from orchestration.library import TaskSystem
from orchestration.messages import InboundMessage
from orchestration.providers.provider import ModelRequest
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Recording, Session
from tests.orchestration.conversations import (
    HANDLER,
    TRIAGE,
    PlayedModel,
    Turn,
    every,
    four_stages,
    handing_over,
    say,
)
from tests.orchestration.runtime.test_replay import Replay, definitions, turns
from tests.orchestration.runtime.test_replay_topologies import (
    PIPELINES,
    SUMMARY,
    TopologyReplay,
    plays,
)
from tests.orchestration.sample_rehearsals import Rehearsal, names, sample
from tests.orchestration.topologies import Play

DIALOGUES: dict[str, tuple[str, ...]] = {
    "bike-shop": ("My gears slip", "Yes, and the bill", "Who pays for the broken wheel?"),
    "city-guide": ("A guide to Lisbon", "A guide to Prague"),
    "coding": ("Leap years, please", "Gregorian only, a year before 1 is an error", "Check it"),
    "support": ("I was charged twice for order A-1043.", "Yes, please do.", "The 4242."),
    "weekend-trip": ("Plan a weekend in Lisbon", "Two of us", "Yes", "What is there to see?"),
}
HELLO = ("Hello", "I was charged twice for order A-1043.", "Yes, please.", "Thanks")


@pytest.mark.parametrize("name", names())
async def test_the_request_of_each_turn_of_a_sample_is_recomputed(name: str) -> None:
    model = RecordingProvider(ScriptedProvider(tokens_per_second=None))
    rehearsal = Rehearsal(name)
    find = TaskSystem(map(sample, names())).find
    rehearsal.session = Session(
        rehearsal.definition,
        session_id="s1",
        providers={"default": model, "scripted": model},
        ask_user=_no_answer,
        pipelines=find,
    )
    events = [
        event for text in DIALOGUES.get(name, HELLO) for event in await rehearsal.events_of(text)
    ]
    assert_requests_equal(events, model.got, rehearsal.session.definition, find=find)


@settings(max_examples=30, deadline=None)
@given(definitions, st.lists(turns, max_size=8), st.lists(st.sampled_from("ab"), max_size=3))
async def test_the_request_of_each_turn_of_a_conversation_is_recomputed(
    definition: PipelineDefinition, plan: list[Turn], texts: list[str]
) -> None:
    messages = [InboundMessage(id=str(at), text=text) for at, text in enumerate(["a", *texts])]
    played = Replay(definition, plan)
    got = record_requests(played.model)
    events = await played.converse(messages)
    assert_requests_equal(events, got, played.session.definition)


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(PIPELINES),
    st.dictionaries(st.sampled_from("abcd"), plays, max_size=4),
    st.integers(1, 2),
    st.booleans(),
)
async def test_requests_of_groups_subtasks_and_peers_are_recomputed(
    definition: PipelineDefinition, cast: dict[str, Play], messages: int, later: bool
) -> None:
    conversed = TopologyReplay(definition, cast, later)
    got = record_requests(conversed.model)
    events = await conversed.converse(messages)
    definition = conversed.session.definition
    assert_requests_equal(events, got, definition, find=lambda _: SUMMARY)


@pytest.mark.parametrize("keep", ["full", "summary", "last", "no_tools", "matching"])
async def test_omitted_messages_are_those_that_a_filter_removes(keep: str) -> None:
    expression = 'message.text.contains("code")' if keep == "matching" else None
    definition = with_filter(InputFilter(keep=keep, count=2, expression=expression))
    model = PlayedModel(
        [
            ("Which order?",),
            ("A moment. ", handing_over(HANDLER, summary="They want it back")),
            ("Done.",),
        ]
    )
    got = record_requests(model)
    session = Session(definition, session_id="s1", providers={"default": model})
    events = [
        event for text in ("My code is 1234", "Order 7") for event in await say(session, text)
    ]
    assert_requests_equal(events, got, session.definition)
    found = contexts_of(events, session.definition)
    assert [one.receiver.text for one in found.entries if one.receiver] == got[-1]["texts"]
    assert found.turn_request is not None
    had = [one.sender.text for one in found.entries if one.sender]
    assert had[:2] == ["My code is 1234", "Which order?"]
    left_out = [one.sender.text for one in found.entries if one.sender and not one.receiver]
    assert found.omitted == len(left_out)
    expected = {
        "full": [],
        "no_tools": [],
        "last": ["My code is 1234", "Which order?"],
        "summary": ["My code is 1234", "Which order?", "A moment. "],
        "matching": ["Which order?", "A moment. "],
    }
    assert [text for text in left_out if not text.startswith("Handed over")] == expected[keep]


async def test_the_prompt_of_a_filter_in_code_is_restored() -> None:
    model = PlayedModel([(handing_over(HANDLER),), ("Done.",)])
    got = record_requests(model)
    definition = four_stages()
    filters = {("intake", "handling"): lambda said, payload: "Only this."}
    session = Session(definition, session_id="s1", providers={"default": model}, filters=filters)
    events = await say(session, "Hello")
    assert got[-1]["texts"] == ["Only this."]
    assert_requests_equal(events, got, session.definition)
    found = contexts_of(events, session.definition)
    assert [one.receiver.text for one in found.entries if one.receiver] == ["Only this."]


async def test_a_handoff_without_a_next_turn_has_its_context() -> None:
    model = PlayedModel([("A moment. ", handing_over(HANDLER, summary="S"))])
    definition = four_stages(on_handoff="wait")
    session = Session(definition, session_id="s1", providers={"default": model})
    found = contexts_of(await say(session, "Hello"), session.definition)
    assert found.turn_request is None
    assert found.receiver == HANDLER
    texts = [one.receiver.text for one in found.entries if one.receiver]
    assert texts[0].startswith(f"[Context from previous agent ({TRIAGE})]: S")
    assert "Hello" in texts


async def test_the_human_gets_the_whole_context_of_the_agent() -> None:
    model = PlayedModel([("A moment. ", handing_over(HUMAN))])
    session = Session(four_stages(), session_id="s1", providers={"default": model})
    found = contexts_of(await say(session, "Hello"), session.definition)
    assert (found.receiver, found.omitted) == (None, 0)
    assert next(one.receiver.text for one in found.entries if one.receiver) == "Hello"


async def test_other_events_have_no_request() -> None:
    model = PlayedModel([("Hello.",)])
    session = Session(four_stages(), session_id="s1", providers={"default": model})
    events = await say(session, "Hello")
    recording = Recording(session.definition, recorded(events), "s1")
    assert recording.turn_request(1) is None
    assert recording.handoff_contexts(1) is None
    assert recording.turn_request(99) is None


# Comparison of requests


class RecordingProvider:
    """A provider that stores a snapshot of each request."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.name = inner, inner.name
        self.got: list[dict[str, Any]] = []

    def model_of(self, request: ModelRequest) -> str:
        return str(self.inner.model_of(request))

    def stream(self, request: ModelRequest) -> Any:
        self.got.append(snapshot(request))
        return self.inner.stream(request)


def record_requests(model: PlayedModel) -> list[dict[str, Any]]:
    """Return the list of snapshots of the model's later requests."""
    got: list[dict[str, Any]] = []
    stream: Callable[[ModelRequest], Any] = model.stream

    def watched(request: ModelRequest) -> Any:
        got.append(snapshot(request))
        return stream(request)

    model.stream = watched  # type: ignore[method-assign]
    return got


def snapshot(request: ModelRequest) -> dict[str, Any]:
    """Return the content of a request."""
    return {
        "agent": request.agent,
        "phase": request.phase,
        "parts": request.system_parts,
        "messages": [
            (one.role, one.text, one.tool_calls, one.tool_call_id, one.speaker, one.tokens)
            for one in request.messages
        ],
        "texts": [one.text for one in request.messages],
        "tools": request.tools,
        "came_from": request.came_from,
        "handoffs": request.handoffs,
    }


def assert_requests_equal(
    events: Sequence[Event],
    got: list[dict[str, Any]],
    definition: PipelineDefinition,
    find: Any = None,
) -> None:
    """Check that the requests of all turns equal those of the provider, in any order."""
    recording = Recording(definition, recorded(events), "s1", find)
    begun = every(TurnStarted, events)
    told = []
    for turn in begun:
        sent = recording.turn_request(turn.seq)
        assert sent is not None
        assert sent.tokens == turn.context_tokens
        assert tuple(tool.name for tool in sent.request.tools) == turn.tools
        told.append(snapshot(sent.request))
        if sent.completed is not None:
            again = recording.turn_request(sent.completed.seq)
            assert again is not None
            assert snapshot(again.request) == told[-1]
    assert len(told) == len(got)
    for request in got:
        assert request in told
        told.remove(request)
    for event in every(HandoffAccepted, events):
        found = recording.handoff_contexts(event.seq)
        assert found is not None
        if found.turn_request is not None:
            texts = [one.receiver.text for one in found.entries if one.receiver]
            assert sorted(texts) == sorted(one.text for one in found.turn_request.request.messages)


def contexts_of(events: Sequence[Event], definition: PipelineDefinition) -> Any:
    """Return the contexts of the only handoff."""
    [event] = every(HandoffAccepted, events)
    return Recording(definition, recorded(events), "s1").handoff_contexts(event.seq)


def recorded(events: Sequence[Event]) -> list[Event]:
    return [decode(encode(one)) for one in events if not isinstance(one, MessageDelta)]


def with_filter(chosen: InputFilter) -> PipelineDefinition:
    """Return the four stages with a filter at the first transition."""
    definition = four_stages()
    ways = tuple(
        way.model_copy(update={"input_filter": chosen}) if way.source == "intake" else way
        for way in definition.transitions
    )
    return definition.model_copy(update={"transitions": ways})


async def _no_answer(_: Any) -> None:
    """Leave the answer to the next message."""

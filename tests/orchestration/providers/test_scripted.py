"""The scripted provider: cues, calls and handoffs."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.control import SendNote
from orchestration.definition import Cue, CueCall, CueHandoff, Limits, Transition
from orchestration.events import (
    HandoffAccepted,
    HandoffRejected,
    HandoffRequested,
    MessageDelta,
    RunCompleted,
    RunFailed,
    StopReason,
    SupervisorNoted,
    ToolCalled,
    dump,
)
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider, matches
from tests.orchestration.conversations import (
    HANDLER,
    RESOLVER,
    REVIEWER,
    TRIAGE,
    every,
    four_stages,
    only,
    say,
    session_with,
    unchecked_session_with,
)
from tests.orchestration.scripted_sessions import scripted, texts, with_cues
from tests.orchestration.strategies import definitions, storable_definitions

# Cues


async def test_the_first_cue_that_matches_plays():
    definition = with_cues(
        TRIAGE,
        Cue(when=("order",), say="About an order."),
        Cue(when=("my order",), say="Never."),
        Cue(say="Anything else: {message}"),
    )
    session = scripted(definition)
    assert texts(await say(session, "Where is my ORDER?")) == ["About an order."]
    assert texts(await say(session, "Good day")) == ["Anything else: Good day"]


@pytest.mark.parametrize(
    ("when", "message", "fits"),
    [
        ("order", "Order!", True),
        ("order", "the border", False),
        ("order", "orders", False),
        ("my order", "where is my, order?", True),
        ("my order", "my new order", False),
        ("größe", "Welche GRÖSSE? Die Größe!", True),
        ("?", "really?", True),
        ("a.c", "abc", False),
        ("a.c", "a c", True),
    ],
)
def test_cues_match_whole_words_and_phrases_in_any_case(when, message, fits):
    assert matches([when], message) is fits


async def test_a_call_precedes_the_text_about_its_result_and_the_handoff():
    definition = with_cues(
        TRIAGE,
        Cue(
            when=("order",),
            call=CueCall(tool="look", arguments={"id": "3"}),
            say="It is {result}.",
            hand_over=CueHandoff(target=HANDLER, reason="theirs", summary="Order 3."),
        ),
        tools=[{"name": "look", "examples": [{"result": "shipped"}]}],
    )
    events = await say(scripted(definition), "my order")
    assert json.loads(only(ToolCalled, events).call.arguments) == {"id": "3"}
    assert texts(events)[:2] == ["", "It is shipped."]
    accepted = only(HandoffAccepted, events)
    assert (accepted.reason, accepted.summary) == ("theirs", "Order 3.")
    assert only(RunCompleted, events).turns == 3


async def test_a_call_without_text_is_followed_by_its_result():
    definition = with_cues(
        TRIAGE,
        Cue(call=CueCall(tool="look")),
        tools=[{"name": "look", "examples": [{"result": "shipped"}]}],
    )
    session = scripted(definition)
    for _ in range(2):
        events = await say(session, "my order")
        assert len(every(ToolCalled, events)) == 1
        assert texts(events)[-1] == "Here is what I found: shipped"


async def test_a_note_during_a_call_does_not_repeat_it():
    definition = with_cues(
        TRIAGE,
        Cue(call=CueCall(tool="look"), say="It is {result}."),
        tools=[{"name": "look", "examples": [{"result": "shipped"}]}],
    )
    session = scripted(definition)
    events = []
    async for event in session.receive(InboundMessage(id="1", text="my order")):
        if isinstance(event, ToolCalled):
            session.queue(SendNote(id="n", by="ada", text="A regular customer."))
        events.append(event)
    assert len(every(SupervisorNoted, events)) == 1
    assert len(every(ToolCalled, events)) == 1
    assert texts(events)[-1] == "It is shipped."


async def test_a_failed_call_is_reported():
    definition = with_cues(TRIAGE, Cue(call=CueCall(tool="look")), tools=[{"name": "look"}])
    events = await say(scripted(definition), "my order")
    assert texts(events)[-1].startswith("That did not work: look is not connected")


async def test_a_rejected_handoff_is_not_repeated():
    definition = with_cues(TRIAGE, Cue(hand_over=CueHandoff(target=RESOLVER)))
    events = await say(scripted(definition), "hello")
    assert only(HandoffRejected, events).target == RESOLVER
    assert texts(events)[-1].startswith("I could not hand this over. There is no transition")
    assert only(RunCompleted, events).reason == StopReason.REPLIED


async def test_after_a_handoff_its_own_cues_come_first():
    definition = with_cues(
        HANDLER,
        Cue(say="In general."),
        Cue(after_handoff_from=REVIEWER, say="Never: no handoff came from there."),
        Cue(after_handoff_from=TRIAGE, say="Thank you, triage."),
    )
    session = scripted(definition)
    assert texts(await say(session, "to the handler")) == ["", "Thank you, triage."]
    assert texts(await say(session, "hello")) == ["In general."]


async def test_a_cue_may_be_limited_to_one_stage():
    definition = with_cues(
        TRIAGE, Cue(in_phase="review", say="Never."), Cue(in_phase="intake", say="Here.")
    )
    assert texts(await say(scripted(definition), "hello")) == ["Here."]


async def test_a_handoff_has_the_phase_of_its_cue():
    definition = with_cues(TRIAGE, Cue(hand_over=CueHandoff(target=HANDLER, phase="handling")))
    assert only(HandoffRequested, await say(scripted(definition), "x")).to_phase == "handling"


@pytest.mark.parametrize("target", ["Handler", "handler", HANDLER, "desk", "handling"])
@pytest.mark.parametrize("schema", [None, {"type": "object"}])
async def test_a_cue_hands_over_to_an_agent_by_any_of_its_names(target, schema):
    """Contract D-8: with the common tool, and with a tool for the target only."""
    transitions = [Transition(source="intake", target="handling", input_schema=schema)]
    cue = Cue(hand_over=CueHandoff(target=target))
    definition = with_cues(TRIAGE, cue, transitions=transitions, aliases={"desk": HANDLER})
    accepted = only(HandoffAccepted, await say(scripted(definition), "hello"))
    assert (accepted.to_agent, accepted.payload is None) == (HANDLER, schema is None)


async def test_a_typed_handoff_has_values_of_its_cue_and_schema():
    """Contract S-3."""
    properties = {
        "order": {"type": "string", "examples": ["A-1043"]},
        "summary": {"type": "string"},
    }
    schema = {"type": "object", "properties": properties, "required": ["order"]}
    transitions = [Transition(source="intake", target="handling", input_schema=schema)]
    cue = Cue(hand_over=CueHandoff(target=HANDLER, summary="Charged twice."))
    events = await say(scripted(with_cues(TRIAGE, cue, transitions=transitions)), "hello")
    expected = {"order": "A-1043", "summary": "Charged twice."}
    assert only(HandoffAccepted, events).payload == expected


async def test_cues_play_a_review_loop_and_back():
    """The example pipeline: reviewer ⇄ handler."""
    definition = four_stages()
    cues = {
        TRIAGE: (Cue(hand_over=CueHandoff(target=HANDLER)),),
        HANDLER: (
            Cue(after_handoff_from=REVIEWER, say="Reworked."),
            Cue(say="Done.", hand_over=CueHandoff(target=REVIEWER)),
        ),
        REVIEWER: (Cue(say="Not yet.", hand_over=CueHandoff(target=HANDLER)),),
    }
    agents = [
        agent.model_copy(update={"cues": cues.get(agent.id, ())}) for agent in definition.agents
    ]
    session = scripted(definition.model_copy(update={"agents": tuple(agents)}))
    events = await say(session, "please")
    assert [event.to_agent for event in every(HandoffAccepted, events)] == [
        HANDLER,
        REVIEWER,
        HANDLER,
    ]
    assert texts(events)[-1] == "Reworked."


# Stream


async def test_it_streams_word_by_word():
    session = scripted(with_cues(TRIAGE, Cue(say="One two  three.\nFour")))
    events = session.receive(InboundMessage(id="1", text="hi"))
    pieces = [event.text async for event in events if isinstance(event, MessageDelta)]
    assert len(pieces) == 4
    assert "".join(pieces) == "One two  three.\nFour"


async def test_it_streams_at_its_speed():
    provider = ScriptedProvider(tokens_per_second=100)
    session = session_with(
        None, with_cues(TRIAGE, Cue(say="a b c d e")), providers={"default": provider}
    )
    began = perf_counter()
    await say(session, "hi")
    assert perf_counter() - began >= 0.05


async def test_the_same_conversation_is_always_the_same():
    async def once() -> list[Any]:
        session = scripted()
        messages = ("hi", "to the handler", "let the reviewer see", "a person please")
        events = [event for text in messages for event in await say(session, text)]
        return [dump(event) | {"usage": None} for event in events]

    assert await once() == await once()


# Arbitrary definitions

EXPECTED = {"GroupError", "RoutingError", "ProviderError"}
"""Expected errors in the run of a draft: a stage without an agent, or a missing connection."""


@given(
    st.one_of(definitions(), storable_definitions()),
    st.lists(st.text(max_size=40), min_size=1, max_size=3),
)
async def test_every_message_to_any_definition_ends_visibly(definition, messages):
    """Contract D-2: also with an invalid definition."""
    limits = Limits(max_turns=6, max_handoffs=2)
    definition = definition.model_copy(update={"limits": limits})
    provider = ScriptedProvider(tokens_per_second=0)
    providers = dict.fromkeys(["scripted", "default"], provider)
    session = unchecked_session_with(None, definition, providers=providers)
    events = []
    for text in messages:
        events += await say(session, text)
        assert events[-1].type in {"run.completed", "run.failed"}
        assert not session.unfinished
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.error for event in every(RunFailed, events)} <= EXPECTED

"""The scripted provider: cues, and how agents without them are stood in for."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import (
    Cue,
    CueCall,
    CueHandoff,
    Limits,
    PipelineDefinition,
    Transition,
)
from orchestration.events import (
    HandoffAccepted,
    HandoffRejected,
    HandoffRequested,
    MessageCompleted,
    MessageDelta,
    RunCompleted,
    RunFailed,
    StopReason,
    ToolCalled,
    dump,
)
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider, matches
from orchestration.providers.stand_in import stems
from orchestration.session import Session
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
)
from tests.orchestration.strategies import definitions, storable_definitions


def scripted(definition: PipelineDefinition | None = None, **options: Any) -> Session:
    return session_with(
        None, definition, providers={"default": ScriptedProvider(tokens_per_second=0)}, **options
    )


def with_cues(agent_id: str, *cues: Cue, **changes: Any) -> PipelineDefinition:
    definition = four_stages(**changes)
    agents = [
        agent.model_copy(
            update={"cues": cues, "tools": tuple(tool.name for tool in definition.tools)}
        )
        if agent.id == agent_id
        else agent
        for agent in definition.agents
    ]
    return definition.model_copy(update={"agents": tuple(agents)})


def texts(events: Any) -> list[str]:
    return [event.text for event in every(MessageCompleted, events)]


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
def test_cues_match_whole_words_and_phrases_whatever_their_case(when, message, fits):
    assert matches([when], message) is fits


async def test_a_call_comes_first_then_what_is_said_of_its_result_and_the_handoff():
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


async def test_a_call_alone_is_followed_by_its_result_in_a_sentence():
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


async def test_a_call_that_fails_is_owned_up_to():
    definition = with_cues(TRIAGE, Cue(call=CueCall(tool="look")), tools=[{"name": "look"}])
    events = await say(scripted(definition), "my order")
    assert texts(events)[-1].startswith("That did not work: look is not connected")


async def test_a_handoff_that_is_refused_is_not_tried_again():
    definition = with_cues(TRIAGE, Cue(hand_over=CueHandoff(target=RESOLVER)))
    events = await say(scripted(definition), "hello")
    assert only(HandoffRejected, events).target == RESOLVER
    assert texts(events)[-1].startswith("I could not hand this over. From stage 'intake'")
    assert only(RunCompleted, events).reason == StopReason.REPLIED


async def test_after_a_handoff_the_cues_made_for_it_are_tried_first():
    definition = with_cues(
        HANDLER,
        Cue(say="In general."),
        Cue(after_handoff_from=REVIEWER, say="Never: nobody came from there."),
        Cue(after_handoff_from=TRIAGE, say="Thank you, triage."),
    )
    session = scripted(definition)
    assert texts(await say(session, "to the handler")) == ["", "Thank you, triage."]
    assert texts(await say(session, "hello")) == ["In general."]


async def test_a_cue_may_be_for_one_stage_alone():
    definition = with_cues(
        TRIAGE, Cue(in_phase="review", say="Never."), Cue(in_phase="intake", say="Here.")
    )
    assert texts(await say(scripted(definition), "hello")) == ["Here."]


async def test_a_handoff_names_the_phase_its_cue_names():
    definition = with_cues(TRIAGE, Cue(hand_over=CueHandoff(target=HANDLER, phase="handling")))
    assert only(HandoffRequested, await say(scripted(definition), "x")).to_phase == "handling"


async def test_a_typed_handoff_is_told_what_its_cue_and_the_examples_of_its_schema_say():
    """S-3."""
    properties = {
        "order": {"type": "string", "examples": ["A-1043"]},
        "summary": {"type": "string"},
    }
    schema = {"type": "object", "properties": properties, "required": ["order"]}
    ways = [Transition(source="intake", target="handling", input_schema=schema)]
    cue = Cue(hand_over=CueHandoff(target=HANDLER, summary="Charged twice."))
    events = await say(scripted(with_cues(TRIAGE, cue, transitions=ways)), "hello")
    told = {"order": "A-1043", "summary": "Charged twice."}
    assert only(HandoffAccepted, events).payload == told


async def test_cues_play_a_review_loop_and_back():
    """The sample of the seeds: reviewer ⇄ handler."""
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


# Standing in


async def test_an_agent_without_cues_answers_in_its_role():
    (text,) = texts(await say(scripted(), "Good morning"))
    assert text == (
        "Triage here. I triage requests. You wrote “Good morning”. I can pass you on to Handler."
    )


@pytest.mark.parametrize(
    ("start", "message", "target"),
    [
        ("handling", "Please let the reviewer check it", REVIEWER),
        ("handling", "is the review done?", REVIEWER),
        ("review", "send it back to the handler", HANDLER),
        ("review", "this can be resolved", RESOLVER),
        ("intake", "I want to talk to a real person", "human"),
        ("intake", "who is handling this?", HANDLER),
    ],
)
async def test_what_is_about_another_stages_agent_is_handed_over(start, message, target):
    serving = {stage.phase: stage.agent_id for stage in four_stages().stages}
    definition = four_stages(entry=start, default_agent_id=serving[start])
    events = await say(scripted(definition), message)
    assert (only(HandoffAccepted, events).to_agent or "human") == target


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("handling", "hello"),
        ("handling", "thank you so much"),
        ("review", "please review this for me"),
        ("intake", "take me to the resolver"),
        ("resolution", "back to the handler, please"),
    ],
)
async def test_what_is_ones_own_or_nobodys_is_answered(start, message):
    definition = four_stages(entry=start)
    events = await say(scripted(definition), message)
    assert every(HandoffRequested, events) == []
    assert only(RunCompleted, events).reason == StopReason.REPLIED


async def test_who_has_just_received_a_conversation_keeps_it():
    events = await say(scripted(), "handler, please check the review of what was done")
    assert only(HandoffAccepted, events).to_agent == HANDLER
    assert texts(events)[-1].startswith("Handler here, taking over.")


@pytest.mark.parametrize("message", ["yes please, pass me on", "OK", "Sure, go ahead!"])
async def test_an_offer_that_is_accepted_is_followed(message):
    session = scripted()
    assert "I can pass you on to Handler." in texts(await say(session, "Good morning"))[0]
    accepted = only(HandoffAccepted, await say(session, message))
    assert (accepted.to_agent, accepted.reason) == (HANDLER, "The user wants to go on to Handler.")


async def test_a_yes_to_nothing_and_a_thank_you_get_a_plain_word():
    session = scripted()
    assert texts(await say(session, "Thanks a lot, bye")) == ["You are welcome."]
    assert texts(await say(session, "ok")) == ["All right. What can I do for you?"]


async def test_of_several_ways_a_yes_chooses_none():
    session = scripted(four_stages(entry="review", default_agent_id=REVIEWER))
    assert "Resolver or Handler" in texts(await say(session, "Good morning"))[0]
    events = await say(session, "yes")
    assert every(HandoffAccepted, events) == []
    assert texts(events) == ["To whom?"]


async def test_a_stage_s_description_counts_beside_its_transition_s():
    definition = four_stages(
        stages=[
            stage.model_copy(update={"description": "Take the order for pizza and drinks"})
            if stage.phase == "handling"
            else stage
            for stage in four_stages().stages
        ],
        transitions=[{"source": "intake", "target": "handling", "description": "seated"}],
    )
    events = await say(scripted(definition), "two pizzas margherita and a coke please")
    assert only(HandoffAccepted, events).to_agent == HANDLER


async def test_an_agent_of_two_stages_is_handed_the_one_that_was_meant():
    """O-12."""
    definition = four_stages(
        stages=[
            {"phase": "intake", "agent_id": TRIAGE},
            {"phase": "drafting", "agent_id": HANDLER},
            {"phase": "shipping", "agent_id": HANDLER},
        ],
        transitions=[
            {"source": "intake", "target": "drafting"},
            {"source": "intake", "target": "shipping", "kind": "return"},
        ],
    )
    events = await say(scripted(definition), "what about the shipping?")
    assert only(HandoffAccepted, events).to_phase == "shipping"


async def test_an_agent_may_hand_over_to_itself_in_another_stage():
    """O-12."""
    definition = four_stages(
        agents=[
            {
                "id": TRIAGE,
                "name": "Triage",
                "cues": [
                    {"in_phase": "one", "hand_over": {"target": TRIAGE, "phase": "two"}},
                    {"in_phase": "two", "say": "In two."},
                ],
            }
        ],
        stages=[{"phase": "one", "agent_id": TRIAGE}, {"phase": "two", "agent_id": TRIAGE}],
        transitions=[{"source": "one", "target": "two"}],
        entry="one",
    )
    session = scripted(definition)
    assert texts(await say(session, "go"))[-1] == "In two."
    assert (session.state.phase, session.state.handoff_count) == ("two", 0)


def test_words_are_compared_without_their_endings():
    assert stems("reviewer") == stems("review") == stems("reviewing") == stems("Reviews!")
    assert stems("handle") == stems("handler") == stems("handling")
    assert stems("please give me the conversation") == frozenset()


# As a model


async def test_it_streams_word_by_word():
    session = scripted(with_cues(TRIAGE, Cue(say="One two  three.\nFour")))
    events = session.receive(InboundMessage(id="1", text="hi"))
    pieces = [event.text async for event in events if isinstance(event, MessageDelta)]
    assert len(pieces) == 4
    assert "".join(pieces) == "One two  three.\nFour"


async def test_it_streams_at_its_pace():
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


# Whatever was drawn

EXPECTED = {"GroupError", "RoutingError", "ProviderError"}
"""What the run of a draft may fail with: nobody serves its stage, or its model is not connected."""


@given(
    st.one_of(definitions(), storable_definitions()),
    st.lists(st.text(max_size=40), min_size=1, max_size=3),
)
async def test_every_message_to_any_definition_ends_visibly(definition, messages):
    """Decision 2: also where the definition is wrong in every way."""
    limits = Limits(max_turns=6, max_handoffs=2)
    definition = definition.model_copy(update={"limits": limits})
    provider = ScriptedProvider(tokens_per_second=0)
    providers = dict.fromkeys(["scripted", "default"], provider)
    session = session_with(None, definition, providers=providers)
    events = []
    for text in messages:
        events += await say(session, text)
        assert events[-1].type in {"run.completed", "run.failed"}
        assert not session.unfinished
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert {event.error for event in every(RunFailed, events)} <= EXPECTED

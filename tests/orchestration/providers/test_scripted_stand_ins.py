"""How the scripted provider stands in for agents without cues."""

from __future__ import annotations

import pytest

from orchestration.events import HandoffAccepted, HandoffRequested, RunCompleted, StopReason
from orchestration.providers.stand_in import stems
from tests.orchestration.conversations import (
    HANDLER,
    RESOLVER,
    REVIEWER,
    TRIAGE,
    every,
    four_stages,
    only,
    say,
)
from tests.orchestration.scripted_sessions import scripted, texts


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
    """Contract O-12."""
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
    """Contract O-12."""
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

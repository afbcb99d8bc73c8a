"""The stand-in for agents without cues: answers, handoffs and structured output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.definition import Group, PipelineDefinition, Transition
from orchestration.events import (
    HandoffAccepted,
    HandoffRequested,
    MessageCompleted,
    RunCompleted,
    StopReason,
)
from orchestration.providers.scripted import ScriptedProvider
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
    session_with,
)
from tests.orchestration.scripted_sessions import scripted, texts
from tests.orchestration.topologies import agents, chain, with_group


async def played(definition: PipelineDefinition, text: str) -> list[Any]:
    provider = ScriptedProvider(tokens_per_second=0)
    return await say(session_with(None, definition, providers={"default": provider}), text)


def texts_by_agent(events: Any) -> dict[str | None, str]:
    return {event.agent_id: event.text for event in every(MessageCompleted, events) if event.text}


# Answers


async def test_each_agent_of_a_workflow_quotes_the_original_message():
    """Contract H-3."""
    words = texts_by_agent(
        await played(chain("agent-one", "agent-two", "agent-three"), "The tides")
    )
    assert len(words) == 3
    for text in words.values():
        assert text.endswith("You wrote “The tides”.")
        assert text.count("“") == 1


async def test_the_agent_after_a_group_names_its_members():
    """Contract H-9."""
    members = Group(agents=("agent-fact-checker", "agent-style-checker"))
    definition = with_group(
        members, agents=agents("first", *members.agents, "last"), topology="workflow"
    )
    words = texts_by_agent(await played(definition, "The tides"))
    assert words["last"].endswith("I have read Fact checker and Style checker.")
    assert "[" not in "".join(words.values())


async def test_a_member_with_a_dependency_quotes_the_message_and_names_it():
    """Contract H-9."""
    members = Group(
        agents=("agent-facts", "agent-style"), dependencies={"agent-style": ["agent-facts"]}
    )
    definition = with_group(
        members, agents=agents("first", *members.agents, "last"), topology="workflow"
    )
    words = texts_by_agent(await played(definition, "The tides"))
    assert words["agent-style"].endswith("You wrote “The tides”. I have read Facts.")


async def test_quotation_marks_of_the_user_become_inner_ones():
    definition = four_stages(entry="resolution", default_agent_id="agent-resolver")
    [text] = texts_by_agent(await played(definition, "What is “lead”?")).values()
    assert "You wrote “What is \N{LEFT SINGLE QUOTATION MARK}lead" in text


@pytest.mark.parametrize("end", [".", "!", "?", "…"])
async def test_a_quoted_sentence_that_ends_has_no_second_full_stop(end):
    definition = four_stages(entry="resolution", default_agent_id="agent-resolver")
    [text] = texts_by_agent(await played(definition, f"Read the tides{end}")).values()
    assert f"You wrote “Read the tides{end}”" in text
    assert "”." not in text


# Payloads


async def test_a_handoff_payload_contains_the_number_of_the_message():
    """Contract S-3."""
    properties = {"order_number": {"type": "string"}, "question": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    transitions = [Transition(source="intake", target="handling", input_schema=schema)]
    words = "Who handles order A-77?"
    accepted = only(HandoffAccepted, await played(four_stages(transitions=transitions), words))
    assert accepted.payload == {"order_number": "A-77", "question": words}


# Settings


async def test_an_agent_that_must_not_call_tools_does_not_hand_over() -> None:
    text = "I want to talk to the handler about handling"
    assert every(HandoffAccepted, await played(four_stages(), text))
    definition = four_stages()
    silent = tuple(one.model_copy(update={"tool_choice": "none"}) for one in definition.agents)
    events = await played(definition.model_copy(update={"agents": silent}), text)
    assert not every(HandoffAccepted, events)
    assert events[-1].type == "run.completed"


async def test_an_answer_follows_the_response_schema() -> None:
    schema = {
        "type": "object",
        "properties": {"order": {"type": "integer"}, "about": {"type": "string"}},
        "required": ["order", "about"],
    }
    definition = four_stages()
    agents = tuple(one.model_copy(update={"response_schema": schema}) for one in definition.agents)
    events = await played(definition.model_copy(update={"agents": agents}), "Order 7, please")
    answer = json.loads(only(MessageCompleted, events).text)
    assert answer == {"order": 7, "about": "Order 7, please"}


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
async def test_a_topic_of_another_stage_is_handed_over(start, message, target):
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
async def test_own_and_unknown_topics_are_answered(start, message):
    definition = four_stages(entry=start)
    events = await say(scripted(definition), message)
    assert every(HandoffRequested, events) == []
    assert only(RunCompleted, events).reason == StopReason.REPLIED


async def test_a_conversation_is_not_handed_over_again_at_once():
    events = await say(scripted(), "handler, please check the review of what was done")
    assert only(HandoffAccepted, events).to_agent == HANDLER
    assert texts(events)[-1].startswith("Handler here, taking over.")


@pytest.mark.parametrize("message", ["yes please, pass me on", "OK", "Sure, go ahead!"])
async def test_an_accepted_offer_is_a_handoff(message):
    session = scripted()
    assert "I can pass you on to Handler." in texts(await say(session, "Good morning"))[0]
    accepted = only(HandoffAccepted, await say(session, message))
    assert (accepted.to_agent, accepted.reason) == (HANDLER, "The user wants to go on to Handler.")


async def test_thanks_and_a_yes_without_an_offer_have_short_answers():
    session = scripted()
    assert texts(await say(session, "Thanks a lot, bye")) == ["You are welcome."]
    assert texts(await say(session, "ok")) == ["All right. What can I do for you?"]


async def test_a_yes_to_several_offers_is_not_a_handoff():
    session = scripted(four_stages(entry="review", default_agent_id=REVIEWER))
    assert "Resolver or Handler" in texts(await say(session, "Good morning"))[0]
    events = await say(session, "yes")
    assert every(HandoffAccepted, events) == []
    assert texts(events) == ["To whom?"]


async def test_the_description_of_a_stage_counts_besides_the_transition():
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


async def test_a_handoff_reaches_the_matching_stage_of_an_agent():
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

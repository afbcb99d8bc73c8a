"""What an agent without cues says of what it was told, and what it fills into a form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from orchestration.definition import Group, PipelineDefinition, Transition
from orchestration.events import HandoffAccepted, MessageCompleted
from orchestration.providers.arguments import make_up
from orchestration.providers.prompt_parsing import Heard
from orchestration.providers.scripted import ScriptedProvider
from tests.orchestration.conversations import every, four_stages, only, say, session_with
from tests.orchestration.topologies import agents, chain, with_group


async def played(definition: PipelineDefinition, text: str) -> list[Any]:
    provider = ScriptedProvider(tokens_per_second=0)
    return await say(session_with(None, definition, providers={"default": provider}), text)


def said(events: Any) -> dict[str | None, str]:
    return {event.agent_id: event.text for event in every(MessageCompleted, events) if event.text}


# What it speaks of


async def test_in_a_workflow_each_speaks_of_the_message_and_quotes_no_quote():
    """Contract H-3."""
    words = said(await played(chain("agent-one", "agent-two", "agent-three"), "The tides"))
    assert len(words) == 3
    for text in words.values():
        assert text.endswith("You wrote “The tides”.")
        assert text.count("“") == 1


async def test_who_comes_after_a_group_names_its_members_and_quotes_none():
    """Contract H-9."""
    members = Group(agents=("agent-fact-checker", "agent-style-checker"))
    definition = with_group(
        members, agents=agents("first", *members.agents, "last"), topology="workflow"
    )
    words = said(await played(definition, "The tides"))
    assert words["last"].endswith("I have read Fact checker and Style checker.")
    assert "[" not in "".join(words.values())


async def test_a_member_that_waits_for_another_speaks_of_the_message_and_names_the_other():
    """Contract H-9."""
    members = Group(
        agents=("agent-facts", "agent-style"), dependencies={"agent-style": ["agent-facts"]}
    )
    definition = with_group(
        members, agents=agents("first", *members.agents, "last"), topology="workflow"
    )
    words = said(await played(definition, "The tides"))
    assert words["agent-style"].endswith("You wrote “The tides”. I have read Facts.")


def test_the_note_of_a_handoff_is_not_among_the_words():
    note = "[Context from previous agent (agent-desk)]: The board\n> \n> is asked"
    told = f"please the board\n\n{note}\n\n[agent-one]: It is."
    heard = Heard.of([told])
    assert (heard.words, heard.names) == ("please the board", ["One"])


def test_others_words_are_all_there_is_where_nothing_else_was_said():
    heard = Heard.of(["[agent-one]: It\n\nis.", "[two]: So it is."])
    assert (heard.words, heard.text) == ("", "It\n\nis.\n\nSo it is.")
    assert heard.names == ["One", "Two"]


async def test_quotation_marks_of_the_user_become_inner_ones():
    definition = four_stages(entry="resolution", default_agent_id="agent-resolver")
    [text] = said(await played(definition, "What is “lead”?")).values()
    assert "You wrote “What is \N{LEFT SINGLE QUOTATION MARK}lead" in text


@pytest.mark.parametrize("end", [".", "!", "?", "…"])
async def test_a_quoted_sentence_that_ends_has_no_second_full_stop(end):
    definition = four_stages(entry="resolution", default_agent_id="agent-resolver")
    [text] = said(await played(definition, f"Read the tides{end}")).values()
    assert f"You wrote “Read the tides{end}”" in text
    assert "”." not in text


# What it fills in

ORDER = "Where is my order A-77, for 3 people?"


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("order_number", {"type": "string"}, "A-77"),
        ("orderId", {"type": "string"}, "A-77"),
        ("order", {"type": "string", "description": "The number of the order"}, "A-77"),
        ("order_number", {"type": "string", "examples": ["A-1043"]}, "A-77"),
        ("code", {"type": "string", "maxLength": 2}, "3"),
        ("people", {"type": "integer", "maximum": 9}, 3),
        ("people", {"type": "integer", "maximum": 2}, 0),
        ("weight", {"type": "number"}, 77),
        ("question", {"type": "string"}, ORDER),
        ("question", {"type": "string", "maxLength": 8}, ORDER[:8]),
        ("provider", {"type": "string", "examples": ["DHL"]}, "DHL"),
        ("size", {"enum": ["one", "order"]}, "order"),
        ("urgent", {"type": "boolean"}, False),
    ],
)
def test_a_field_takes_of_the_message_what_is_meant_for_it(name, part, value):
    """Contract S-3."""
    schema = {"type": "object", "properties": {name: part}, "required": [name]}
    assert make_up(schema, {"reason": "theirs"}, ORDER) == {name: value}


def test_a_field_for_a_number_that_was_not_named_has_the_example_or_the_message():
    """Contract S-3."""
    properties = {"order_id": {"type": "string", "examples": ["A-1"]}, "code": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    assert make_up(schema, {}, "Where is it?") == {"order_id": "A-1", "code": "Where is it?"}


def test_the_day_of_a_month_is_the_number_of_nothing():
    """Contract S-3."""
    properties = {
        "account_number": {"type": "string", "examples": ["7731"]},
        "amount": {"type": "number", "examples": [29.9]},
    }
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    made = make_up(schema, {}, "I cancelled it on the 2nd of March.")
    assert made == {"account_number": "7731", "amount": 29.9}


async def test_a_handoff_is_told_the_number_and_never_that_the_user_wrote_it():
    """Contract S-3."""
    properties = {"order_number": {"type": "string"}, "question": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    ways = [Transition(source="intake", target="handling", input_schema=schema)]
    words = "Who handles order A-77?"
    accepted = only(HandoffAccepted, await played(four_stages(transitions=ways), words))
    assert accepted.payload == {"order_number": "A-77", "question": words}


# What it is told to do


async def test_who_must_call_no_tool_hands_nothing_over() -> None:
    text = "I want to talk to the handler about handling"
    assert every(HandoffAccepted, await played(four_stages(), text))
    definition = four_stages()
    silent = tuple(one.model_copy(update={"tool_choice": "none"}) for one in definition.agents)
    events = await played(definition.model_copy(update={"agents": silent}), text)
    assert not every(HandoffAccepted, events)
    assert events[-1].type == "run.completed"


async def test_who_answers_by_a_schema_makes_an_answer_up_that_follows_it() -> None:
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

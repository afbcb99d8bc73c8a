"""Handoffs of an agent in Python code."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange import read
from orchestration.interchange.openai_agents.reading.agent_fields import AgentFields
from orchestration.interchange.openai_agents.reading.handoffs import HandoffReader
from orchestration.interchange.openai_agents.reading.parts import ModuleParts
from orchestration.interchange.openai_agents.reading.tools import AgentToolReader
from tests.orchestration.interchange.openai_agents.reading.foreign_code import (
    foreign,
    lost,
    parts_of,
)


def reader(*lines: str) -> tuple[HandoffReader, ModuleParts]:
    """The reader of handoffs between agents that have stages named like their variables."""
    parts = parts_of(*lines)
    phases = {agent: name for name, agent in parts.by_variable.items()}
    return HandoffReader(parts, phases, AgentFields(parts, AgentToolReader(parts))), parts


def handoffs_of(*lines: str) -> tuple[list[dict[str, Any]], list[tuple[str, str, str]]]:
    """The handoffs of the agent `a`, and the losses."""
    handoffs, parts = reader(*lines)
    return handoffs.read(parts.by_variable["a"]), lost(parts.reading)


def test_a_payload_is_any_json_schema() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"minimum": -1, "const": None}}}
    result = read(
        "from agents import Agent, Handoff\nb = Agent(name='B')\n"
        f"a = Agent(name='A', handoffs=[Handoff(input_json_schema={schema!r}, agent_name='B')])\n"
    )
    assert result.definition.transitions[0].input_schema == schema


def test_a_handoff_has_its_schema_name_description_and_filter() -> None:
    transitions = foreign().definition.transitions
    [typed] = [each for each in transitions if each.target == "billing-agent"]
    assert typed.input_schema == {
        "type": "object",
        "properties": {
            "order": {"type": "integer"},
            "reason": {"enum": ["late", "broken"]},
            "notes": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["order", "reason"],
    }
    assert (typed.description, typed.tool_name) == ("A refund", "refund")
    assert typed.input_filter.keep == "no_tools"


@pytest.mark.parametrize(
    "handoff",
    [
        "b",
        "handoff(b)",
        "handoff(agent=b)",
        "later",
        "Handoff(on_invoke_handoff=runtime.to(b))",
        "Handoff(on_invoke_handoff=choose)",
        "Handoff(agent_name=b.name)",
        "Handoff(agent_name='Bills')",
    ],
)
def test_the_target_of_a_handoff_is_an_agent_of_the_module(handoff: str) -> None:
    found, losses = handoffs_of(
        "b = Agent(name='Bills')",
        "later = handoff(b)",
        "async def choose(context, arguments):",
        "    return b",
        f"a = Agent(handoffs=[{handoff}])",
    )
    assert ([each["target"] for each in found], losses) == (["b"], [])


def test_a_second_handoff_to_a_target_or_one_to_an_unknown_target_is_a_loss() -> None:
    found, losses = handoffs_of(
        "b = Agent(name='Same')",
        "c = Agent(name='Same')",
        "a = Agent(handoffs=[Handoff(agent_name='Same'), b, handoff(b), unknown])",
    )
    assert found == [{"target": "b"}]
    assert losses == [("Handoff", "line 3", "left out")] * 3


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("handoff_filters.last_messages(3)", {"keep": "last", "count": 3}),
        ("handoff_filters.question_and_handoff", {"keep": "summary"}),
        ("handoff_filters.matching('true')", {"keep": "matching", "expression": "true"}),
        ("handoff_filters.last_messages(0)", None),
        ("handoff_filters.last_messages(1_001)", None),
        ("handoff_filters.last_messages(count())", None),
        ("handoff_filters.matching(3)", None),
        ("nest_handoff_history", None),
    ],
)
def test_a_filter_of_an_export_is_read_and_another_one_is_a_loss(
    written: str, found: dict[str, Any] | None
) -> None:
    [handoff], losses = handoffs_of(
        "b = Agent()", f"a = Agent(handoffs=[handoff(b, input_filter={written})])"
    )
    assert handoff.get("input_filter") == found
    assert losses == ([] if found else [("Filter", "line 2", "left out")])


def test_the_default_texts_and_schema_of_an_export_are_left_out() -> None:
    found, losses = handoffs_of(
        "b = Agent(name='Bills')",
        "a = Agent(handoffs=[Handoff(tool_name='transfer_to_b', agent_name=b.name,",
        "    tool_description='Transfer the conversation to Bills.',",
        "    input_json_schema=runtime.NOTE)])",
    )
    assert (found, losses) == ([{"target": "b", "description": ""}], [])


def test_agents_as_tools_are_workers_with_their_own_description() -> None:
    handoffs, parts = reader(
        "b = Agent(name='Bills')",
        "a = Agent(tools=[find, unknown.as_tool(), b.as_tool(tool_description=",
        "    'Have Bills do a task, and get the answer. For invoices.'), b.as_tool()])",
    )
    lead = parts.by_variable["a"]
    assert handoffs.workers(lead) == [{"target": "b", "description": "For invoices."}]
    handoffs.lose_workers(lead)
    assert [part for part, *_ in lost(parts.reading)] == ["Agent as a tool"] * 2

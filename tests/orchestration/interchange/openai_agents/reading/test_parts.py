"""Agents, handoffs and tools of a module by their variables."""

from __future__ import annotations

import ast

from orchestration.interchange import read
from tests.orchestration.interchange.openai_agents.reading.foreign_code import (
    expression,
    foreign,
    lost,
    parts_of,
)


def test_a_function_becomes_a_tool_with_its_parameters() -> None:
    tools = foreign().definition.tools_by_name
    assert tools["pay_back"].description == "Pay an order back."
    assert tools["pay_back"].approval
    assert tools["pay_back"].parameters == {
        "type": "object",
        "properties": {"order": {"type": "integer"}, "amount": {"type": "number"}},
        "required": ["order"],
    }


def test_code_without_the_table_of_an_export_reads_agents_in_place_and_in_lists() -> None:
    result = read(
        "from agents import Agent\n"
        "def build():\n"
        "    others = [Agent(name='B'), Agent(name='C')]\n"
        "    a = Agent(name='A', handoffs=[*others, Agent(name='D', handoffs=[])])\n"
        "    a.handoffs.extend(others)\n"
    )
    assert [each.id for each in result.definition.agents] == ["a", "b", "c", "d"]
    assert {each.target for each in result.definition.transitions} == {"b", "c", "d"}


def test_a_clone_has_the_fields_of_its_agent_and_its_own_changes() -> None:
    parts = parts_of(
        "a = Agent('A', model='x', handoff_description='First', tools=[find])",
        "a.model = 'y'",
        "b = a.clone(name='B')",
        "a.tools.append(search)",
        "c = b.clone(tools=[])",
        "d = unknown.clone(name='D')",
    )
    a, b, c = parts.agents
    fields = {name: ast.unparse(value) for name, value in b.fields.items()}
    assert fields == {"name": "'B'", "model": "'y'"}
    assert [len(each.tools) for each in (a, b, c)] == [2, 1, 0]
    assert (b.base, c.original, b.original) == (a, a, a)
    assert "d" not in parts.by_variable


def test_agents_in_a_list_are_found_even_if_nothing_hands_over_to_them() -> None:
    parts = parts_of("others = [Agent(name='B'), find(), Agent(name='C')]")
    assert [ast.unparse(each.fields["name"]) for each in parts.agents] == ["'B'", "'C'"]


def test_later_statements_change_the_handoffs_of_an_agent() -> None:
    parts = parts_of(
        "first = [b]",
        "a = Agent(handoffs=first)",
        "a.handoffs += [c]",
        "a.handoffs.append(d)",
        "a.handoffs.insert(0, e)",
        "a.handoffs = [*a.handoffs, f]",
        "other.handoffs = [g]",
    )
    assert [ast.unparse(each) for each in parts.by_variable["a"].handoffs] == [*"bcdef"]


def test_a_variable_has_its_last_value() -> None:
    parts = parts_of(
        "a = Agent(name='A')",
        "b = a",
        "a = find()",
        "async def main():",
        "    await Runner.run(b, 'Hello')",
        "    Runner.run_sync(a)",
    )
    assert parts.by_variable.keys() == {"b"}
    assert len(parts.agents) == 1
    assert parts.started == ["b", "a"]


def test_lists_and_values_that_only_a_run_could_tell_are_losses() -> None:
    parts = parts_of("names = ['x']", "more = names", "a = Agent(**options)")
    assert [ast.unparse(each) for each in parts.items(expression("more"), "Tools")] == ["'x'"]
    assert len(parts.items(expression("[1] + (2, 3)"), "Tools")) == 3
    assert parts.items(expression("find()"), "Tools") == []
    assert parts.text(expression("find()"), "none", "Name") == "none"
    assert parts.json(expression("find()"), "Payload") is None
    assert parts.json(expression("[1]"), "Payload") is None
    assert lost(parts.reading) == [
        ("Agent", "line 3", "some settings left out"),
        ("Tools", "line 1", "left out"),
        ("Name", "line 1", "left out"),
        ("Payload", "line 1", "left out"),
        ("Payload", "line 1", "left out"),
    ]


def test_a_decorated_function_is_a_tool_with_the_name_and_text_of_the_decorator() -> None:
    parts = parts_of(
        "@function_tool(name_override='search', description_override='Look.', needs_approval=no)",
        "def find(): 'Find.'",
        "@agents.function_tool",
        "def stop(): 'Stop.'",
        "@cache",
        "def other(): ...",
    )
    tools = {name: (t.name, t.description, t.approval) for name, t in parts.tools.items()}
    assert tools == {"find": ("search", "Look.", True), "stop": ("stop", "Stop.", False)}

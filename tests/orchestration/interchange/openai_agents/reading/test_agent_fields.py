"""Fields of agents in Python code."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.openai_agents.reading.agent_fields import AgentFields
from orchestration.interchange.openai_agents.reading.parts import ModuleParts
from orchestration.interchange.openai_agents.reading.tools import AgentToolReader
from tests.orchestration.interchange.openai_agents.reading.foreign_code import (
    foreign,
    lost,
    parts_of,
)


def reader(*lines: str) -> tuple[AgentFields, ModuleParts]:
    parts = parts_of(*lines)
    return AgentFields(parts, AgentToolReader(parts)), parts


def fields_of(*lines: str) -> tuple[dict[str, Any], list[tuple[str, str, str]]]:
    """The fields of the agent `a`, and the losses."""
    fields, parts = reader(*lines)
    return fields.read(parts.by_variable["a"]), lost(parts.reading)


def test_agents_have_their_names_instructions_settings_and_tools() -> None:
    agents = {each.id: each for each in foreign().definition.agents}
    assert agents.keys() == {"billing-agent", "triage"}
    billing = agents["billing-agent"]
    assert billing.instructions == "\n    Answer about invoices. Be brief."
    assert (billing.model, billing.temperature) == ("gpt-4.1-mini", 0.2)
    assert billing.tools == ("find_parcel", "pay_back")
    assert agents["triage"].instructions == "\nFind out what it is about.\n"


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ("temperature=2, max_tokens=1", {"temperature": 2, "max_output_tokens": 1}),
        ("tool_choice='required'", {"tool_choice": "required"}),
        ("reasoning=Reasoning(effort='low')", {"reasoning_effort": "low"}),
    ],
)
def test_model_settings_within_the_limits_are_read(settings: str, fields: dict[str, Any]) -> None:
    found = fields_of(f"s = ModelSettings({settings})", "a = Agent(model_settings=s)")
    assert found == ({"name": "a", "tools": [], **fields}, [])


@pytest.mark.parametrize(
    "setting",
    [
        "temperature=2.1",
        "temperature=True",
        "max_tokens=0",
        "max_tokens=1.5",
        "tool_choice='find'",
        "reasoning=Reasoning()",
        "top_p=1",
        "max_tokens=limit()",
    ],
)
def test_another_model_setting_is_a_loss(setting: str) -> None:
    fields, losses = fields_of(f"a = Agent(model_settings=ModelSettings({setting}))")
    assert fields == {"name": "a", "tools": []}
    name = setting.partition("=")[0]
    assert losses == [("Model settings", "line 1", f"{name} left out")]


def test_instructions_of_an_export_are_read_without_the_functions_around_them() -> None:
    text = "runtime.filled(runtime.in_language('Greet {{name}}.', 'French'), VARIABLES)"
    fields, losses = fields_of(f"a = Agent(instructions={text})")
    assert (fields["instructions"], fields["language"]) == ("Greet {{name}}.", "French")
    assert losses == []


def test_names_and_instructions_that_only_a_run_could_tell_are_losses() -> None:
    fields, losses = fields_of("a = Agent(name=find(), instructions=find('x'), hooks=Hooks())")
    assert (fields["name"], fields["instructions"]) == ("a", "")
    assert [part for part, *_ in losses] == ["Name of an agent", "Instructions", "Agent"]


def test_an_answer_has_the_schema_of_its_class_or_of_an_export() -> None:
    own, _ = fields_of("a = Agent(output_type=runtime.JsonAnswer({'type': 'object'}))")
    assert own["response_schema"] == {"type": "object"}
    known, _ = fields_of("class Found:", "    order: int", "a = Agent(output_type=Found)")
    assert known["response_schema"]["required"] == ["order"]
    plain, losses = fields_of("a = Agent(output_type=str)")
    assert ("response_schema" in plain, losses) == (False, [])
    unknown, losses = fields_of("a = Agent(output_type=shop.Found)")
    assert "response_schema" not in unknown
    assert losses == [("Answer in a schema", "line 1", "left out")]


def test_a_person_and_a_group_are_known_in_an_export_only() -> None:
    lines = (
        "one = Agent(name='One')",
        "a = Agent(instructions=runtime.PERSON)",
        "b = Agent(model=groups.GroupModel({'one': one, 'two': find()}, parallel=False,",
        "    dependencies={'one': []}))",
    )
    fields, parts = reader("PIPELINE = {}", *lines)
    person, group = parts.by_variable["a"], parts.by_variable["b"]
    assert (fields.is_person(person), fields.is_person(group)) == (True, False)
    assert (fields.is_group(person), fields.is_group(group)) == (False, True)
    assert fields.members(group) == {"one": parts.by_variable["one"]}
    assert fields.group(group, {"one": "first", "two": None}) == {
        "agents": ["first"],
        "parallel": False,
        "dependencies": {"one": []},
    }
    assert fields.group(group, {"two": None}) is None
    fields, parts = reader(*lines)
    person, group = parts.by_variable["a"], parts.by_variable["b"]
    assert (fields.is_person(person), fields.is_group(group)) == (False, False)
    assert fields.members(group) == {}

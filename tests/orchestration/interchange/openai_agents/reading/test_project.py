"""Definitions from Python code for the OpenAI Agents SDK."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError
from orchestration.interchange import Import, export, read
from orchestration.loading import load
from tests.orchestration.interchange.openai_agents.exported import HOSTILE, hostile
from tests.orchestration.interchange.openai_agents.reading.foreign_code import FOREIGN, foreign
from tests.orchestration.interchange.round_trips import packed, undeclared_differences
from tests.orchestration.sound_pipeline import sound, team, workflow
from tests.orchestration.strategies import storable_definitions

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda each: each.stem)
def test_an_export_of_a_sample_comes_back(sample: Path) -> None:
    definition = load(sample.read_bytes())
    assert undeclared_differences(definition, "openai-agents") == []
    whole = read(packed(export(definition, "openai-agents").files))
    assert whole.losses == ()
    assert whole.definition.rules == definition.rules


@pytest.mark.parametrize("definition", [sound(), team(), workflow(), *map(hostile, HOSTILE)])
def test_an_export_of_any_topology_and_text_comes_back(definition: PipelineDefinition) -> None:
    if max(len(each.instructions) for each in definition.agents) < 9_000:
        assert undeclared_differences(definition, "openai-agents") == []


@settings(max_examples=25, deadline=None)
@given(storable_definitions())
def test_an_export_of_a_random_definition_comes_back(definition: PipelineDefinition) -> None:
    assert undeclared_differences(definition, "openai-agents") == []
    whole = read(packed(export(definition, "openai-agents").files)).definition
    assert {rule.id for rule in whole.rules} <= {rule.id for rule in definition.rules}


def test_a_default_name_beside_a_name_of_its_own_stays_a_default() -> None:
    schema = {"type": "object"}
    definition = PipelineDefinition.model_validate(
        {
            "name": "Names",
            "topology": "swarm",
            "agents": [{"id": "a", "name": "A"}, {"id": "b", "name": "?"}],
            "stages": [
                {"phase": "b", "kind": "human"},
                {"phase": "n", "agent_id": "b"},
                {"phase": "q", "agent_id": "a"},
            ],
            "transitions": [
                {"source": "n", "target": "n", "input_schema": schema},
                {"source": "n", "target": "b", "input_schema": schema, "tool_name": "ask"},
                {"source": "n", "target": "q", "input_schema": schema, "kind": "return"},
            ],
        }
    )
    assert undeclared_differences(definition, "openai-agents") == []


def test_stages_and_transitions_are_those_of_the_handoffs() -> None:
    definition = foreign().definition
    assert {each.phase: each.agent_id for each in definition.stages} == {
        "billing-agent": "billing-agent",
        "facturas": "billing-agent",
        "triage": "triage",
    }
    assert definition.entry == "triage"
    transitions = {(each.source, each.target): each for each in definition.transitions}
    assert transitions.keys() == {
        ("triage", "billing-agent"),
        ("triage", "facturas"),
        ("billing-agent", "triage"),
        ("facturas", "triage"),
    } - {("facturas", "triage")}


def test_a_part_that_is_not_understood_is_a_loss_with_its_line() -> None:
    lines = FOREIGN.splitlines()
    lost = {(row.part, row.description): row for row in foreign().losses}
    for key, text in {
        ("Tool", "WebSearchTool left out"): "WebSearchTool()",
        ("Tool", "only its name is read"): "find_parcel",
        ("Agent", "hooks left out"): "hooks=Hooks()",
        ("Model settings", "top_p left out"): "top_p=0.5",
        ("Handoff", "on_handoff left out"): "on_handoff=log",
        ("Handoff", "left out"): "unknown",
    }.items():
        assert text in lines[int(lost[key].places[0].removeprefix("line ")) - 1], key


def test_agents_as_tools_of_one_agent_become_a_team() -> None:
    result = read(
        "from agents import Agent\n"
        "worker = Agent(name='Worker', instructions='Work.')\n"
        "lead = Agent(name='Lead', tools=[worker.as_tool(tool_name='x', tool_description='Do')])\n"
    )
    definition = result.definition
    assert (definition.topology, definition.entry) == ("team", "lead")
    [transition] = definition.transitions
    assert (transition.source, transition.target, transition.description) == (
        "lead",
        "worker",
        "Do",
    )


@pytest.mark.parametrize(
    "text",
    [
        "from agents import Agent\nprint(1)",
        "from agents import Agent\n" + "Agent(name='a')\n" * 600,
    ],
    ids=range(2),
)
def test_code_without_an_agent_or_with_too_many_is_refused(text: str) -> None:
    with pytest.raises(DefinitionError):
        read(text, "openai-agents")


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"a{n} = [a{n + 1}, a{n + 1}]\n" for n in range(30))
        + "a30 = ['x']\nb = Agent(name='B', output_type=JsonAnswer({'a': a0}))",
        "a = b\nb = a\nagent = Agent(name=a, handoffs=b, tools=a)",
        "a = Agent(name='A')\na = a\na.handoffs = a.handoffs\na.handoffs = [a, a, *a.handoffs]",
        "a = a.clone()\nb = Agent(**options)\nc = Agent(name=f'{b}', instructions=lambda c, a: '')",
        "b = Agent(handoffs=[handoff(), Handoff(), handoff(1), x.y, 'z', lambda: 1])",
        "b = Agent(tools=[1, x(), f.g(), *y], mcp_servers=[McpServer(), z])",
        "b = Agent(name='x' * 3, model=GroupModel(), model_settings=ModelSettings(temperature=9))",
        "class A:\n    x: 'A'\n    y: list[A]\nb = Agent(output_type=A, name='')",
        "PIPELINE = {'name': ['x'], 'topology': 3}\nSTAGES = {1: b, 'A B': b}\nb = Agent(name='B')",
    ],
)
def test_strange_code_gives_an_agent_and_losses(text: str) -> None:
    result = read(f"from agents import Agent\n{text}", "openai-agents")
    assert isinstance(result, Import)


def test_code_is_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    read(
        f"from agents import Agent\nopen({str(marker)!r}, 'w')\n"
        f"a = Agent(name=open({str(marker)!r}, 'w').name, instructions=str(print('x')))\n"
    )
    assert not marker.exists()

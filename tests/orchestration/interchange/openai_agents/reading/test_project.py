"""Definitions from Python code for the OpenAI Agents SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError
from orchestration.interchange import Import, export, read
from orchestration.loading import load
from tests.orchestration.interchange.openai_agents.test_writing import HOSTILE, hostile
from tests.orchestration.interchange.round_trips import packed, undeclared_differences
from tests.orchestration.sound_pipeline import sound, team, workflow
from tests.orchestration.strategies import storable_definitions

SAMPLES = sorted(Path("designer/pipelines/samples").glob("*.json"))

FOREIGN = '''
from textwrap import dedent
from typing import Literal

from agents import Agent, Handoff, Runner, WebSearchTool, function_tool, handoff
from agents.extensions import handoff_filters
from agents.extensions.handoff_prompt import RECOMMENDED_PROMPT_PREFIX
from pydantic import BaseModel
from shop import find_parcel

STYLE = "Be brief."


class Refund(BaseModel):
    order: int
    reason: Literal["late", "broken"]
    notes: list[str] = []


@function_tool(needs_approval=True)
async def pay_back(context: RunContextWrapper[Shop], order: int, amount: float = 1.0) -> str:
    """Pay an order back.

    Args:
        order: The number.
    """


billing_agent: Agent = Agent[Shop](
    name="Billing Agent",
    handoff_description="Answers about invoices",
    instructions=f"""{RECOMMENDED_PROMPT_PREFIX}
    Answer about invoices. {STYLE}""",
    model="gpt-4.1-mini",
    model_settings=ModelSettings(temperature=0.2, top_p=0.5),
    tools=[pay_back, WebSearchTool(), find_parcel],
    hooks=Hooks(),
)
spanish = billing_agent.clone(name="Facturas", instructions="Responde en español.")


async def to_spanish(context, arguments):
    return spanish


triage = Agent(
    "Triage",
    instructions=dedent("""
        Find out what it is about.
    """),
    handoffs=[
        handoff(
            billing_agent,
            tool_name_override="refund",
            tool_description_override="A refund",
            input_type=Refund,
            on_handoff=log,
            input_filter=handoff_filters.remove_all_tools,
        ),
        unknown,
    ],
)
triage.handoffs.append(
    Handoff(
        tool_name="transfer_to_spanish",
        tool_description="",
        input_json_schema={},
        on_invoke_handoff=to_spanish,
        agent_name=spanish.name,
    )
)
billing_agent.handoffs = [triage]
for agent in []:
    agent.handoffs += [triage]


async def main():
    result = await Runner.run(triage, input("You: "))
'''


def foreign() -> Import:
    return read(FOREIGN)


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


def test_agents_have_their_names_instructions_settings_and_tools() -> None:
    agents = {each.id: each for each in foreign().definition.agents}
    assert agents.keys() == {"billing-agent", "triage"}
    billing = agents["billing-agent"]
    assert billing.instructions == "\n    Answer about invoices. Be brief."
    assert (billing.model, billing.temperature) == ("gpt-4.1-mini", 0.2)
    assert billing.tools == ("find_parcel", "pay_back")
    assert agents["triage"].instructions == "\nFind out what it is about.\n"


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
    typed = transitions["triage", "billing-agent"]
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


def test_a_function_becomes_a_tool_with_its_parameters() -> None:
    tools = foreign().definition.tools_by_name
    assert tools["pay_back"].description == "Pay an order back."
    assert tools["pay_back"].approval
    assert tools["pay_back"].parameters == {
        "type": "object",
        "properties": {"order": {"type": "integer"}, "amount": {"type": "number"}},
        "required": ["order"],
    }


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


def nested(text: str, times: int) -> str:
    return f"from agents import Agent\nx = {text * times}1\na = Agent(name='A')\n"


@pytest.mark.parametrize(
    "text",
    [
        "from agents import Agent\nAgent(",
        "from agents import Agent\nAgent(name='a\0')",
        nested("-", 90_000),
        nested("not ", 5_000),
        nested("(", 5_000),
        nested("lambda: ", 50_000),
        "from agents import Agent\nx = a" + ".a" * 50_000,
        "from agents import Agent\nx = Agent()" + ".clone()" * 50_000,
        "from agents import Agent\nprint(1)",
        "from agents import Agent\n" + "Agent(name='a')\n" * 600,
    ],
    ids=range(10),
)
def test_hostile_source_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(DefinitionError):
        read(text, "openai-agents")


def test_every_version_of_python_reads_code_with_the_same_nesting() -> None:
    assert read(nested("not ", 990), "openai-agents").definition.agents
    with pytest.raises(DefinitionError, match="nested too deep"):
        read(nested("not ", 1_010), "openai-agents")


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


def test_a_payload_is_any_json_schema() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"minimum": -1, "const": None}}}
    result = read(
        "from agents import Agent, Handoff\nb = Agent(name='B')\n"
        f"a = Agent(name='A', handoffs=[Handoff(input_json_schema={schema!r}, agent_name='B')])\n"
    )
    assert result.definition.transitions[0].input_schema == schema

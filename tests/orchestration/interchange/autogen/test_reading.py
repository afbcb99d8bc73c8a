"""Components that AutoGen wrote, read as definitions."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from orchestration.exceptions import DefinitionError, UnknownNameError
from orchestration.interchange import Import, export, read
from orchestration.loading import storage_faults
from tests.orchestration.sound_pipeline import sound

DOCUMENTS = Path(__file__).parent / "documents"


def component(name: str) -> Any:
    return json.loads((DOCUMENTS / f"{name}.json").read_text())


def imported(name: str) -> Import:
    return read((DOCUMENTS / f"{name}.json").read_bytes())


def lost(result: Import) -> dict[str, str]:
    return {place: each.consequence for each in result.losses for place in each.places}


@pytest.mark.parametrize("document", sorted(DOCUMENTS.glob("*.json")), ids=lambda each: each.stem)
def test_a_component_can_be_stored_and_reports_no_secret(document: Path) -> None:
    result = read(document.read_bytes())
    assert result.format == "autogen"
    assert storage_faults(result.definition) == ()
    assert "api_key" not in json.dumps([each.dump() for each in result.rows])


def test_the_handoffs_of_a_swarm_become_transitions() -> None:
    result = imported("swarm")
    definition = result.definition
    assert (definition.topology, definition.entry) == ("swarm", "triage")
    kept = {
        (each.source, each.target): (each.kind, each.description, each.input_filter.keep)
        for each in definition.transitions
    }
    assert kept == {
        ("triage", "billing"): ("next", "When it is about money.", "last"),
        ("triage", "user"): ("return", "", "full"),
        ("billing", "triage"): ("next", "", "full"),
    }
    assert definition.transitions_from["triage"][0].input_filter.count == 8
    assert definition.stages_by_phase["user"].kind == "human"
    assert definition.limits.max_turns == 9
    billing = definition.agents_by_id["billing"]
    assert (billing.provider, billing.model, billing.temperature) == ("openai", "gpt-4o-mini", 0.2)
    assert (billing.instructions, billing.tools) == ("Answer about invoices.", ("find_invoice",))
    assert definition.stages_by_phase["billing"].description == "Answers about invoices."


def test_the_source_of_a_function_gives_its_parameters_and_is_not_run() -> None:
    (tool,) = imported("swarm").definition.tools
    assert tool.description == "Looks an invoice up."
    assert tool.parameters == {
        "type": "object",
        "properties": {"number": {"type": "string"}, "year": {"type": "integer"}},
        "required": ["number"],
    }


def test_every_part_of_a_swarm_that_is_not_read_is_a_loss_with_its_path() -> None:
    tools = "$.config.participants[1].config.workbench[0].config.tools"
    assert set(lost(imported("swarm"))) == {
        "$.config.participants[1].config.handoffs[1]",
        f"{tools}[0].config.source_code",
        "$.config.termination_condition.config.conditions[1]",
    }


def test_a_selector_becomes_handoffs_between_all_participants() -> None:
    result = imported("selector")
    assert result.definition.topology == "swarm"
    assert len(result.definition.transitions) == 6
    assert result.definition.stages_by_phase["user_proxy"].kind == "human"
    assert set(lost(result)) == {"$.provider", "$.config.termination_condition"}


def test_many_participants_of_a_selector_hand_over_by_the_first() -> None:
    value = component("selector")
    one = value["config"]["participants"][0]
    value["config"]["participants"] = [copy.deepcopy(one) for _ in range(30)]
    for number, each in enumerate(value["config"]["participants"]):
        each["config"]["name"] = f"a{number}"
    assert len(read(json.dumps(value)).definition.transitions) == 58


def test_rounds_become_a_workflow() -> None:
    result = imported("round_robin")
    assert result.definition.topology == "workflow"
    assert [(each.source, each.target) for each in result.definition.transitions] == [
        ("writer", "editor")
    ]
    assert set(lost(result)) == {"$.provider"}


def test_the_edges_of_a_graph_become_transitions_with_their_conditions() -> None:
    result = imported("graph")
    assert result.definition.topology == "pipeline"
    kept = {(each.source, each.target): each.description for each in result.definition.transitions}
    assert kept == {
        ("draft", "check"): "",
        ("check", "finish"): "APPROVE",
        ("check", "draft"): "REVISE",
    }
    value = component("graph")
    value["config"]["graph"]["nodes"]["check"]["edges"] = [{"target": "finish"}]
    assert read(json.dumps(value)).definition.topology == "workflow"


def test_http_and_mcp_tools_and_an_answer_in_a_schema_are_read() -> None:
    result = imported("tools")
    (agent,) = result.definition.agents
    tools = result.definition.tools_by_name
    assert agent.tools == ("find_order", "search")
    assert agent.response_schema is not None
    assert agent.response_schema["required"] == ["amount"]
    assert tools["find_order"].http is not None
    assert tools["find_order"].http.url == "https://shop.example/orders/{id}"
    assert tools["find_order"].time_limit == 5
    assert tools["search"].mcp is not None
    assert tools["search"].mcp.connection == "docs-example"
    base = "$.config.workbench[0].config.tools[1].config"
    assert set(lost(result)) == {"$.config.model_client.config.base_url", f"{base}.server_params"}


def test_the_tools_of_an_mcp_server_are_a_loss() -> None:
    result = imported("mcp")
    assert (
        lost(result)["$.config.workbench[0]"] == "Connect the server as uvx and choose its tools."
    )


@pytest.mark.parametrize(
    "change",
    [
        {"participants": 3},
        {"participants": [3]},
        {"participants": [{"component_type": "team", "provider": "x.Swarm"}]},
        {"participants": []},
    ],
)
def test_a_team_without_an_agent_is_refused(change: dict[str, Any]) -> None:
    value = component("swarm")
    value["config"] |= change
    with pytest.raises(DefinitionError, match="no agent"):
        read(json.dumps(value))


@pytest.mark.parametrize(
    "change",
    [
        {"handoffs": [3, {"target": 3}, "nobody"]},
        {"model_client": {"provider": "my.Client", "config": {"model": 3, "temperature": 9}}},
        {
            "workbench": [
                3,
                {"provider": "my.Bench"},
                {"provider": "x.StaticWorkbench", "config": 3},
            ]
        },
        {
            "tools": [
                {},
                {"provider": "x.FunctionTool", "config": {"name": "f", "source_code": "def"}},
            ]
        },
        {"tools": [{"provider": "x.HttpTool", "config": {"name": "f", "scheme": "ftp"}}]},
        {"tools": [{"provider": "x.StdioMcpToolAdapter", "config": {"tool": 3}}]},
        {"model_context": {"provider": "x.BufferedChatCompletionContext", "config": 3}},
        {"system_message": ["x"], "memory": [{}], "max_tool_iterations": 3},
    ],
)
def test_a_malformed_part_is_a_loss_and_no_refusal(change: dict[str, Any]) -> None:
    value = component("swarm")
    before = len(read(json.dumps(value)).losses)
    value["config"]["participants"][1]["config"] |= change
    result = read(json.dumps(value))
    assert len(result.definition.agents) == 2
    assert len(result.losses) >= before
    assert result.losses


def test_an_unknown_team_keeps_its_agents() -> None:
    value = component("round_robin") | {"provider": "autogen_agentchat.teams.MagenticOneGroupChat"}
    result = read(json.dumps(value))
    assert (len(result.definition.agents), result.definition.transitions) == (2, ())
    assert lost(result)["$.provider"] == "The agents have no transitions: add them."


def test_autogen_is_only_imported() -> None:
    with pytest.raises(UnknownNameError):
        export(sound(), "autogen")
    with pytest.raises(DefinitionError, match="no agent of AutoGen"):
        read("{}", "autogen")


@pytest.mark.timeout(20)
def test_a_large_team_is_refused_soon() -> None:
    value = component("selector")
    one = value["config"]["participants"][2]
    value["config"]["participants"] = [
        one | {"provider": "x.AssistantAgent", "config": {"name": f"a{number}"}}
        for number in range(5_000)
    ]
    with pytest.raises(DefinitionError, match="more than 500"):
        read(json.dumps(value))

"""Components that AutoGen wrote, read as definitions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestration.exceptions import DefinitionError, UnknownNameError
from orchestration.interchange import export, read
from orchestration.loading import storage_faults
from tests.orchestration.interchange.autogen.imported import DOCUMENTS, component, imported, lost
from tests.orchestration.sound_pipeline import sound


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


def test_every_part_of_a_swarm_that_is_not_read_is_a_loss_with_its_path() -> None:
    tools = "$.config.participants[1].config.workbench[0].config.tools"
    assert set(lost(imported("swarm"))) == {
        "$.config.participants[1].config.handoffs[1]",
        f"{tools}[0].config.source_code",
        "$.config.termination_condition.config.conditions[1]",
    }


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

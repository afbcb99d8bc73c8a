"""Transitions and topologies of the kinds of teams of AutoGen."""

from __future__ import annotations

import copy
import json

from orchestration.interchange import read
from tests.orchestration.interchange.autogen.imported import component, imported, lost


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


def test_an_unknown_team_keeps_its_agents() -> None:
    value = component("round_robin") | {"provider": "autogen_agentchat.teams.MagenticOneGroupChat"}
    result = read(json.dumps(value))
    assert (len(result.definition.agents), result.definition.transitions) == (2, ())
    assert lost(result)["$.provider"] == "The agents have no transitions: add them."

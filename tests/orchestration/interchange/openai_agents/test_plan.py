"""Variables of agents in a project, and the transitions that become handoffs."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.openai_agents.plan import ProjectPlan
from tests.orchestration.sound_pipeline import SOUND, sound, team, workflow

GROUP = {"phase": "checks", "kind": "group", "group": {"agents": ["handler", "reviewer", "gone"]}}


def targets(phase: str, plan: ProjectPlan) -> dict[str, str]:
    return {tool: each.target for each, tool in plan.handoffs(phase)}


def test_each_stage_member_and_other_agent_has_a_variable_of_its_own() -> None:
    stages = [
        {"phase": "runtime", "agent_id": "triage"},
        {"phase": "watcher", "agent_id": "triage"},
        {"phase": "checks-handler", "agent_id": "reviewer"},
        GROUP,
    ]
    plan = ProjectPlan(sound(stages=stages, transitions=[], tools=[{"name": "checks"}]))
    assert plan.stages["runtime"] == "runtime_2"
    assert plan.members.keys() == {("checks", "handler"), ("checks", "reviewer")}
    assert plan.members["checks", "handler"] == "checks_handler_2"
    assert plan.unplaced == {"watcher": "watcher_2"}
    tools = [each.tool for each in plan.tools.values()]
    names = [*tools, *plan.stages.values(), *plan.members.values(), *plan.unplaced.values()]
    assert len(set(names)) == len(names)
    assert plan.agents["triage"] == "runtime_2"


def test_a_stage_hands_over_once_to_each_existing_target() -> None:
    transitions = [
        {"source": "intake", "target": "handling", "description": "A"},
        {"source": "intake", "target": "handling", "description": "B", "kind": "return"},
        {"source": "intake", "target": "missing", "kind": "return"},
        {"source": "missing", "target": "handling"},
    ]
    plan = ProjectPlan(sound(transitions=transitions))
    assert targets("intake", plan) == {"transfer_to_handler": "handling"}
    assert [each.description for each, _ in plan.handoffs("intake")] == ["A"]
    assert targets("review", plan) == {}
    assert plan.following == {"intake": "handling"}


def test_only_the_lead_of_a_team_delegates_and_no_stage_of_a_workflow_hands_over() -> None:
    more = {"source": "handling", "target": "review"}
    lead = ProjectPlan(team(transitions=[*team().model_dump()["transitions"], more]))
    assert targets("intake", lead) == {
        "delegate_to_handler": "handling",
        "delegate_to_reviewer": "review",
    }
    assert targets("handling", lead) == {}
    assert not any(ProjectPlan(workflow()).handoffs(phase) for phase in ("intake", "handling"))


@pytest.mark.parametrize(
    ("changes", "chain"),
    [
        ({}, ["intake", "handling", "review", "desk"]),
        ({"topology": "pipeline"}, []),
        ({"entry": None}, []),
        (
            {
                "transitions": [
                    {"source": "intake", "target": "handling"},
                    {"source": "handling", "target": "intake"},
                ]
            },
            [],
        ),
    ],
)
def test_only_a_workflow_without_a_circle_is_a_chain(
    changes: dict[str, Any], chain: list[str]
) -> None:
    assert ProjectPlan(workflow(**changes)).chain() == chain


def test_an_agent_calls_a_person_unless_a_handoff_leads_to_one() -> None:
    plan = ProjectPlan(sound())
    stages = plan.definition.stages_by_phase
    calling = {phase: plan.calls_person(stage) for phase, stage in stages.items()}
    assert calling == {"intake": True, "handling": True, "review": False, "desk": False}
    assert plan.stage_tools(stages["handling"]) == ["lookup", "transfer_to_human"]
    assert plan.stage_tools(stages["desk"]) == ["ask_person"]


def test_a_tool_with_the_name_of_a_handoff_is_left_out_in_that_stage_only() -> None:
    typed = {
        "source": "handling",
        "target": "review",
        "input_schema": {"type": "object"},
        "tool_name": "lookup",
    }
    stages = [*SOUND["stages"], {"phase": "again", "agent_id": "handler"}]
    plan = ProjectPlan(sound(stages=stages, transitions=[typed]))
    names = {
        phase: [each.name for each in plan.own_tools("handler", phase)]
        for phase in ("handling", "again")
    }
    assert names == {"handling": [], "again": ["lookup"]}

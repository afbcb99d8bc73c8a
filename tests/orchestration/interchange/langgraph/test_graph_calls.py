"""Nodes and edges of the graph: the statements of `build`."""

from __future__ import annotations

import ast
from typing import Any

from orchestration.interchange.langgraph.agent_calls import AgentCalls
from orchestration.interchange.langgraph.graph_calls import graph_calls
from orchestration.interchange.langgraph.plan import Plan
from orchestration.interchange.project import tool_names
from orchestration.interchange.python_code import literal
from tests.orchestration.interchange.langgraph.exported import desk, files_of

STAGES = [
    {"phase": "intake", "agent_id": "triage"},
    {"phase": "checks", "kind": "group", "group": {"agents": ["billing"]}},
    {"phase": "desk", "kind": "human"},
]
WAYS = [{"source": "intake", "target": "checks"}, {"source": "checks", "target": "desk"}]


def graph(**changes: Any) -> list[str]:
    """The statements, each on one line."""
    definition = desk(**changes)
    plan = Plan(definition)
    calls = graph_calls(plan, AgentCalls(plan, tool_names(definition), []))
    return [ast.unparse(ast.parse(literal(each))) for each in calls]


def test_a_handoff_to_a_person_needs_no_transition() -> None:
    source = files_of(desk(allow_human=True))["agents.py"]
    assert 'tool="transfer_to_human",\n                        target="escalation"' in source
    assert 'builder.add_node("escalation", human_stage("escalation", STAGES))' in source


def test_a_definition_without_a_stage_that_runs_has_no_statements() -> None:
    assert graph(stages=[], transitions=[]) == []
    assert graph(stages=[{"phase": "later"}], transitions=[]) == []


def test_a_group_goes_on_to_the_next_stage() -> None:
    statements = graph(stages=STAGES, transitions=WAYS)
    served = "group_stage('checks', group({'billing': billing(model)}, {}), after='desk')"
    assert f"builder.add_node('checks', {served})" in statements
    assert "builder.add_edge('checks', 'desk')" in statements
    last = graph(stages=STAGES, transitions=WAYS[:1])
    assert "builder.add_edge('checks', END)" in last
    assert not any("after=" in each for each in last)


def test_a_person_goes_on_to_the_next_stage_in_a_workflow_only() -> None:
    ways = [
        *WAYS[:1],
        {"source": "intake", "target": "desk"},
        {"source": "desk", "target": "checks"},
    ]
    person = "builder.add_node('desk', human_stage('desk', STAGES))"
    assert person in graph(stages=STAGES, transitions=ways)
    after = "builder.add_node('desk', human_stage('desk', STAGES, after='checks'))"
    assert after in graph(stages=STAGES, transitions=ways, topology="workflow")


def test_a_stage_without_a_handoff_or_one_that_waits_leads_to_the_end() -> None:
    way = {"source": "intake", "target": "bills"}
    statements = graph(transitions=[way])
    assert statements[1:] == [
        "builder.add_node('bills', bills(model))",
        "builder.add_edge('bills', END)",
        "builder.add_node('intake', intake(model))",
        "builder.add_conditional_edges('intake', next_stage('intake'), ['bills', END])",
    ]
    waiting = graph(transitions=[way], on_handoff="wait")
    assert waiting[-1] == "builder.add_edge('intake', END)"


def test_a_workflow_or_team_always_starts_at_its_entry() -> None:
    rules = [{"id": "money", "agent_id": "billing", "conditions": {"intents": ["bill"]}}]
    for topology in ("workflow", "team"):
        statements = graph(topology=topology, rules=rules)
        assert statements[0] == "builder.add_edge(START, 'intake')"
    assert "first_stage" in graph(rules=rules)[0]
    assert graph()[0].startswith("add_active_agent_router(builder, ")

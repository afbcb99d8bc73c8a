"""Calls of `create_agent`: the prompt, the tools and the middleware of each agent."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.interchange.langgraph.agent_calls import AgentCalls
from orchestration.interchange.langgraph.plan import Plan
from orchestration.interchange.project import tool_names
from orchestration.interchange.python_code import literal
from orchestration.prompts import SEPARATOR
from tests.orchestration.interchange.langgraph.exported import calls_in, desk, files_of

INTAKE = {"phase": "intake", "agent_id": "triage"}
GROUP = {
    "phase": "checks",
    "kind": "group",
    "group": {"agents": ["billing", "triage"], "parallel": False},
}


def agent_calls(**changes: Any) -> AgentCalls:
    definition = desk(**changes)
    return AgentCalls(Plan(definition), tool_names(definition), ["intake"])


def functions(calls: AgentCalls) -> dict[str, str]:
    """The source of the calls by the names of their functions, on one line."""
    found = {name: ast.parse(literal(call)) for name, _, call in calls.functions()}
    return {name: ast.unparse(tree) for name, tree in found.items()}


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"fallback": "openai", "fallback_model": "small"}, 1),
        ({"fallback": "openai"}, 1),
        ({"fallback_model": "small"}, 0),
    ],
)
def test_only_an_agent_with_a_fallback_provider_has_a_fallback(
    settings: dict[str, Any], count: int
) -> None:
    agents = [{"id": "triage", "name": "Triage"} | settings, {"id": "billing", "name": "Billing"}]
    source = files_of(desk(agents=agents))["agents.py"]
    assert len(calls_in(source, "ModelFallbackMiddleware")) == count


@given(st.text(max_size=40).filter(str.strip))
def test_any_instructions_reach_the_agent_unchanged(text: str) -> None:
    agents = [{"id": "triage", "name": "Triage", "instructions": text}]
    source = files_of(desk(agents=agents, transitions=[]))["agents.py"]
    constants = {n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant)}
    assert any(str(each).endswith(f"{SEPARATOR}{text.strip()}") for each in constants)


def test_stages_and_members_have_functions_of_their_own() -> None:
    ways = [{"source": "intake", "target": "triage"}, {"source": "triage", "target": "checks"}]
    stages = [INTAKE, {"phase": "triage", "agent_id": "triage"}, GROUP]
    calls = agent_calls(stages=stages, transitions=ways)
    assert functions(calls).keys() == {"intake_2", "triage", "billing", "triage_2"}
    assert literal(calls.of_stage("intake")) == "intake_2(model)"
    assert literal(calls.of_member("triage")) == "triage_2(model)"


def test_a_member_has_its_own_instructions_and_no_handoffs() -> None:
    way = {"source": "intake", "target": "checks"}
    stages = [INTAKE, GROUP]
    source = functions(agent_calls(stages=stages, transitions=[way]))
    assert "system_prompt='Ask.'" in source["triage"]
    assert "HandoffMiddleware" not in source["triage"]
    assert "ModelCallLimitMiddleware(run_limit=MAX_TURNS)" in source["triage"]
    assert "The conversation is in stage intake." in source["intake_2"]
    assert "HandoffMiddleware('intake'" in source["intake_2"]


def test_only_the_lead_of_a_team_has_tools_that_delegate() -> None:
    ways = [
        {"source": "intake", "target": "bills"},
        {"source": "intake", "target": "checks", "kind": "return"},
    ]
    stages = [INTAKE, {"phase": "bills", "agent_id": "billing"}, GROUP]
    source = functions(agent_calls(topology="team", stages=stages, transitions=ways))
    assert source["intake_2"].count("delegation_tool(") == 2
    assert "worker(bills(model))" in source["intake_2"]
    assert "{'triage': ['billing']}, chained=True)" in source["intake_2"]
    assert not any("delegation_tool(" in source[name] for name in ("bills", "billing", "triage"))


def test_a_missing_tool_is_left_out() -> None:
    agents = [
        {"id": "triage", "name": "Triage", "tools": ["gone"]},
        {"id": "billing", "name": "Billing", "tools": ["find_invoice", "gone"]},
    ]
    source = functions(agent_calls(agents=agents))
    assert source["intake_2"].startswith("create_agent(model('triage'), [], ")
    assert source["bills"].startswith("create_agent(model('billing'), [tools.find_invoice_tool], ")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"supervisor_id": "triage"},
        {"supervisor_id": "gone", "supervision": {"ask_at": ["handoff"]}},
        {"supervisor_id": "triage", "supervision": {"ask_at": []}},
    ],
)
def test_a_supervisor_that_is_never_called_has_no_call(changes: dict[str, Any]) -> None:
    assert agent_calls(**changes).supervisor() is None

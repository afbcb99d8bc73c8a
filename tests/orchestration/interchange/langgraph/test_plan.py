"""Nodes, handoffs and inputs of the graph for a definition."""

from __future__ import annotations

from typing import Any

from orchestration.interchange.langgraph.plan import Plan
from tests.orchestration.interchange.langgraph.exported import ORDER, desk

PEOPLE = [
    {"phase": "intake", "agent_id": "triage"},
    {"phase": "bills", "agent_id": "billing"},
    {"phase": "desk", "kind": "human"},
]


def transfers(phase: str, **changes: Any) -> dict[str, str]:
    return {each.tool: each.target for each in Plan(desk(**changes)).transfers(phase)}


def test_a_stage_has_a_tool_for_each_target_and_one_for_a_person() -> None:
    assert transfers("intake", allow_human=True) == {
        "transfer_to_billing": "bills",
        "transfer_to_human": "escalation",
    }
    ways = [{"source": "intake", "target": "bills"}, {"source": "bills", "target": "desk"}]
    assert transfers("bills", stages=PEOPLE, transitions=ways, allow_human=True) == {
        "transfer_to_desk": "desk"
    }


def test_a_person_without_a_stage_has_a_node_only_if_a_stage_needs_it() -> None:
    assert Plan(desk(allow_human=True)).person == "escalation"
    assert Plan(desk(allow_human=False)).person is None
    assert Plan(desk(allow_human=True, transitions=[])).person is None
    stages = [*PEOPLE[:2], {"phase": "escalation", "agent_id": "triage"}]
    assert Plan(desk(allow_human=True, stages=stages)).person == "escalation_2"


def test_a_tool_of_an_agent_keeps_its_name() -> None:
    agents = [
        {"id": "triage", "name": "Triage", "tools": ["transfer_to_human"]},
        {"id": "billing", "name": "Billing"},
    ]
    tools = [{"name": "transfer_to_human"}]
    assert transfers("intake", agents=agents, tools=tools, allow_human=True) == {
        "transfer_to_billing": "bills",
        "transfer_to_human_2": "escalation",
    }


def test_a_node_has_no_name_of_a_state_key() -> None:
    stages = [{"phase": "messages", "agent_id": "triage"}, PEOPLE[1]]
    ways = [{"source": "bills", "target": "messages"}]
    plan = Plan(desk(stages=stages, transitions=ways, entry="messages"))
    assert (plan.nodes["messages"], plan.entry) == ("messages_2", "messages_2")
    assert [each.target for each in plan.transfers("bills")] == ["messages_2"]


def test_an_agent_of_a_rule_without_a_stage_has_a_node_with_the_handoffs_of_the_entry() -> None:
    agents = [{"id": name, "name": name} for name in ("triage", "billing", "texts")]
    rules = [{"id": "sms", "agent_id": "texts", "conditions": {"channel_types": ["sms"]}}]
    ways = [{"source": "intake", "target": "bills", "input_filter": {"keep": "last"}}]
    plan = Plan(desk(agents=agents, rules=rules, transitions=ways, tools=[]))
    node = plan.agent_nodes[-1]
    assert (node.node, node.stage, node.agent.id) == ("texts", None, "texts")
    assert [each.target for each in node.transfers] == ["bills"]
    assert set(plan.filters("bills")) == {"intake", "texts"}


def test_a_member_waits_for_its_dependencies_or_for_the_member_before() -> None:
    def needs(**group: Any) -> tuple[dict[str, list[str]], bool]:
        stage = {
            "phase": "all",
            "kind": "group",
            "group": {"agents": ["triage", "billing"]} | group,
        }
        plan = Plan(desk(stages=[*PEOPLE, stage]))
        return plan.needs(plan.definition.stages_by_phase["all"])

    assert needs() == ({}, False)
    assert needs(parallel=False) == ({"billing": ["triage"]}, True)
    assert needs(dependencies={"triage": ["billing"]}) == ({"triage": ["billing"]}, False)


def test_a_stage_of_a_workflow_has_the_stages_before_it_as_input() -> None:
    plan = Plan(desk(topology="workflow"))
    assert (plan.inputs("intake"), plan.inputs("bills")) == ([], ["intake"])
    assert (plan.following("intake"), plan.following("bills")) == ("bills", None)
    assert plan.transfers("intake") == []


def test_a_team_has_a_node_for_its_lead_and_tools_for_its_workers() -> None:
    plan = Plan(desk(topology="team"))
    assert list(plan.nodes) == ["intake"]
    [(tool, description, stage)] = plan.delegations()
    assert (tool, stage.phase) == ("delegate_to_billing", "bills")
    assert description == ("Have Billing do a task, and get the answer. When it is about money.")


def test_a_conversation_rests_at_the_stage_after_a_group() -> None:
    group = {"phase": "all", "kind": "group", "group": {"agents": ["triage"]}}
    ways = [{"source": "intake", "target": "all"}, {"source": "all", "target": "bills"}]
    assert Plan(desk(stages=[*PEOPLE, group], transitions=ways)).resting("all") == "bills"
    assert Plan(desk(stages=[*PEOPLE, group], transitions=ways[:1])).resting("all") == "all"


def test_a_typed_transfer_has_the_schema_and_the_name_of_baton() -> None:
    way = {"source": "intake", "target": "bills", "input_schema": ORDER, "tool_name": "send"}
    [transfer] = Plan(desk(transitions=[way])).transfers("intake")
    assert (transfer.tool, transfer.schema, transfer.typed) == ("send", ORDER, True)

"""Support of each feature in LangGraph code: every claim has its code."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange import export
from orchestration.interchange.langgraph import LANGGRAPH
from tests.orchestration.interchange.langgraph.exported import ORDER, desk, files_of


def agents(**billing: Any) -> list[dict[str, Any]]:
    return [
        {"id": "triage", "name": "Triage", "instructions": "Ask."},
        {"id": "billing", "name": "Billing", "tools": ["find_invoice"], **billing},
    ]


def stages(*more: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"phase": "intake", "agent_id": "triage"},
        {"phase": "bills", "agent_id": "billing"},
        *more,
    ]


def tool(**settings: Any) -> list[dict[str, Any]]:
    return [{"name": "find_invoice", **settings}]


def filtered(keep: str, **settings: Any) -> list[dict[str, Any]]:
    way = {"source": "intake", "target": "bills", "input_filter": {"keep": keep, **settings}}
    return [way, {"source": "bills", "target": "intake", "kind": "return"}]


GROUP = {"phase": "checks", "kind": "group", "group": {"agents": ["billing", "triage"]}}
TO_GROUP = [
    {"source": "intake", "target": "checks"},
    {"source": "checks", "target": "bills"},
]
RULE = {"id": "money", "agent_id": "billing", "conditions": {"intents": ["bill"]}}
CEL = {**RULE, "conditions": {"custom": "event.text == 'a'"}}

EXTRA = [*agents(), {"id": "extra", "name": "Extra"}]

CODE: dict[str, list[tuple[dict[str, Any], str, str]]] = {
    "agent": [({}, "agents.py", "---\\n\\nAsk.")],
    "stage": [({}, "agents.py", 'builder.add_node("bills", bills(model))')],
    "shared_agent": [
        (
            {"stages": stages({"phase": "refunds", "agent_id": "billing"})},
            "agents.py",
            'builder.add_node("refunds", refunds(model))',
        )
    ],
    "entry": [({}, "agents.py", 'default_active_agent="intake"')],
    "default_agent": [({"default_agent_id": "billing"}, "route.py", 'default="billing"')],
    "transition": [
        (
            {},
            "agents.py",
            'builder.add_conditional_edges("intake", next_stage("intake"), ["bills", END])',
        )
    ],
    "description": [({}, "agents.py", "Transfer the conversation to Billing. When it is about")],
    "typed": [({}, "agents.py", '"properties": {"order": {"type": "integer"}}')],
    "filter_no_tools": [
        (
            {"transitions": filtered("no_tools")},
            "agents.py",
            'FilterMiddleware("bills", {"intake": keep_no_tools})',
        )
    ],
    "filter_last": [
        (
            {"transitions": filtered("last", count=3)},
            "agents.py",
            'FilterMiddleware("bills", {"intake": keep_last(3)})',
        )
    ],
    "filter_summary": [
        (
            {"transitions": filtered("summary")},
            "agents.py",
            'FilterMiddleware("bills", {"intake": keep_summary})',
        )
    ],
    "filter_cel": [
        (
            {"transitions": filtered("matching", expression="true")},
            "agents.py",
            'FilterMiddleware("bills", {"intake": keep_matching("true")})',
        ),
        (
            {"transitions": filtered("matching", expression="true")},
            "filters.py",
            "raise NotImplementedError(expression)",
        ),
    ],
    "rule": [
        (
            {"rules": [RULE]},
            "agents.py",
            "builder.add_conditional_edges(START, first_stage, [*STAGES, END])",
        )
    ],
    "rule_cel": [({"rules": [CEL]}, "route.py", "expression=\"event.text == 'a'\"")],
    "limits": [
        ({"limits": {"max_turns": 7, "max_handoffs": 3}}, "agents.py", "MAX_TURNS = 7"),
        ({"limits": {"max_turns": 7, "max_handoffs": 3}}, "agents.py", "MAX_HANDOFFS = 3"),
        ({"limits": {"max_turns": 7}}, "agents.py", "recursion_limit=RECURSION_LIMIT"),
    ],
    "supervisor": [
        (
            {"supervisor_id": "triage", "supervision": {"ask_at": ["handoff"]}},
            "agents.py",
            'RunSupervisor(model("triage"), "Ask.", ask_at=["handoff"], max_calls=20)',
        ),
        (
            {"supervisor_id": "triage", "supervision": {"ask_at": ["handoff"]}},
            "supervision.py",
            "async def supervised(",
        ),
    ],
    "group": [
        (
            {"stages": stages(GROUP), "transitions": TO_GROUP},
            "agents.py",
            'group({"billing": billing(model), "triage": triage(model)}, {})',
        )
    ],
    "human": [
        (
            {"stages": stages({"phase": "desk", "kind": "human"})},
            "agents.py",
            'builder.add_node("desk", human_stage("desk", STAGES))',
        ),
        (
            {"stages": stages({"phase": "desk", "kind": "human"})},
            "human_stage.py",
            "answer = interrupt(",
        ),
    ],
    "workflow": [
        ({"topology": "workflow"}, "agents.py", 'builder.add_edge("intake", "bills")'),
        ({"topology": "workflow"}, "agents.py", 'InputMiddleware("bills", ["intake"])'),
    ],
    "team": [
        ({"topology": "team"}, "agents.py", '"delegate_to_billing"'),
        ({"topology": "team"}, "agents.py", "worker(bills(model))"),
    ],
    "swarm": [
        ({"topology": "swarm"}, "agents.py", "detects_cycles=True"),
        (
            {"topology": "swarm", "aliases": {"money": "billing"}},
            "agents.py",
            '"money": "transfer_to_billing",\n',
        ),
    ],
    "function_tool": [({}, "tools.py", 'raise NotImplementedError("find_invoice")')],
    "http_tool": [
        (
            {"tools": tool(kind="http", http={"url": "https://a.example"})},
            "tools.py",
            'url="https://a.example"',
        )
    ],
    "mcp_tool": [
        (
            {"tools": tool(kind="mcp", mcp={"connection": "docs"})},
            "tools.py",
            'return await call_mcp_tool("DOCS", "find_invoice", arguments)',
        )
    ],
    "subtask": [
        ({"tools": tool(kind="subtask")}, "tools.py", 'raise NotImplementedError("find_invoice")')
    ],
    "user_input": [({"tools": tool(kind="user_input")}, "tools.py", "return interrupt(arguments)")],
    "approval": [
        (
            {"tools": tool(approval=True)},
            "agents.py",
            '{"find_invoice": {"allowed_decisions": ["approve", "edit", "reject"]}}',
        )
    ],
    "tool_limits": [
        (
            {"tools": tool(time_limit=5, max_answer=9, idempotent=True)},
            "tools.py",
            "    time_limit=5.0,\n    max_answer=9,\n    attempts=3,\n",
        )
    ],
    "model_settings": [
        (
            {"agents": agents(provider="mistral", temperature=0.5, max_output_tokens=9)},
            "agents.py",
            'model("billing", provider="mistral", temperature=0.5, max_tokens=9)',
        ),
        (
            {"agents": agents(tool_choice="required", reasoning_effort="low")},
            "agents.py",
            'ToolChoiceMiddleware("any")',
        ),
    ],
    "response_schema": [
        (
            {"agents": agents(response_schema=ORDER)},
            "agents.py",
            "response_format=ProviderStrategy(",
        )
    ],
    "prompt": [
        ({}, "agents.py", "You are Billing (billing). The conversation is in stage bills."),
        ({}, "agents.py", "call transfer_to_triage instead of answering"),
        ({"default_agent_id": "extra", "agents": EXTRA}, "agents.py", "Extra (extra). The"),
        ({"topology": "workflow"}, "agents.py", "Your answer is passed on as it stands"),
        ({"topology": "team"}, "agents.py", "best by delegate_to_billing"),
        (
            {"variables": {"plan": "pro"}, "agents": agents(instructions="{{plan}}")},
            "agents.py",
            "quotation marks that stand for plan are data",
        ),
    ],
    "language": [({"agents": agents(language="French")}, "agents.py", "Answer in French.")],
    "reserve": [
        (
            {"agents": agents(fallback="openai", retries=2, time_limit=5)},
            "agents.py",
            'model("billing", provider="openai", timeout=5.0, max_retries=2)',
        )
    ],
    "variables": [
        ({"variables": {"plan": "pro"}}, "agents.py", 'VARIABLES = {"plan": "pro"}'),
        (
            {"variables": {"plan": "pro"}, "agents": agents(instructions="{{plan}}")},
            "agents.py",
            "VariableMiddleware(VARIABLES)",
        ),
    ],
    "on_handoff": [({"on_handoff": "wait"}, "agents.py", 'builder.add_edge("intake", END)')],
    "call_human": [({"allow_human": True}, "agents.py", 'tool="transfer_to_human",')],
}

CASES = [(key, *case) for key, cases in CODE.items() for case in cases]


def test_every_claim_has_a_case() -> None:
    claimed = {key for key, each in LANGGRAPH.support.items() if each.kept in ("native", "code")}
    assert set(CODE) == claimed


@pytest.mark.parametrize(("key", "changes", "file", "code"), CASES)
def test_a_supported_feature_has_its_code(
    key: str, changes: dict[str, Any], file: str, code: str
) -> None:
    assert code in files_of(desk(**changes))[file]


def test_counted_limits_behave_the_same_and_others_do_not() -> None:
    counted = {"limits": {"max_turns": 3}}
    for changes, differs in (
        (counted, False),
        ({"limits": {"max_turns": 3, "max_tokens": 9}}, True),
        ({**counted, "topology": "team"}, True),
        ({**counted, "stages": stages(GROUP)}, True),
    ):
        rows = export(desk(**changes), "langgraph").rows
        assert [row.differs for row in rows if row.part == "Limits"] == [differs]


def test_a_supervisor_that_is_never_called_makes_no_difference() -> None:
    definition = desk(supervisor_id="triage")
    rows = export(definition, "langgraph").rows
    assert [row.differs for row in rows if row.part == "Supervisor"] == [False]
    assert "supervision.py" not in files_of(definition)


def test_a_stage_without_an_agent_is_a_loss_with_its_transitions() -> None:
    ways = [{"source": "intake", "target": "lost"}, {"source": "intake", "target": "gone"}]
    definition = desk(stages=stages({"phase": "lost"}), transitions=ways)
    lost = {row.part: row.places for row in export(definition, "langgraph").rows if row.differs}
    assert lost == {"Agent stages": ("lost",), "Transitions": ("intake → gone", "intake → lost")}
    assert "lost" not in files_of(definition)["agents.py"]


def test_a_plain_pipeline_behaves_the_same() -> None:
    result = export(desk(tools=[], agents=agents(tools=[])), "langgraph")
    assert (result.same, result.total) == (result.total, result.total)

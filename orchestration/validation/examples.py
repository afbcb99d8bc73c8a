"""For every issue a small pipeline that has it: what the pages of help show, and tests check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from orchestration.definition import PipelineDefinition


def sketch(ways: str, **changes: Any) -> PipelineDefinition:
    """A pipeline from a line of text, with parts of it changed.

    `a > b, b ~ a` draws two stages, each with an agent of its own, a next and a return; what is
    named first is the entry. A change gives a part whole; `agents` and `stages` given as mappings
    change those of that name, or add to them.

    >>> [stage.phase for stage in sketch("intake > review, review ~ intake").stages]
    ['intake', 'review']
    """
    transitions: list[dict[str, Any]] = []
    phases: dict[str, None] = {}
    for way in filter(None, ways.split(", ")):
        source, _, rest = way.partition(" ")
        sign, _, target = rest.partition(" ")
        phases |= {phase: None for phase in (source, target) if phase}
        if target:
            kind = {">": "next", "~": "return"}[sign]
            transitions.append({"source": source, "target": target, "kind": kind})
    stages: dict[str, dict[str, Any]] = {phase: {"agent_id": f"agent-{phase}"} for phase in phases}
    for key, part in changes.pop("stages", {}).items():
        stages[key] = stages.get(key, {}) | part
    serving = [phase for phase in phases if stages[phase]["agent_id"] == f"agent-{phase}"]
    agents = {f"agent-{phase}": {"name": phase.capitalize()} for phase in serving}
    for key, part in changes.pop("agents", {}).items():
        agents[key] = agents.get(key, {}) | part
    whole = {
        "name": "An example",
        "entry": next(iter(phases), None),
        "agents": [{"id": key} | part for key, part in agents.items()],
        "stages": [{"phase": key} | part for key, part in stages.items()],
        "transitions": transitions,
    }
    return PipelineDefinition.model_validate(whole | changes)


def _cue(**cue: Any) -> PipelineDefinition:
    agents = {"agent-intake": {"cues": [cue]}}
    return sketch("intake > review, review > reply", agents=agents)


def _rule(ways: str = "intake > review", **conditions: Any) -> PipelineDefinition:
    rule = {"id": "bills", "agent_id": "agent-review", "conditions": conditions}
    return sketch(ways, rules=[rule])


def _group(**group: Any) -> PipelineDefinition:
    group = {"agents": ["agent-law", "agent-money"]} | group
    return sketch(
        "intake > review",
        agents={"agent-law": {"name": "Law"}, "agent-money": {"name": "Money"}},
        stages={"review": {"kind": "group", "agent_id": None, "group": group}},
    )


def _way(kind: str = "next", **way: Any) -> list[dict[str, Any]]:
    return [{"source": "intake", "target": "review", "kind": kind} | way]


def _http(*names: str, **http: Any) -> PipelineDefinition:
    """One tool that makes a request, with these arguments."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    tool = {"name": "look_up", "kind": "http", "http": http, "parameters": schema}
    return sketch("intake", tools=[tool])


_ORDERS: Final = "https://shop.example/orders"
_SCHEMA: Final = {"type": "object", "properties": {"amount": {"type": "number"}}}
_ROW: Final = {"field": "state.phase", "operator": "is"}

EXAMPLES: Mapping[str, PipelineDefinition] = {
    "stages-missing": sketch(""),
    "entry-missing": sketch("intake > review", entry=None),
    "entry-unknown": sketch("intake > review", entry="lobby"),
    "stage-duplicate": sketch("intake").model_copy(update={"stages": sketch("intake").stages * 2}),
    "stage-agentless": sketch("intake > review", stages={"review": {"agent_id": None}}),
    "stage-agent-unknown": sketch("intake > review", stages={"review": {"agent_id": "nobody"}}),
    "human-stage-agent": sketch("intake > desk", stages={"desk": {"kind": "human"}}),
    "group-stage-agent": sketch(
        "intake > review",
        stages={"review": {"kind": "group", "group": {"agents": ["agent-review"]}}},
    ),
    "group-misplaced": sketch(
        "intake > review", stages={"review": {"group": {"agents": ["agent-review"]}}}
    ),
    "group-agent-unknown": _group(agents=["agent-law", "agent-money", "nobody"]),
    "group-dependency-unknown": _group(dependencies={"agent-law": ["agent-intake"]}),
    "group-dependency-self": _group(dependencies={"agent-law": ["agent-law"]}),
    "group-cycle": _group(
        dependencies={"agent-law": ["agent-money"], "agent-money": ["agent-law"]}
    ),
    "transition-unknown": sketch(
        "intake > review", transitions=[*_way(), *_way("return", target="attic")]
    ),
    "transition-duplicate": sketch("intake > review", transitions=[*_way(), *_way("return")]),
    "next-duplicate": sketch(
        "intake > review, intake ~ reply",
        transitions=[*_way(), *_way(target="reply")],
    ),
    "agent-duplicate": sketch("intake > review").model_copy(
        update={"agents": sketch("intake > review").agents + sketch("review").agents}
    ),
    "agent-reserved": sketch(
        "intake", stages={"intake": {"agent_id": "human"}}, agents={"human": {"name": "Clerk"}}
    ),
    "tool-duplicate": sketch("intake", tools=[{"name": "look_up"}, {"name": "look_up"}]),
    "tool-unknown": sketch("intake", agents={"agent-intake": {"tools": ["look_up"]}}),
    "tool-name-clash": sketch(
        "intake > review",
        agents={"agent-intake": {"tools": ["handoff_conversation"]}},
        tools=[{"name": "handoff_conversation"}],
    ),
    "handoff-name-clash": sketch(
        "intake > review, intake ~ reply",
        transitions=[
            *_way(input_schema=_SCHEMA, tool_name="pass_on"),
            *_way("return", target="reply", input_schema=_SCHEMA, tool_name="pass_on"),
        ],
    ),
    "subtask-unnamed": sketch("intake", tools=[{"name": "check", "kind": "subtask"}]),
    "response-schema-invalid": sketch(
        "intake", agents={"agent-intake": {"response_schema": _SCHEMA | {"type": "objekt"}}}
    ),
    "tool-schema-invalid": sketch(
        "intake", tools=[{"name": "refund", "parameters": {"properties": _SCHEMA["properties"]}}]
    ),
    "input-schema-invalid": sketch(
        "intake > review", transitions=_way(input_schema={"type": "object", "properties": 3})
    ),
    "filter-invalid": sketch(
        "intake > review",
        transitions=_way(input_filter={"keep": "matching", "expression": "message."}),
    ),
    "supervisor-unknown": sketch("intake > review", supervisor_id="nobody"),
    "default-agent-unknown": sketch("intake > review", default_agent_id="nobody"),
    "alias-unknown": sketch("intake > review", aliases={"refunds": "nobody"}),
    "rule-duplicate": sketch(
        "intake > review",
        rules=[
            {"id": "bills", "agent_id": "agent-review", "conditions": {"intents": [word]}}
            for word in ("bill", "invoice")
        ],
    ),
    "rule-agent-unknown": sketch("intake", rules=[{"id": "bills", "agent_id": "nobody"}]),
    "rule-phase-unknown": _rule(phases=["attic", "intake"]),
    "condition-invalid": _rule(custom="event.text ="),
    "comparison-invalid": _rule(
        rows=[{"field": "state.handoff_count", "operator": "contains", "value": 3}]
    ),
    "comparison-unknown": _rule(rows=[_ROW | {"value": "attic"}]),
    "team-leaderless": sketch(
        "desk > review", topology="team", stages={"desk": {"kind": "human", "agent_id": None}}
    ),
    "team-worker-human": sketch(
        "lead > desk", topology="team", stages={"desk": {"kind": "human", "agent_id": None}}
    ),
    "loop-endless": sketch("write > check, check > write", topology="workflow"),
    "stage-unreachable": sketch("intake > review, attic > review"),
    "team-stage-unasked": sketch("lead > law, law > money", topology="team"),
    "transition-unused": sketch("write > check, check ~ write", topology="workflow"),
    "loop-closed": sketch("intake > review, review > intake"),
    "dead-end": sketch("intake > write, write > check, check > write"),
    "ping-pong": sketch("intake > review, review > intake, review ~ reply"),
    "human-unreachable": sketch(
        "intake > review, intake ~ desk, review > reply",
        allow_human=False,
        stages={"desk": {"kind": "human", "agent_id": None}},
    ),
    "agent-twice": sketch(
        "intake > bill, intake ~ refund",
        stages={"bill": {"agent_id": "agent-money"}, "refund": {"agent_id": "agent-money"}},
        agents={"agent-money": {"name": "Money"}},
    ),
    "max-handoffs-low": sketch(
        "intake > write, write > check, check > reply", limits={"max_handoffs": 2}
    ),
    "agent-idle": sketch("intake > review", agents={"agent-spare": {"name": "Spare"}}),
    "prompt-way-missing": sketch(
        "intake > review, review > reply",
        agents={"agent-intake": {"instructions": "When it is urgent, hand over to Reply."}},
    ),
    "rule-never": _rule(intents=[]),
    "rule-shadowed": sketch(
        "intake > review",
        rules=[
            {"id": "all", "agent_id": "agent-intake", "priority": 1},
            {"id": "sms", "agent_id": "agent-review", "priority": 2},
        ],
    ),
    "rule-unused": sketch(
        "intake > review", topology="workflow", rules=[{"id": "all", "agent_id": "agent-review"}]
    ),
    "default-agent-unused": sketch(
        "intake > review", topology="workflow", default_agent_id="agent-review"
    ),
    "handoff-setting-unused": sketch("intake > review", transitions=_way(tool_name="pass_on")),
    "stand-in-without-examples": sketch("intake", tools=[{"name": "check", "stand_in": True}]),
    "approval-unused": sketch(
        "intake", tools=[{"name": "ask", "kind": "user_input", "approval": True}]
    ),
    "http-address-wrong": _http("shop", url="https://{shop}.example/orders"),
    "http-argument-unknown": _http(url=f"{_ORDERS}/{{order}}"),
    "http-header-wrong": _http(url=_ORDERS, headers={"Host": "shop.example"}),
    "mcp-server-missing": sketch("intake", tools=[{"name": "look_up", "kind": "mcp"}]),
    "http-key-shown": _http(url=_ORDERS, headers={"Authorization": "Bearer 0123456789"}),
    "http-argument-unused": _http("order", url=_ORDERS),
    "tool-setting-unused": sketch("intake", tools=[{"name": "check", "pipeline": "Checks"}]),
    "cue-never": _cue(say="Welcome back.", after_handoff_from="nobody"),
    "cue-tool-unknown": _cue(when=["order"], call={"tool": "look_up"}),
    "cue-target-unknown": _cue(when=["bill"], hand_over={"target": "nobody"}),
    "cue-way-missing": _cue(when=["bill"], hand_over={"target": "agent-reply"}),
}
"""A pipeline by the code of an issue that it has."""

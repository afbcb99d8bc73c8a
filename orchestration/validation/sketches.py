"""Small example pipelines, written as one line of text."""

from __future__ import annotations

from typing import Any, Final

from orchestration.definition import PipelineDefinition


def sketch(line: str, **changes: Any) -> PipelineDefinition:
    """Return a pipeline drawn in a line of text, with changes.

    `a > b, b ~ a` draws two stages with an agent each, a next and a return; the first stage is the
    entry. A change replaces a field; mappings of `agents` and `stages` change single parts, or add
    them.

    >>> [stage.phase for stage in sketch("intake > review, review ~ intake").stages]
    ['intake', 'review']
    """
    transitions: list[dict[str, Any]] = []
    phases: dict[str, None] = {}
    for edge in filter(None, line.split(", ")):
        source, _, rest = edge.partition(" ")
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
    fields = {
        "name": "An example",
        "entry": next(iter(phases), None),
        "agents": [{"id": key} | part for key, part in agents.items()],
        "stages": [{"phase": key} | part for key, part in stages.items()],
        "transitions": transitions,
    }
    return PipelineDefinition.model_validate(fields | changes)


def cue_sketch(**cue: Any) -> PipelineDefinition:
    """Return a pipeline with one cue."""
    agents = {"agent-intake": {"cues": [cue]}}
    return sketch("intake > review, review > reply", agents=agents)


def rule_sketch(line: str = "intake > review", **conditions: Any) -> PipelineDefinition:
    """Return a pipeline with one routing rule."""
    rule = {"id": "bills", "agent_id": "agent-review", "conditions": conditions}
    return sketch(line, rules=[rule])


def group_sketch(**group: Any) -> PipelineDefinition:
    """Return a pipeline with one group."""
    group = {"agents": ["agent-law", "agent-money"]} | group
    return sketch(
        "intake > review",
        agents={"agent-law": {"name": "Law"}, "agent-money": {"name": "Money"}},
        stages={"review": {"kind": "group", "agent_id": None, "group": group}},
    )


def one_transition(kind: str = "next", **fields: Any) -> list[dict[str, Any]]:
    """Return the fields of one transition."""
    return [{"source": "intake", "target": "review", "kind": kind} | fields]


def http_sketch(*names: str, **http: Any) -> PipelineDefinition:
    """Return a pipeline with one HTTP tool with these arguments."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    tool = {"name": "look_up", "kind": "http", "http": http, "parameters": schema}
    return sketch("intake", tools=[tool])


ORDERS: Final = "https://shop.example/orders"
SCHEMA: Final = {"type": "object", "properties": {"amount": {"type": "number"}}}
ROW: Final = {"field": "state.phase", "operator": "is"}

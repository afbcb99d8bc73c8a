"""Random pipelines from a seed: cheaper than Hypothesis, for a large number of shapes."""

from __future__ import annotations

from random import Random
from typing import Any

from orchestration.definition import PipelineDefinition

TOPOLOGIES = ("pipeline", "workflow", "team", "swarm")
TEXTS = (
    "",
    "Help.",
    "Greet {{plan}}.",
    "{{customer.name}}",
    "a: b\n- c",
    '"""',
    "请求",
    "$component_ref",
)
FILTERS = ("full", "last", "summary", "no_tools")


def random_pipeline(seed: int) -> PipelineDefinition:
    """Return a pipeline with up to eight stages; a transition or an agent may be missing."""
    chance = Random(seed)  # noqa: S311 - shapes of tests
    phases = [f"stage-{number}" for number in range(chance.randint(1, 8))]
    agents = [f"agent-{number}" for number in range(chance.randint(1, 6))]
    tools = [_tool(chance, number) for number in range(chance.randint(0, 5))]
    fields: dict[str, Any] = {
        "name": f"Pipeline {seed}",
        "description": chance.choice(TEXTS),
        "topology": chance.choice(TOPOLOGIES),
        "agents": [_agent(chance, key, [each["name"] for each in tools]) for key in agents],
        "stages": [_stage(chance, phase, agents) for phase in phases],
        "transitions": _transitions(chance, [*phases, "missing"][: len(phases) + seed % 2]),
        "tools": tools,
        "rules": [{"id": "rule", "agent_id": chance.choice(agents)}] if seed % 3 else [],
        "entry": chance.choice([None, *phases]),
        "supervisor_id": chance.choice([None, *agents]),
        "variables": {"plan": "free", "customer.name": "Ada"} if seed % 4 else {},
    }
    return PipelineDefinition.model_validate(fields)


def _agent(chance: Random, key: str, tools: list[str]) -> dict[str, Any]:
    return {
        "id": key,
        "name": chance.choice((key, "Agent", "Ärztin (stage-1)")),
        "instructions": chance.choice(TEXTS),
        "provider": chance.choice(("default", "openai", "ollama")),
        "temperature": chance.choice((None, 0.5)),
        "tools": chance.sample(tools, chance.randint(0, len(tools))),
        "language": chance.choice(("", "French")),
    }


def _stage(chance: Random, phase: str, agents: list[str]) -> dict[str, Any]:
    stage: dict[str, Any] = {"phase": phase, "description": chance.choice(TEXTS)}
    match chance.randint(0, 7):
        case 0:
            return stage | {"kind": "human"}
        case 1:
            return stage | {"kind": "group", "group": {"agents": agents[:2]}}
        case _:
            return stage | {"agent_id": chance.choice([*agents, None])}


def _transitions(chance: Random, phases: list[str]) -> list[dict[str, Any]]:
    pairs = {(chance.choice(phases), chance.choice(phases)) for _ in range(2 * len(phases))}
    following: set[str] = set()
    transitions = []
    for source, target in sorted(pairs):
        kind = "return" if source in following or chance.random() < 0.3 else "next"
        following |= {source} if kind == "next" else set()
        transitions.append(
            {
                "source": source,
                "target": target,
                "kind": kind,
                "description": chance.choice(TEXTS),
                "input_schema": chance.choice((None, {"properties": {"a": {"type": "string"}}})),
                "input_filter": {"keep": chance.choice(FILTERS)},
            }
        )
    return transitions


def _tool(chance: Random, number: int) -> dict[str, Any]:
    kind = chance.choice(("function", "subtask", "user_input", "http", "mcp"))
    properties = {
        name: {"type": chance.choice(("string", "integer", "array")), "description": "A value"}
        for name in chance.sample(("order", "a b", "due.date", "sum"), chance.randint(0, 4))
    }
    return {
        "name": f"tool_{number}",
        "kind": kind,
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": list(properties)[:1],
        },
        "http": {"url": "https://shop.example/{order}", "method": "POST"}
        if kind == "http"
        else None,
        "mcp": {"connection": "server"} if kind == "mcp" else None,
        "approval": chance.random() < 0.5,
    }

"""Pipelines for the checks of single features of exported LangGraph code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestration.definition import PipelineDefinition

NUMBER = {
    "type": "object",
    "properties": {"number": {"type": "integer"}, "config": {"type": "string"}},
    "required": ["number"],
}


def agents(*names: str, **settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"id": name, "name": name, **settings.get(name, {})} for name in names]


def stages(*phases: str, **agents_of: str) -> list[dict[str, Any]]:
    return [{"phase": each, "agent_id": agents_of.get(each, each)} for each in phases]


def ways(*pairs: str, **settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Transitions such as `a>b` (next) and `a<b` (return), with settings by `a_b`."""
    found = []
    for pair in pairs:
        source, target = pair.replace("<", ">").split(">")
        kind = "return" if "<" in pair else "next"
        extra = settings.get(f"{source}_{target}", {})
        found.append({"source": source, "target": target, "kind": kind, **extra})
    return found


def group(phase: str, members: Sequence[str], **settings: Any) -> dict[str, Any]:
    return {"phase": phase, "kind": "group", "group": {"agents": members, **settings}}


FILTERS = ("no_tools", "last", "summary")
TOOLS = [
    {"name": "look_up", "parameters": NUMBER},
    {"name": "refund", "parameters": NUMBER, "approval": True},
    {"name": "ask", "kind": "user_input"},
    {"name": "flaky", "idempotent": True, "max_answer": 5, "time_limit": 0.5},
]

PIPELINES: Mapping[str, Mapping[str, Any]] = {
    "filters": {
        "agents": agents("a", *FILTERS, a={"tools": ["look_up"]}),
        "stages": stages("a", *FILTERS),
        "transitions": [
            *ways(*[f"{each}>a" for each in FILTERS]),
            *[
                {
                    "source": "a",
                    "target": each,
                    "kind": "return",
                    "input_filter": {"keep": each, "count": 2},
                }
                for each in FILTERS
            ],
        ],
    },
    "limits": {
        "agents": agents("a", "b"),
        "stages": stages("a", "b"),
        "transitions": ways("a>b", "b>a"),
        "limits": {"max_handoffs": 2, "max_turns": 5},
    },
    "cycle": {
        "topology": "swarm",
        "agents": agents("a", "b"),
        "stages": stages("a", "b"),
        "transitions": ways("a<b", "b<a"),
    },
    "people": {
        "agents": agents("a", "b"),
        "stages": [*stages("a", "b"), {"phase": "desk", "kind": "human"}],
        "transitions": ways("a>desk", "desk>b", "b<a", desk_b={"input_filter": {"keep": "last"}}),
    },
    "group": {
        "agents": agents("a", "b", "c", "d", "e", b={"tools": ["refund", "ask"]}),
        "stages": [
            *stages("a", "d"),
            group("checks", ["b", "c", "e"], dependencies={"c": ["b"]}),
            group("chain", ["c", "e"], parallel=False),
        ],
        "transitions": ways("a>checks", "checks>chain", "chain>d"),
    },
    "workflow": {
        "topology": "workflow",
        "agents": agents("a", "b"),
        "stages": [
            *stages("one", "two", "three", one="a", two="b", three="a"),
            {"phase": "desk", "kind": "human"},
        ],
        "transitions": ways("one>two", "two>desk", "desk>three"),
        "entry": "one",
    },
    "team": {
        "topology": "team",
        "agents": agents("a", "b", "c", b={"tools": ["refund", "ask"]}),
        "stages": [*stages("a", "b"), group("pair", ["b", "c"])],
        "transitions": ways("a>b", "a<pair"),
    },
    "settings": {
        "agents": agents(
            "a",
            "b",
            a={
                "instructions": "Greet {{customer.name}} of {{ plan }} and {{other}}.",
                "tools": ["flaky"],
                "tool_choice": "required",
                "fallback": "openai",
                "temperature": 0.5,
                "max_output_tokens": 9,
                "reasoning_effort": "low",
                "retries": 3,
                "time_limit": 7,
                "model": "small",
                "provider": "mistral",
            },
            b={
                "instructions": "Answer.",
                "language": "French",
                "tools": ["look_up"],
                "tool_choice": "none",
                "response_schema": {
                    "type": "object",
                    "title": "Answer",
                    "properties": {"yes": {"type": "boolean"}},
                    "required": ["yes"],
                },
            },
        ),
        "stages": stages("a", "b"),
        "transitions": ways("a>b"),
        "variables": {"customer.name": 'Ada "A"', "plan": "pro"},
        "on_handoff": "wait",
    },
    "supervisor": {
        "agents": agents("a", "b", "s", s={"instructions": "Watch."}),
        "stages": stages("a", "b"),
        "transitions": ways("a>b"),
        "supervisor_id": "s",
        "supervision": {"ask_at": ["handoff", "run_end"], "max_calls": 3},
    },
    "server": {
        "agents": agents("a", a={"tools": ["search"]}),
        "stages": stages("a"),
        "tools": [{"name": "search", "kind": "mcp", "mcp": {"connection": "docs", "tool": "find"}}],
    },
    "routes": {
        "agents": agents("a", "b", "c"),
        "stages": stages("messages", "b", messages="a"),
        "transitions": ways("messages>b", messages_b={"input_schema": NUMBER}),
        "entry": "messages",
        "rules": [
            {"id": "money", "agent_id": "b", "conditions": {"intents": ["money"]}},
            {"id": "text", "agent_id": "c", "conditions": {"channel_types": ["sms"]}},
            {
                "id": "plan",
                "agent_id": "b",
                "conditions": {"rows": [{"field": "variables.plan", "value": "pro"}]},
            },
        ],
        "variables": {"plan": "free"},
    },
}


def definition(name: str) -> PipelineDefinition:
    parts = {"name": name, "entry": "a", "tools": TOOLS, "allow_human": False}
    return PipelineDefinition.model_validate({**parts, **PIPELINES[name]})

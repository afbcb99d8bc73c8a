"""Definitions whose texts and free JSON look like parts of an Agent Spec document."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from orchestration.definition import PipelineDefinition

WORDS = st.sampled_from(
    (
        "", "a", "a b", "a.b", "title",
        "$component_ref", "$$component_ref", "$referenced_components",
        "{{a}}", "{{ a\n}}", "{a}",
        '{"a": {a}}', '{"a": "{a}", "b": 1e999}', '"\\ud800"', '"\\u0000"',
        "agent.a.x", "model.default", "metadata", "baton", "component_type",
        "*/", '"""', "\u202ea", "yes", "1e3",
        "type", "items", "properties", "required", "anyOf", "default", "enum",
        "string", "object", "array",
        "\\", "\r\n", "\x85", "- a: b", "%TAG", "请求", "x" * 2_000,
    )
)  # fmt: skip
PLAIN = WORDS | st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "type": VALUES | st.sampled_from(("string", "object", "array", "integer")),
        "title": VALUES,
        "description": VALUES,
        "default": VALUES,
        "items": VALUES,
        "properties": VALUES,
        "required": VALUES,
        "enum": VALUES,
        "anyOf": VALUES,
        "additionalProperties": VALUES,
        "pattern": WORDS,
        "minimum": VALUES,
    },
)
PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "type": VALUES,
        "properties": st.dictionaries(WORDS, SCHEMAS | VALUES, max_size=4) | VALUES,
        "required": st.lists(WORDS, max_size=3) | VALUES,
        "$component_ref": VALUES,
    },
)
LINES = WORDS.map(lambda text: text[:500])
NAMES = WORDS.map(lambda text: text[:120] or "-")


@st.composite
def hostile_definitions(draw: st.DrawFn) -> PipelineDefinition:
    """Draw a definition with hostile texts in every field, usable in any topology."""
    tools = [
        {
            "name": f"tool_{number}",
            "kind": draw(st.sampled_from(("function", "subtask", "user_input", "http", "mcp"))),
            "description": draw(LINES),
            "parameters": draw(PARAMETERS),
            "http": draw(st.none() | _calls()),
            "mcp": draw(
                st.none() | st.fixed_dictionaries({"connection": st.just("x_1"), "tool": LINES})
            ),
            "examples": [{"arguments": draw(VALUES_BY_NAME), "result": draw(WORDS)}],
        }
        for number in range(3)
    ]
    agents = [
        {
            "id": key,
            "name": draw(NAMES),
            "instructions": draw(WORDS) + draw(WORDS),
            "model": draw(WORDS)[:200],
            "provider": draw(st.sampled_from(("default", "openai", "ollama", "a_b"))),
            "response_schema": draw(st.none() | SCHEMAS),
            "tools": draw(st.lists(st.sampled_from(("tool_0", "tool_1", "missing")), max_size=3)),
            "cues": [
                {"say": draw(WORDS), "call": {"tool": "a", "arguments": draw(VALUES_BY_NAME)}}
            ],
        }
        for key in ("a", "b", "c")
    ]
    fields: dict[str, Any] = {
        "name": draw(NAMES),
        "description": draw(WORDS),
        "topology": draw(st.sampled_from(("pipeline", "workflow", "team", "swarm"))),
        "agents": agents,
        "tools": tools,
        "stages": [{"phase": key, "agent_id": key, "description": draw(WORDS)} for key in "abc"],
        "transitions": [
            {
                "source": "a",
                "target": "b",
                "description": draw(LINES),
                "input_schema": draw(SCHEMAS),
            },
            {"source": "b", "target": "c", "description": draw(LINES)},
            {"source": "a", "target": "c", "kind": "return", "description": draw(LINES)},
        ],
        "entry": "a",
        "variables": {"a": draw(LINES), "a.b": draw(LINES)},
    }
    return PipelineDefinition.model_validate(fields)


VALUES_BY_NAME = st.dictionaries(WORDS, VALUES, max_size=3)


def _calls() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "method": st.sampled_from(("GET", "POST")),
            "url": WORDS,
            "headers": st.dictionaries(NAMES, LINES, max_size=3),
            "body": WORDS,
        }
    )

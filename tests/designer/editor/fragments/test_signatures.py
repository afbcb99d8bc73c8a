"""Signatures of tools."""

from designer.editor.fragments.signatures import MAX_CHOICES, MAX_DEPTH, signature
from orchestration.tools import ToolSpec


def test_a_tool_reads_as_a_signature():
    schema = {
        "type": "object",
        "properties": {
            "target": {"enum": ["a", "b"]},
            "why": {"type": "string"},
            "amounts": {"type": "array", "items": {"type": "number"}},
            "odd": 3,
            "either": {"anyOf": [{"type": "string"}, {"const": 4}]},
            "many": {"type": ["string", "null"]},
        },
        "required": ["target"],
    }
    assert signature(ToolSpec("pass", "", schema)) == (
        "pass(\n"
        '  target: "a" | "b",\n'
        "  why?: string,\n"
        "  amounts?: number[],\n"
        "  odd?: any,\n"
        "  either?: string | 4,\n"
        "  many?: string | null)"
    )
    assert signature(ToolSpec("ping", "", {"properties": []})) == "ping()"


def test_long_lists_of_choices_and_deep_schemas_are_cut():
    choices = {"enum": list(range(MAX_CHOICES + 1))}
    assert signature(ToolSpec("pick", "", {"properties": {"n": choices}})).endswith(" | …)")
    deep: dict[str, object] = {"type": "string"}
    for _ in range(MAX_DEPTH):
        deep = {"type": "array", "items": deep}
    text = signature(ToolSpec("deep", "", {"properties": {"n": deep}}))
    assert text.endswith("n?: any" + "[]" * MAX_DEPTH + ")")

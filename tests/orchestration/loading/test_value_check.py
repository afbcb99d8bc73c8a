"""Check of parsed values: duplicate keys, texts and depth."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.definition import MAX_TEXT
from orchestration.loading import MAX_DEPTH, load
from tests.orchestration.pipeline_files import faults, file


def test_a_duplicate_key_is_refused_at_any_depth() -> None:
    text = '{"name": "a", "name": "b", "stages": [{"phase": "x", "phase": "x"}]}'
    assert faults(text) == {
        "$.name": "The key 'name' appears more than once.",
        "$.stages[0].phase": "The key 'phase' appears more than once.",
    }


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff", "\\udc00\\ud800"])
def test_a_lone_surrogate_is_refused_in_values_and_keys(half: str) -> None:
    result = faults(f'{{"name": "{half}", "aliases": {{"a{half}": "b"}}}}')
    assert len(result) == 2
    assert set(result.values()) == {"The text contains a lone surrogate, which cannot be stored."}


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert load('{"name": "\\ud83d\\ude00"}').name == "😀"


def test_the_character_nul_is_refused() -> None:
    assert faults('{"name": "a\\u0000"}') == {
        "$.name": "The text contains the character NUL, which cannot be stored."
    }


def nested(depth: int) -> str:
    """Return a file with `depth` nested objects."""
    return file(tools=[{"name": "t", "parameters": "DEEP"}]).replace(
        '"DEEP"', '{"a":' * (depth - 4) + "{}" + "}" * (depth - 4)
    )


def test_lists_and_objects_nest_32_deep_at_most() -> None:
    assert load(nested(MAX_DEPTH)).tools[0].name == "t"
    (message,) = faults(nested(MAX_DEPTH + 1)).values()
    assert message == "Lists and objects are nested more than 32 deep."


def test_long_texts_are_refused_in_fields_and_in_free_json() -> None:
    long = "x" * (MAX_TEXT + 1)
    arguments = {"call": {"tool": "t", "arguments": {"a": [long]}}}
    result = faults(file(description=long, agents=[{"id": "a", "name": "A", "cues": [arguments]}]))
    assert result == dict.fromkeys(
        ["$.description", "$.agents[0].cues[0].call.arguments.a[0]"],
        "The text is longer than 32,000 characters.",
    )


def test_the_limits_apply_to_the_schema_of_a_payload() -> None:
    deep: dict[str, Any] = {}
    for _ in range(MAX_DEPTH):
        deep = {"a": deep}
    text = {"description": "x" * (MAX_TEXT + 1), "title": "a\u0000"}
    for schema, path in ((deep, ".a" * (MAX_DEPTH - 3)), (text, None)):
        transition = {"source": "a", "target": "b", "input_schema": schema}
        result = faults(file(transitions=[transition]))
        under = "$.transitions[0].input_schema"
        expected = {under + path} if path else {f"{under}.description", f"{under}.title"}
        assert set(result) == expected

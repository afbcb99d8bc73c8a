"""Messages for invalid fields."""

import json
from typing import Any

import pytest
from hypothesis import given

from orchestration.loading.error_messages import at, is_foreign, quoted
from tests.orchestration.part_strategies import texts
from tests.orchestration.pipeline_files import faults, file


def test_every_invalid_field_is_reported_with_its_path() -> None:
    result = faults(
        file(
            agents=[
                {"id": "Agent A", "name": "", "temperature": 3, "tools": ["9"]},
                {"id": "b", "name": "B", "max_output_tokens": 1.5, "cues": {}},
            ],
            stages=[{"phase": "a", "kind": "robot", "agent_id": 5, "colour": "red"}, {}],
            limits=None,
            allow_human="yes",
            aliases=[],
            layout={"hues": {"b": 360, "Not a key": 1}, "stages": {"a": {"x": "1", "y": 1e7}}},
        )
    )
    key = "is no key: 1 to 64 of a-z, 0-9, '-' and '_', with a letter or digit at both ends."
    assert result == {
        "$.agents[0].id": f"'Agent A' {key}",
        "$.agents[0].name": "This must not be empty.",
        "$.agents[0].temperature": "The number must be at most 2.",
        "$.agents[0].tools[0]": "'9' is no tool name: 1 to 64 letters, digits, '_' and '-',"
        " and no digit or '-' first.",
        "$.agents[1].max_output_tokens": "This must be a whole number, not the number 1.5.",
        "$.agents[1].cues": "This must be a list, not an object.",
        "$.stages[0].kind": "'robot' is not one of 'agent', 'group' or 'human'.",
        "$.stages[0].agent_id": "This must be text, not the number 5.",
        "$.stages[0].colour": "There is no field 'colour' here.",
        "$.stages[1].phase": "This field is missing.",
        "$.limits": "This must be an object, not null.",
        "$.allow_human": "This must be true or false, not the text 'yes'.",
        "$.aliases": "This must be an object, not a list.",
        "$.layout.hues.b": "The number must be less than 360.",
        "$.layout.hues['Not a key']": f"'Not a key' {key}",
        "$.layout.stages.a.x": "This must be a number, not the text '1'.",
        "$.layout.stages.a.y": "The number must be at most 1,000,000.",
    }


def test_an_invalid_value_of_a_comparison_is_one_fault() -> None:
    values: list[Any] = [
        "refund",
        5,
        ["sms", "web"],
        1.5,
        None,
        True,
        {},
        ["sms", 3],
        "x" * 501,
        10**10,
        ["x"] * 201,
    ]
    rows = [{"field": "event.text", "value": value} for value in values]
    result = faults(file(rules=[{"id": "r", "agent_id": "a", "conditions": {"rows": rows}}]))
    path = "$.rules[0].conditions.rows[{}].value"
    kinds = "This must be text, a whole number or a list of texts, not {}."
    assert result == {
        path.format(3): kinds.format("the number 1.5"),
        path.format(4): kinds.format("null"),
        path.format(5): kinds.format("true"),
        path.format(6): kinds.format("an object"),
        path.format(7) + "[1]": "This must be text, not the number 3.",
        path.format(8): "The text is longer than 500 characters.",
        path.format(9): "The number must be at most 1,000,000,000.",
        path.format(10): "There are more than 200 entries.",
    }


def test_a_file_of_another_format_or_version_is_refused() -> None:
    assert faults(file(format="flow", version=2)) == {
        "$.format": "The format is 'flow', not 'baton.pipeline'.",
        "$.version": "The file's version is 2; this Baton reads 1.",
    }


@pytest.mark.parametrize(
    ("data", "has"),
    [
        ('{"name": "Refunds", "nodes": [], "connections": {}}', "'nodes', 'connections'"),
        (
            '{"kind": "app", "version": "0.1", "app": {}, "workflow": {}}',
            "'kind', 'app', 'workflow'",
        ),
        ('{"a": 1, "b": 2, "c": 3, "d": 4}', "'a', 'b', 'c' and more"),
    ],
)
def test_a_file_of_another_program_is_a_single_fault(data: str, has: str) -> None:
    sentence = f"This is no Baton pipeline: it has {has}, but no agents or stages."
    assert faults(data) == {"$": sentence}


@given(texts(least=1000, most=2000))
def test_a_message_quotes_only_a_part_of_a_long_text(text: str) -> None:
    for path, message in faults(
        json.dumps({text: 1, "format": text, "aliases": {text: text}})
    ).items():
        assert len(path) < 700
        assert len(message) < 700


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("two\nlines", "'two\\nlines'"),
        (7, "7"),
        ("x" * 61, "'" + "x" * 59 + "…'"),
    ],
)
def test_a_quoted_value_is_one_short_line(value: object, text: str) -> None:
    assert quoted(value) == text


def test_a_path_has_indexes_and_keys() -> None:
    assert at(("stages", 2, "phase")) == "$.stages[2].phase"
    assert at(("aliases", "not a key")) == "$.aliases['not a key']"


@pytest.mark.parametrize(
    ("raw", "foreign"),
    [
        ({"name": "x", "nodes": []}, True),
        ({"name": "x"}, False),
        ({"nodes": [], "stages": []}, False),
    ],
)
def test_a_file_without_any_field_of_a_pipeline_is_foreign(raw: Any, foreign: bool) -> None:
    assert is_foreign(raw) is foreign


def test_an_unknown_field_or_value_suggests_the_nearest_name() -> None:
    result = faults(
        file(
            topologi="team",
            agents=[{"id": "a", "name": "A", "instruction": "Help.", "tool_choice": "requird"}],
            stages=[{"phase": "a", "agent": "a", "group": {"agents": ["a"], "parallell": True}}],
            layout={"note": []},
        )
    )
    suggestions = {path: message.partition("Did you mean ")[2] for path, message in result.items()}
    assert suggestions == {
        "$.topologi": "'topology'?",
        "$.agents[0].instruction": "'instructions'?",
        "$.agents[0].tool_choice": "'required'?",
        "$.stages[0].agent": "'agent_id'?",
        "$.stages[0].group.parallell": "'parallel'?",
        "$.layout.note": "'notes'?",
    }

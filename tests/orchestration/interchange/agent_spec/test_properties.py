"""Inputs of components and parameters of tools."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from pyagentspec.property import Property

from orchestration.interchange.agent_spec.properties import inputs_of, parameters_of
from tests.orchestration.interchange.agent_spec.hostile import PARAMETERS


@pytest.mark.parametrize(
    ("parameters", "inputs"),
    [
        ({}, []),
        ({"properties": 3}, []),
        (
            {"properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
            [{"title": "a", "type": "integer", "minimum": 1}],
        ),
        (
            {"properties": {"a": {"type": "string", "description": "A text"}}},
            [
                {
                    "title": "a",
                    "description": "A text",
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": None,
                }
            ],
        ),
        (
            {"properties": {"a": {"type": "string", "default": "x"}}},
            [{"title": "a", "type": "string", "default": "x"}],
        ),
        (
            {"properties": {"a b": True, "a_b": {}}, "required": ["a b", "a_b"]},
            [{"title": "a_b_2"}, {"title": "a_b"}],
        ),
        (
            {"properties": {"a": {"pattern": "(", "$ref": "#", "type": "any"}}, "required": ["a"]},
            [{"title": "a"}],
        ),
    ],
)
def test_an_input_has_the_keywords_that_every_program_knows(
    parameters: dict[str, Any], inputs: list[dict[str, Any]]
) -> None:
    assert inputs_of(parameters) == inputs


def test_common_parameters_come_back_from_inputs() -> None:
    parameters = {
        "type": "object",
        "properties": {
            "order": {"type": "integer", "description": "Its number"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
        },
        "required": ["order"],
    }
    assert parameters_of(inputs_of(parameters)) == parameters


@given(PARAMETERS)
def test_the_library_accepts_the_inputs_of_any_parameters(parameters: dict[str, Any]) -> None:
    inputs = inputs_of(parameters)
    titles = [Property(json_schema=each).title for each in inputs]
    assert len(set(titles)) == len(titles)

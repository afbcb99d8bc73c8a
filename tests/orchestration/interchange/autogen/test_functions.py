"""Parameters of functions from their source."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.interchange.autogen import functions
from orchestration.interchange.autogen.functions import parameters_of_source


def test_simple_types_become_a_schema() -> None:
    source = (
        "from typing import Annotated\n"
        "def f(a: list[int], b: Annotated[str, 'A city'], c, token: CancellationToken, *, d: bool,"
        " e: dict[str, int] = {}): pass"
    )
    assert parameters_of_source(source) == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "integer"}},
            "b": {"type": "string", "description": "A city"},
            "c": {},
            "d": {"type": "boolean"},
            "e": {"type": "object"},
        },
        "required": ["a", "b", "c", "d"],
    }


@pytest.mark.parametrize(
    "source",
    [
        None,
        "def",
        "x = 1",
        "def a(): ...\ndef b(): ...",
        "\0",
        "(" * 9_000,
        "-" * 19_000 + "1",
        "a" + ".a" * 9_000,
        "#" * 30_000,
    ],
)
def test_another_source_has_no_parameters(source: object) -> None:
    assert parameters_of_source(source) is None


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    parameters_of_source(text)


def test_the_example_of_the_module_holds() -> None:
    assert doctest.testmod(functions).failed == 0

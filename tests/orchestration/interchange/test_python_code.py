"""Generated Python source: quoting, layout and names."""

from __future__ import annotations

import ast
import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.interchange import python_code
from orchestration.interchange.python_code import (
    LINE_LENGTH,
    Call,
    Code,
    assignment,
    comment,
    identifiers,
    literal,
)

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_a_literal_has_the_same_value(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value


@given(st.text())
def test_a_comment_stays_a_comment(text: str) -> None:
    assert ast.parse(comment(text)).body == []


@given(st.lists(st.text(min_size=1), unique=True))
def test_names_of_variables_are_distinct_and_valid(keys: list[str]) -> None:
    names = identifiers(keys, taken=["Agent"])
    assert len(set(names.values())) == len(keys)
    ast.parse("\n".join(f"{name} = 1" for name in names.values()))
    assert identifiers(["class", "print", "2nd"]) == {
        "class": "class_",
        "print": "print_",
        "2nd": "part_2nd",
    }


def test_a_long_value_has_one_item_a_line() -> None:
    agent = Call("Agent", (), {"name": "Billing", "tools": [Code("find_invoice")], "x": "y" * 90})
    source = assignment("billing", agent)
    assert source.startswith('billing = Agent(\n    name="Billing",\n    tools=[find_invoice],\n')
    assert max(len(line) for line in source.splitlines()) <= LINE_LENGTH
    assert assignment("a", Call("Agent", (1,), {"b": None})) == "a = Agent(1, b=None)"


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("it's", '"it\'s"'),
        ('say "a"', "'say \"a\"'"),
        ("'\"", '"\'\\""'),
        ("a\\", '"a\\\\"'),
        ('\'""\\', "'\\'\"\"\\\\'"),
    ],
)
def test_a_text_has_the_quotes_that_formatters_choose(text: str, source: str) -> None:
    assert literal(text) == source


def test_a_number_is_written_as_formatters_do() -> None:
    assert literal([1e300, 1e-7, -0.5, 3]) == "[1e300, 1e-07, -0.5, 3]"


def test_marks_of_direction_are_escaped() -> None:
    assert literal("a\u202eb") == '"a\\u202eb"'
    assert "\u202e" not in comment("a\u202eb")


def test_the_examples_of_the_module_hold() -> None:
    assert doctest.testmod(python_code).failed == 0

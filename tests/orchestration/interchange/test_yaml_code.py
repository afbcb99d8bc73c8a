"""YAML of exported files."""

from __future__ import annotations

import doctest

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestration.interchange import yaml_code
from orchestration.interchange.yaml_code import yaml_text
from orchestration.loading import DEFINITION, read_document

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00")) | st.sampled_from(
    (
        "yes",
        "No",
        "null",
        "~",
        "1e3",
        "0x1f",
        "1:30",
        "2026-11-24",
        "- a",
        "a: b",
        "a #b",
        "é\n b\n\n",
    )
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3))
def test_yaml_has_the_same_value_for_other_programs_and_for_our_gate(value: object) -> None:
    text = yaml_text(value)
    assert yaml.safe_load(text) == value
    assert read_document(text, DEFINITION) == value or text.lstrip().startswith(("{", "["))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": "no", "b": "x y"}, 'a: "no"\nb: x y\n'),
        ({"a": 1e-05}, "a: 1.0e-05\n"),
        ({"a": "x\n  y\n"}, "a: |\n  x\n    y\n"),
        ({"a": " x\ny"}, 'a: " x\\ny"\n'),
        ({"a": "\u202ex"}, 'a: "\\u202ex"\n'),
        ([["a", "b"], {}], "- - a\n  - b\n- {}\n"),
        ({"k" * 300: 1}, f"? {'k' * 300}\n: 1\n"),
    ],
)
def test_only_plain_texts_have_no_quotes(value: object, text: str) -> None:
    assert yaml_text(value) == text


def test_the_examples_of_the_module_hold() -> None:
    assert doctest.testmod(yaml_code).failed == 0

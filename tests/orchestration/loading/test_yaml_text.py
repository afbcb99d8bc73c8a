"""YAML documents: values of JSON, and faults with their paths and lines."""

import json
import re
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from orchestration.exceptions import DefinitionError
from orchestration.loading import OPENAPI, read_document

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**64), max_value=2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(
        st.characters(max_codepoint=0xFFFF, exclude_characters="\x00", exclude_categories=["Cs"]),
        max_size=8,
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab1~", max_size=3), inner),
    max_leaves=20,
)


class Dumper12(yaml.SafeDumper):
    """Writer whose texts are read unchanged as YAML 1.2; that of PyYAML writes YAML 1.1."""

    def represent_text(self, text: str) -> yaml.Node:
        """Quote a text that YAML 1.2 reads as a number, and escape its breaks of YAML 1.1."""
        style = '"' if NUMBER.fullmatch(text) or "\x85" in text else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style)


Dumper12.add_representer(str, Dumper12.represent_text)

NUMBER = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?|0o[0-7]+|0x[0-9a-f]+", re.IGNORECASE)

NEITHER = "This is neither JSON nor YAML: "


def faults(text: str) -> dict[str, str]:
    """Return the messages of the faults by path."""
    with pytest.raises(DefinitionError) as caught:
        read_document(text, OPENAPI)
    return {fault.path: fault.message for fault in caught.value.faults}


@given(JSON_VALUES)
def test_a_value_of_json_is_read_unchanged_from_yaml(value: Any) -> None:
    text = yaml.dump({"value": value}, Dumper=Dumper12, allow_unicode=True)
    assert read_document(text, OPENAPI) == {"value": value}


@pytest.mark.parametrize("value", ["'a\x85  b'", '"a\x85b"', "a\x85b"])
def test_a_line_break_of_yaml_1_1_is_refused_and_its_escape_is_read(value: str) -> None:
    [fault] = faults(f"# Notes\nvalue: {value}").values()
    assert fault.startswith("Line 2 contains the character U+0085")
    assert read_document('# Notes\nvalue: "a\\Nb"', OPENAPI) == {"value": "a\x85b"}


@given(JSON_VALUES)
def test_json_is_yaml_with_the_same_value(value: Any) -> None:
    text = json.dumps({"value": value})
    assert read_document(f"# JSON\n{text}", OPENAPI) == read_document(text, OPENAPI)


@given(st.text(max_size=200) | st.text("{}[]:,-&*!|>'\"%#?@ \n0a~.", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(DefinitionError):
        json.dumps(read_document(text, OPENAPI), allow_nan=False, ensure_ascii=False).encode()


def test_scalars_follow_the_core_schema_of_yaml_1_2() -> None:
    text = """
    plain: [yes, no, on, 1:30, 2026-11-24, 1_000, 0b1, <<, =, "5", '~', .5, 0x1F, 0o17, 1e3, ~,
      True]
    200: created
    """
    assert read_document(text, OPENAPI) == {
        "plain": [
            "yes", "no", "on", "1:30", "2026-11-24", "1_000", "0b1", "<<", "=", "5", "~",
            0.5, 31, 15, 1000.0, None, True,
        ],
        "200": "created",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("a: &a [1]\nb: *a", "$.b", "Line 2 uses a YAML alias: replace it by the value."),
        ("a: &a [*a]", "$.a[0]", "Line 1 uses a YAML alias: replace it by the value."),
        ("a:\n- !!binary aGk=", "$.a[0]", "Line 2 uses the YAML tag '!!binary': remove it."),
        ("a: !!set {b}", "$.a", "Line 1 uses the YAML tag '!!set': remove it."),
        (
            "a: !!timestamp 2026-11-24",
            "$.a",
            "Line 1 uses the YAML tag '!!timestamp': remove it.",
        ),
        ("a: !x 1", "$.a", "Line 1 uses the YAML tag '!x': remove it."),
        (
            "!!python/object/apply:os.system ['true']",
            "$",
            "Line 1 uses the YAML tag '!!python/object/apply:os.system': remove it.",
        ),
        ("a: {true: 1}", "$.a.true", "Line 1 has a key that is no text: write it in quotes."),
        ("1.5: 1", "$['1.5']", "Line 1 has a key that is no text: write it in quotes."),
        ("? [1, 2]\n: 1", "$['?']", "Line 1 has a key that is no text: write it in quotes."),
        ("200: 1\n'200': 2", "$['200']", "The key '200' appears more than once."),
        ("a: {b: 1, b: 2}", "$.a.b", "The key 'b' appears more than once."),
        ("a: .nan", "$.a", "'.nan' is not a number that every program can read."),
        ("a: [-.inf]", "$.a[0]", "'-.inf' is not a number that every program can read."),
        ("a: 1e999", "$.a", "'1e999' is not a number that every program can read."),
        ('a: "b\\0"', "$.a", "The text contains the character NUL, which cannot be stored."),
        ("a: 1\n---\nb: 2", "$", "Line 2 starts a second YAML document: remove it."),
        (
            "%TAG !a! tag:a\n---\na: 1",
            "$",
            "Line 1 uses a YAML tag directive: remove it.",
        ),
        (
            "a: b: c",
            "$",
            f"{NEITHER}mapping values are not allowed in this context (line 1, column 5).",
        ),
    ],
)
def test_a_value_that_json_cannot_express_is_refused(text: str, path: str, message: str) -> None:
    assert faults(text) == {path: message}


@pytest.mark.parametrize("number", ["7" * 101, "0x" + "f" * 100, "-" + "7" * 5_000])
def test_a_number_with_too_many_digits_is_refused(number: str) -> None:
    assert "is not a number" in faults(f"a: {number}")["$.a"]


@pytest.mark.parametrize("text", ["a: \x00", 'a: "\\ud800"', "a: \x07"])
def test_a_character_that_yaml_does_not_allow_is_refused(text: str) -> None:
    assert "neither JSON nor YAML" in faults(text)["$"]


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_the_depth_is_limited_while_the_text_is_parsed(opening: str) -> None:
    text = "a:\n " + opening * 40_000
    assert faults(text) == {"$": "Lists and objects are nested more than 64 deep (line 2)."}


def test_the_number_of_values_is_limited_while_the_text_is_parsed() -> None:
    row = "  - {a: 1}\n"
    assert faults("a:\n" + row * OPENAPI.max_values) == {"$": "There are more than 50,000 values."}


def test_the_size_is_limited_before_the_text_is_parsed() -> None:
    assert faults("#" * (OPENAPI.max_bytes + 1)) == {
        "$": "The file is larger than 2,097,152 bytes."
    }

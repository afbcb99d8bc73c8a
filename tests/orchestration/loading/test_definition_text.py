"""Texts of definitions: their fields, the address of their schema, and the lines of faults."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading import MAX_FAULTS, load, load_storable
from orchestration.loading.definition_text import read_definition, with_lines
from tests.orchestration.pipeline_files import Load, faults, file
from tests.orchestration.strategies import definitions


@given(definitions())
def test_a_dumped_definition_loads_unchanged(
    definition: PipelineDefinition,
) -> None:
    again = load(definition.dump())
    assert again == definition
    assert again.dump() == definition.dump()


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_any_text_or_bytes_load_or_are_refused(data: bytes | str) -> None:
    check_outcome(data)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=20,
)


@given(ANYTHING)
def test_any_json_loads_or_is_refused(value: Any) -> None:
    check_outcome(json.dumps(value))


@given(definitions(), st.data())
def test_a_definition_with_one_value_exchanged_loads_or_is_refused(
    definition: PipelineDefinition, data: st.DataObject
) -> None:
    value = json.loads(definition.dump())
    parent, key = data.draw(st.sampled_from(slots(value)))
    parent[key] = data.draw(ANYTHING)
    check_outcome(json.dumps(value))


def slots(value: Any) -> list[tuple[Any, str | int]]:
    """Return each value within a JSON value as its parent and its key."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    result = [(value, key) for key, _ in entries]
    for _, entry in list(entries if isinstance(value, dict) else enumerate(value)):
        if isinstance(entry, dict | list):
            result += slots(entry)
    return result


def check_outcome(data: bytes | str) -> None:
    """Load a file and check that the result is a stable definition or readable faults."""
    for loader in (load, load_storable):
        outcome = attempt(loader, data)
        if isinstance(outcome, PipelineDefinition):
            assert load(outcome.dump()) == outcome
            continue
        assert 0 < len(outcome) <= MAX_FAULTS
        for fault in outcome:
            assert fault.path.startswith("$")
            assert_readable(fault)


def attempt(by: Load, data: bytes | str) -> PipelineDefinition | tuple[Fault, ...]:
    """Return the definition of a file or its faults; another error fails the test."""
    try:
        return by(data)
    except DefinitionError as error:
        return error.faults


JARGON = ("Input should", "pydantic", "validation error", "ctx", "NoneType", "dict", "tuple")


def assert_readable(fault: Fault) -> None:
    assert fault.message.endswith(".")
    assert not any(word in fault.message.split("'")[0] for word in JARGON)
    assert len(fault.message) < 400 or "named" in fault.message


@pytest.mark.parametrize("data", ["[]", "null", "3", '"text"'])
def test_a_pipeline_is_an_object(data: str) -> None:
    assert faults(data) == {"$": "A pipeline is a JSON object, in curly brackets."}


def test_the_address_of_the_schema_is_no_part_of_a_definition() -> None:
    address = "https://baton.example/schema.json"
    definition, raw = read_definition(file(**{"$schema": address}))
    assert definition == PipelineDefinition(name="A file")
    assert raw == {"name": "A file"}
    assert faults(file(**{"$schema": 7})) == {"$['$schema']": "The address of a schema is a text."}


TEXT = """{
  "name": "",
  "stages": [
    {"phase": "Not a key"}
  ]
}"""


def lines_of(found: list[Fault], text: str) -> list[tuple[str, int | None]]:
    """Return the path and the line of each fault, in order."""
    return [(fault.path, fault.line) for fault in with_lines(found, text)]


def test_faults_have_their_lines_and_are_sorted_by_them() -> None:
    found = [Fault("$.stages[0].phase", "B."), Fault("$.name", "A."), Fault("$", "C.")]
    assert lines_of(found, TEXT) == [("$", None), ("$.name", 2), ("$.stages[0].phase", 4)]


@pytest.mark.parametrize("text", ["", "{", '{"name": oops}', "[" * 100_000])
def test_faults_of_a_text_that_is_no_json_keep_their_lines(text: str) -> None:
    found = [Fault("$", "A.", 7), Fault("$.name[0]", "B.", 9)]
    assert lines_of(found, text) == [("$", 7), ("$.name[0]", 9)]

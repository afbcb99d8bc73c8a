"""Loading of files: accepted texts, refused texts and the paths of faults."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given

from orchestration.definition import MAX_STAGES, PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading import (
    MAX_BYTES,
    MAX_FAULTS,
    MAX_VALUES,
    check_value,
    json_schema,
    load,
    load_storable,
    read_json,
    storage_faults,
)
from tests.orchestration.pipeline_files import faults, file
from tests.orchestration.strategies import storable_definitions


@given(storable_definitions())
def test_a_definition_with_unique_names_and_references_can_be_stored(
    definition: PipelineDefinition,
) -> None:
    assert storage_faults(definition) == ()
    assert load_storable(definition.dump().encode()) == definition


def test_a_file_larger_than_two_mebibytes_is_refused_before_it_is_read() -> None:
    assert load(file() + " " * (MAX_BYTES - len(file()))).name == "A file"
    assert faults(b"{" * (MAX_BYTES + 1)) == {"$": "The file is larger than 2,097,152 bytes."}
    assert faults("ä" * (MAX_BYTES // 2 + 1)) == {"$": "The file is larger than 2,097,152 bytes."}


@pytest.mark.parametrize(
    "data", [b"\xff\xfe{}", file().encode("utf-16"), b'{"name":"\xe4"}', "\ud800"]
)
def test_a_text_that_is_not_utf_8_is_refused(data: bytes | str) -> None:
    assert faults(data) == {"$": "The file is not text in UTF-8."}


def test_a_byte_order_mark_is_ignored() -> None:
    assert load(b"\xef\xbb\xbf" + file().encode()).name == "A file"


def test_invalid_json_is_refused_with_line_and_column() -> None:
    assert faults('{\n  "name": oops\n}') == {
        "$": "This is not JSON: Expecting value (line 2, column 11)."
    }
    assert faults('{"name": "oo') == {
        "$": "This is not JSON: Unterminated string (line 1, column 10)."
    }


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 101])
def test_a_number_that_programs_read_differently_is_refused(number: str) -> None:
    result = faults(f'{{"name": "a", "layout": {{"supervisor": {{"x": {number}, "y": 0}}}}}}')
    assert list(result) == ["$.layout.supervisor.x"]
    assert "is not a number that every program can read" in result["$.layout.supervisor.x"]


@pytest.mark.parametrize("digits", [5_000, 1_000_000])
def test_a_number_of_a_million_digits_is_refused(digits: int) -> None:
    assert list(faults(f'{{"name": {"7" * digits}}}')) == ["$.name"]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_text_nested_forty_thousand_deep_is_refused(opening: str) -> None:
    assert faults(opening * 40_000) == {"$": "Lists and objects are nested more than 32 deep."}
    assert sys.getrecursionlimit() >= 1_000


def test_a_file_with_too_many_values_is_refused() -> None:
    parameters = {"enum": [0] * MAX_VALUES}
    assert faults(file(tools=[{"name": "t", "parameters": parameters}])) == {
        "$": "There are more than 100,000 values."
    }


def test_long_lists_are_refused() -> None:
    stages = [{"phase": f"p{number}"} for number in range(MAX_STAGES + 1)]
    assert faults(file(stages=stages)) == {"$.stages": "There are more than 2,000 entries."}


def test_at_most_a_hundred_faults_are_reported() -> None:
    stages = [{"phase": "Not a key"}] * 500
    assert len(faults(file(stages=stages))) == MAX_FAULTS
    assert len(faults('{"a": [' + ",".join(["NaN"] * 500) + "]}")) == MAX_FAULTS
    duplicates = [{"phase": "a"}] * 500
    assert len(faults(file(stages=duplicates), by=load_storable)) == MAX_FAULTS


def test_the_json_schema_has_every_field_and_allows_no_other() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]) == {"$schema", *PipelineDefinition.model_fields}
    objects = [schema, *schema["$defs"].values()]
    assert all(part["additionalProperties"] is False for part in objects)
    assert schema["$defs"]["Stage"]["properties"]["kind"]["enum"] == ["agent", "group", "human"]
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (
            {"a": [float("nan")]},
            Fault("$.a[0]", "'NaN' is not a number that every program can read."),
        ),
        (
            {"a": "\ud800"},
            Fault("$.a", "The text contains a lone surrogate, which cannot be stored."),
        ),
        ({"a": b"x"}, Fault("$", "The value cannot be written as JSON.")),
    ],
)
def test_a_decoded_value_that_json_cannot_express_is_refused(value: Any, fault: Fault) -> None:
    with pytest.raises(DefinitionError) as caught:
        check_value(value)
    assert caught.value.faults == (fault,)


def test_values_are_counted_before_any_is_built() -> None:
    counted = "[" + "{}," * MAX_VALUES + "not JSON"
    assert faults(counted) == {"$": "There are more than 100,000 values."}
    texts = ['[,{\\"' * 5_000] * 20
    assert read_json(json.dumps(texts)) == texts

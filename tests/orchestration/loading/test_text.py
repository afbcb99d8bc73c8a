"""Loading of files: accepted texts, refused texts and the paths of faults."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import MAX_STAGES, MAX_TEXT, PipelineDefinition
from orchestration.exceptions import DefinitionError, Fault
from orchestration.loading import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FAULTS,
    MAX_VALUES,
    check_value,
    json_schema,
    load,
    load_storable,
    read_json,
    storage_faults,
)
from tests.orchestration.pipeline_files import Load, faults, file
from tests.orchestration.strategies import definitions, storable_definitions


@given(definitions())
def test_a_dumped_definition_loads_unchanged(
    definition: PipelineDefinition,
) -> None:
    again = load(definition.dump())
    assert again == definition
    assert again.dump() == definition.dump()


@given(storable_definitions())
def test_a_definition_with_unique_names_and_references_can_be_stored(
    definition: PipelineDefinition,
) -> None:
    assert storage_faults(definition) == ()
    assert load_storable(definition.dump().encode()) == definition


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


@pytest.mark.parametrize("data", ["[]", "null", "3", '"text"'])
def test_a_pipeline_is_an_object(data: str) -> None:
    assert faults(data) == {"$": "A pipeline is a JSON object, in curly brackets."}


def test_a_duplicate_key_is_refused_at_any_depth() -> None:
    text = '{"name": "a", "name": "b", "stages": [{"phase": "x", "phase": "x"}]}'
    assert faults(text) == {
        "$.name": "The key 'name' appears more than once.",
        "$.stages[0].phase": "The key 'phase' appears more than once.",
    }


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 101])
def test_a_number_that_programs_read_differently_is_refused(number: str) -> None:
    result = faults(f'{{"name": "a", "layout": {{"supervisor": {{"x": {number}, "y": 0}}}}}}')
    assert list(result) == ["$.layout.supervisor.x"]
    assert "is not a number that every program can read" in result["$.layout.supervisor.x"]


@pytest.mark.parametrize("digits", [5_000, 1_000_000])
def test_a_number_of_a_million_digits_is_refused(digits: int) -> None:
    assert list(faults(f'{{"name": {"7" * digits}}}')) == ["$.name"]


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff", "\\udc00\\ud800"])
def test_a_lone_surrogate_is_refused_in_values_and_keys(half: str) -> None:
    result = faults(f'{{"name": "{half}", "aliases": {{"a{half}": "b"}}}}')
    assert len(result) == 2
    assert set(result.values()) == {LONE_SURROGATE}


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert load('{"name": "\\ud83d\\ude00"}').name == "😀"


def test_the_character_nul_is_refused() -> None:
    assert faults('{"name": "a\\u0000"}') == {
        "$.name": "The text contains the character NUL, which cannot be stored."
    }


LONE_SURROGATE = "The text contains a lone surrogate, which cannot be stored."
NOT_A_NUMBER = "{0!r} is not a number that every program can read."


def nested(depth: int) -> str:
    """Return a file with `depth` nested objects."""
    return file(tools=[{"name": "t", "parameters": "DEEP"}]).replace(
        '"DEEP"', '{"a":' * (depth - 4) + "{}" + "}" * (depth - 4)
    )


def test_lists_and_objects_nest_32_deep_at_most() -> None:
    assert load(nested(MAX_DEPTH)).tools[0].name == "t"
    (message,) = faults(nested(MAX_DEPTH + 1)).values()
    assert message == "Lists and objects are nested more than 32 deep."


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_text_nested_forty_thousand_deep_is_refused(opening: str) -> None:
    assert faults(opening * 40_000) == {"$": "Lists and objects are nested more than 32 deep."}
    assert sys.getrecursionlimit() >= 1_000


def test_a_file_with_too_many_values_is_refused() -> None:
    parameters = {"enum": [0] * MAX_VALUES}
    assert faults(file(tools=[{"name": "t", "parameters": parameters}])) == {
        "$": "There are more than 100,000 values."
    }


def test_long_texts_are_refused_in_fields_and_in_free_json() -> None:
    long = "x" * (MAX_TEXT + 1)
    arguments = {"call": {"tool": "t", "arguments": {"a": [long]}}}
    result = faults(file(description=long, agents=[{"id": "a", "name": "A", "cues": [arguments]}]))
    assert result == dict.fromkeys(
        ["$.description", "$.agents[0].cues[0].call.arguments.a[0]"],
        "The text is longer than 32,000 characters.",
    )


def test_long_lists_are_refused() -> None:
    stages = [{"phase": f"p{number}"} for number in range(MAX_STAGES + 1)]
    assert faults(file(stages=stages)) == {"$.stages": "There are more than 2,000 entries."}


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


def slots(value: Any) -> list[tuple[Any, str | int]]:
    """Return each value within a JSON value as its parent and its key."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    result = [(value, key) for key, _ in entries]
    for _, entry in list(entries if isinstance(value, dict) else enumerate(value)):
        if isinstance(entry, dict | list):
            result += slots(entry)
    return result


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"a": [float("nan")]}, Fault("$.a[0]", NOT_A_NUMBER.format("NaN"))),
        (
            {"a": "\ud800"},
            Fault("$.a", LONE_SURROGATE),
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

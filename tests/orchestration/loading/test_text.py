"""Files in: what is taken, what is refused, and how a fault says where it stands."""

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
    json_schema,
    load,
    load_storable,
    storage_faults,
)
from tests.orchestration.part_strategies import texts
from tests.orchestration.pipeline_files import Load, faults, file
from tests.orchestration.strategies import definitions, storable_definitions


@given(definitions())
def test_a_definition_that_is_dumped_and_loaded_is_the_same(
    definition: PipelineDefinition,
) -> None:
    again = load(definition.dump())
    assert again == definition
    assert again.dump() == definition.dump()


@given(storable_definitions())
def test_what_has_no_doubles_and_no_loose_ends_can_be_stored(
    definition: PipelineDefinition,
) -> None:
    assert storage_faults(definition) == ()
    assert load_storable(definition.dump().encode()) == definition


@given(st.binary(max_size=300) | st.text(max_size=300))
def test_any_text_or_bytes_load_or_are_refused(data: bytes | str) -> None:
    refuse_or_take(data)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=20,
)


@given(ANYTHING)
def test_any_json_loads_or_is_refused(value: Any) -> None:
    refuse_or_take(json.dumps(value))


@given(definitions(), st.data())
def test_a_definition_with_one_value_exchanged_loads_or_is_refused(
    definition: PipelineDefinition, data: st.DataObject
) -> None:
    value = json.loads(definition.dump())
    holder, key = data.draw(st.sampled_from(list(places(value))))
    holder[key] = data.draw(ANYTHING)
    refuse_or_take(json.dumps(value))


def refuse_or_take(data: bytes | str) -> None:
    """Load, and accept nothing but a definition that is its own dump, or readable faults."""
    for one_load in (load, load_storable):
        outcome = attempt(one_load, data)
        if isinstance(outcome, PipelineDefinition):
            assert load(outcome.dump()) == outcome
            continue
        assert 0 < len(outcome) <= MAX_FAULTS
        for fault in outcome:
            assert fault.path.startswith("$")
            assert_readable(fault)


def attempt(by: Load, data: bytes | str) -> PipelineDefinition | tuple[Fault, ...]:
    """The definition of a file or its faults; any other error is the test's."""
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
def test_only_utf_8_is_text(data: bytes | str) -> None:
    assert faults(data) == {"$": "The file is not text in UTF-8."}


def test_a_byte_order_mark_is_taken_off() -> None:
    assert load(b"\xef\xbb\xbf" + file().encode()).name == "A file"


def test_what_is_not_json_says_at_which_line_and_column() -> None:
    assert faults('{\n  "name": oops\n}') == {
        "$": "This is not JSON: Expecting value (line 2, column 11)."
    }
    assert faults('{"name": "oo') == {
        "$": "This is not JSON: Unterminated string (line 1, column 10)."
    }


@pytest.mark.parametrize("data", ["[]", "null", "3", '"text"'])
def test_a_pipeline_is_an_object(data: str) -> None:
    assert faults(data) == {"$": "A pipeline is a JSON object, in curly brackets."}


def test_a_key_that_stands_twice_is_refused_wherever_it_is() -> None:
    text = '{"name": "a", "name": "b", "stages": [{"phase": "x", "phase": "x"}]}'
    assert faults(text) == {
        "$.name": "The key 'name' stands here more than once.",
        "$.stages[0].phase": "The key 'phase' stands here more than once.",
    }


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 101])
def test_a_number_that_programs_do_not_read_alike_is_refused(number: str) -> None:
    found = faults(f'{{"name": "a", "layout": {{"supervisor": {{"x": {number}, "y": 0}}}}}}')
    assert list(found) == ["$.layout.supervisor.x"]
    assert "is not a number that every program can read" in found["$.layout.supervisor.x"]


@pytest.mark.parametrize("digits", [5_000, 1_000_000])
def test_a_number_of_a_million_digits_is_refused(digits: int) -> None:
    assert list(faults(f'{{"name": {"7" * digits}}}')) == ["$.name"]


@pytest.mark.parametrize("half", ["\\ud800", "\\udfff", "\\udc00\\ud800"])
def test_half_of_a_surrogate_pair_is_refused_in_values_and_keys(half: str) -> None:
    found = faults(f'{{"name": "{half}", "aliases": {{"a{half}": "b"}}}}')
    assert len(found) == 2
    assert set(found.values()) == {"The text holds half of a surrogate pair, which cannot be kept."}


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert load('{"name": "\\ud83d\\ude00"}').name == "😀"


def test_nul_is_refused_which_one_database_keeps_and_the_other_does_not() -> None:
    assert faults('{"name": "a\\u0000"}') == {
        "$.name": "The text holds the character NUL, which cannot be kept."
    }


def nested(depth: int) -> str:
    """A file that is `depth` deep."""
    return file(tools=[{"name": "t", "parameters": "DEEP"}]).replace(
        '"DEEP"', '{"a":' * (depth - 4) + "{}" + "}" * (depth - 4)
    )


def test_lists_and_objects_nest_32_deep_at_most() -> None:
    assert load(nested(MAX_DEPTH)).tools[0].name == "t"
    (message,) = faults(nested(MAX_DEPTH + 1)).values()
    assert message == "Lists and objects are nested more than 32 deep."


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_text_nested_a_hundred_thousand_deep_is_refused_like_any_other(opening: str) -> None:
    assert faults(opening * 100_000) == {"$": "Lists and objects are nested more than 32 deep."}
    assert sys.getrecursionlimit() >= 1_000


def test_a_file_holds_a_bounded_number_of_values() -> None:
    parameters = {"enum": [0] * MAX_VALUES}
    assert faults(file(tools=[{"name": "t", "parameters": parameters}])) == {
        "$": "The file holds more than 200,000 values."
    }


def test_texts_are_bounded_in_fields_and_in_free_json() -> None:
    long = "x" * (MAX_TEXT + 1)
    arguments = {"call": {"tool": "t", "arguments": {"a": [long]}}}
    found = faults(file(description=long, agents=[{"id": "a", "name": "A", "cues": [arguments]}]))
    assert found == dict.fromkeys(
        ["$.description", "$.agents[0].cues[0].call.arguments.a[0]"],
        "The text is longer than 32,000 characters.",
    )


def test_lists_are_bounded() -> None:
    stages = [{"phase": f"p{number}"} for number in range(MAX_STAGES + 1)]
    assert faults(file(stages=stages)) == {"$.stages": "There are more than 2,000 entries."}


def test_every_fault_of_shape_is_told_with_its_path_and_in_plain_words() -> None:
    found = faults(
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
    assert found == {
        "$.agents[0].id": f"'Agent A' {key}",
        "$.agents[0].name": "This must not be empty.",
        "$.agents[0].temperature": "The number must be at most 2.",
        "$.agents[0].tools[0]": "'9' is no tool's name: 1 to 64 letters, digits, '_' and '-',"
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


def test_what_a_row_compares_with_is_one_fault_wherever_it_is_wrong() -> None:
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
    found = faults(file(rules=[{"id": "r", "agent_id": "a", "conditions": {"rows": rows}}]))
    place = "$.rules[0].conditions.rows[{}].value"
    kinds = "This must be text, a whole number or a list of texts, not {}."
    assert found == {
        place.format(3): kinds.format("the number 1.5"),
        place.format(4): kinds.format("null"),
        place.format(5): kinds.format("true"),
        place.format(6): kinds.format("an object"),
        place.format(7) + "[1]": "This must be text, not the number 3.",
        place.format(8): "The text is longer than 500 characters.",
        place.format(9): "The number must be at most 1,000,000,000.",
        place.format(10): "There are more than 200 entries.",
    }


def test_the_schema_of_a_payload_is_bounded_like_all_free_json() -> None:
    deep: dict[str, Any] = {}
    for _ in range(MAX_DEPTH):
        deep = {"a": deep}
    text = {"description": "x" * (MAX_TEXT + 1), "title": "a\u0000"}
    for schema, path in ((deep, ".a" * (MAX_DEPTH - 3)), (text, None)):
        way = {"source": "a", "target": "b", "input_schema": schema}
        found = faults(file(transitions=[way]))
        under = "$.transitions[0].input_schema"
        expected = {under + path} if path else {f"{under}.description", f"{under}.title"}
        assert set(found) == expected


def test_a_file_of_another_format_or_version_is_told_apart() -> None:
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
def test_a_file_of_another_program_is_told_as_such_and_not_field_by_field(
    data: str, has: str
) -> None:
    sentence = f"This has {has}, and nothing of a Baton pipeline: no agents, no stages."
    assert faults(data) == {"$": sentence}


def test_at_most_a_hundred_faults_are_told() -> None:
    stages = [{"phase": "Not a key"}] * 500
    assert len(faults(file(stages=stages))) == MAX_FAULTS
    assert len(faults('{"a": [' + ",".join(["NaN"] * 500) + "]}")) == MAX_FAULTS
    doubled = [{"phase": "a"}] * 500
    assert len(faults(file(stages=doubled), by=load_storable)) == MAX_FAULTS


@given(texts(least=1000, most=2000))
def test_a_message_repeats_only_a_little_of_what_the_file_says(text: str) -> None:
    for path, message in faults(
        json.dumps({text: 1, "format": text, "aliases": {text: text}})
    ).items():
        assert len(path) < 700
        assert len(message) < 700


def test_the_json_schema_is_closed_and_knows_every_field() -> None:
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(schema["properties"]) == set(PipelineDefinition.model_fields)
    objects = [schema, *schema["$defs"].values()]
    assert all(part["additionalProperties"] is False for part in objects)
    assert schema["$defs"]["Stage"]["properties"]["kind"]["enum"] == ["agent", "group", "human"]
    assert json.loads(json.dumps(schema)) == schema


def places(value: Any) -> list[tuple[Any, str | int]]:
    """Every place in a JSON value where another value could stand."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    found = [(value, key) for key, _ in entries]
    for _, entry in list(entries if isinstance(value, dict) else enumerate(value)):
        if isinstance(entry, dict | list):
            found += places(entry)
    return found

"""Parsing of the arguments of a call, and descriptions of their faults."""

import pytest
from pydantic import BaseModel, ValidationError

from orchestration.messages import ToolCall
from orchestration.tools import describe_faults, read_arguments


def call(arguments: str) -> ToolCall:
    return ToolCall(id="1", name="look_up", arguments=arguments)


@pytest.mark.parametrize(
    ("text", "arguments"), [("", {}), ("{}", {}), ('{"order": 7}', {"order": 7})]
)
def test_arguments_are_an_object_and_may_be_empty(text, arguments):
    assert read_arguments(call(text)) == arguments


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[7]", "The arguments of look_up must be a JSON object."),
        ('{"order": NaN}', "The arguments of look_up are not JSON: "),
        ('{"order": "\\ud83d"}', "The arguments of look_up are not JSON: "),
        ('{"a":' * 60_000, "The arguments of look_up are not JSON: "),
        ('{"order"', "The arguments of look_up are not JSON: Expecting ':' delimiter (line 1, "),
    ],
)
def test_invalid_arguments_are_a_sentence_for_the_model(text, sentence):
    error = read_arguments(call(text))
    assert isinstance(error, str)
    assert error.startswith(sentence)


def test_all_faults_of_a_model_are_in_one_line_with_their_place():
    class Order(BaseModel):
        number: int
        lines: list[int]

    with pytest.raises(ValidationError) as failed:
        Order.model_validate({"number": "x", "lines": [1, "y"]})
    number, line = describe_faults(failed.value).split("; ")
    assert number.startswith("number: Input should be a valid integer")
    assert line.startswith("lines.1: Input should be a valid integer")

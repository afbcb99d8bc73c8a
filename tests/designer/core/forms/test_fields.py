"""Form fields for values of definitions."""

import pytest
from django import forms
from django.core.exceptions import ValidationError

from designer.core.forms.fields import (
    INVALID_NAME,
    JsonField,
    KeyField,
    ListField,
    MultiPickField,
    PartForm,
    ProseField,
    ToolNameField,
    completions,
)
from orchestration.definition import Limits, Position
from orchestration.routing import CONDITION_VARIABLES, FUNCTIONS


@pytest.mark.parametrize(
    ("text", "key"), [("intake", "intake"), ("My Stage", "my-stage"), (" Größe 2 ", "grosse-2")]
)
def test_a_key_is_derived_from_text(text, key):
    assert KeyField().clean(text) == key


@pytest.mark.parametrize(("text", "message"), [("!", "Use the letters"), ("a " * 65, "at most 64")])
def test_text_without_a_valid_key_is_rejected(text, message):
    with pytest.raises(ValidationError, match=message):
        KeyField().clean(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [("look-Up", "look-Up"), ("Look up (old)", "look_up_old"), ("Größe", "grosse")],
)
def test_a_tool_name_is_derived_from_text(text, name):
    assert ToolNameField().clean(text) == name


@pytest.mark.parametrize("name", ["1st", "2 b", "请求", "a\x00b", "_" * 65])
def test_a_tool_name_has_the_format_of_models(name):
    with pytest.raises(ValidationError, match=INVALID_NAME):
        ToolNameField().clean(name)
    assert ToolNameField().clean("") is None


def test_text_has_one_kind_of_line_break_and_keeps_spaces():
    assert ProseField().clean(" a\r\nb\rc ") == " a\nb\nc "
    assert ProseField(max_length=3).clean("a\r\nb") == "a\nb"


def test_a_list_has_one_text_per_line_or_word():
    assert ListField().clean("a, b\n\n c ") == ("a, b", "c")
    assert ListField(are_words=True).clean("a, b\nc") == ("a", "b", "c")


def test_json_is_validated_and_shown_indented():
    field = JsonField(Position)
    assert field.clean('{"x": 1, "y": 2}') == Position(x=1, y=2)
    assert field.prepare_value(Position(x=1, y=2)) == '{\n  "x": 1,\n  "y": 2\n}'
    for text in ("{", '{"x": 1}', '{"x": NaN, "y": 1}'):
        with pytest.raises(ValidationError):
            field.clean(text)


def test_selected_keys_are_unique_and_ordered():
    assert MultiPickField().clean(["b", "a", "b"]) == ("b", "a")
    with pytest.raises(ValidationError):
        MultiPickField().clean(["x" * 121])


def test_every_variable_and_function_has_a_completion():
    names = [completion.name for completion in completions(CONDITION_VARIABLES)]
    variables = [variable.name for variable in CONDITION_VARIABLES]
    assert names == variables + [function.name for function in FUNCTIONS]


class LimitsForm(PartForm):
    ONLY_FOR = {"max_turns": "short"}
    mode = forms.CharField()
    max_turns = forms.IntegerField()


def test_errors_of_fields_that_do_not_apply_are_dropped():
    form = LimitsForm({"mode": "long", "max_turns": "x"})
    assert not form.is_valid()
    assert form.drop_unused("long") == {"max_turns"}
    assert not form.errors
    assert LimitsForm({}).drop_unused("short") == set()


def test_a_part_is_built_or_its_errors_are_shown_at_the_fields():
    form = LimitsForm({"mode": "short", "max_turns": "1"})
    assert form.is_valid()
    assert form.build(Limits, {"max_turns": 3}) == Limits(max_turns=3)
    assert form.build(Limits, {"max_turns": -1}) is None
    assert list(form.errors) == ["max_turns"]

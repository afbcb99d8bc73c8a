"""Forms of one submission."""

import pytest
from django import forms
from django.http import QueryDict

from designer.core import RefusedError
from designer.editor.forms.examples import EXAMPLES
from designer.editor.forms.sent_forms import SentForms, sent_fields, sent_rows
from orchestration.definition import ToolExample


class Fields(forms.Form):
    name = forms.CharField(error_messages={"required": "Enter a name."})


def rows(*results, **fields):
    count = {"example-TOTAL_FORMS": str(len(results)), "example-INITIAL_FORMS": str(len(results))}
    data = QueryDict(mutable=True)
    data.update(count | fields)
    for place, (arguments, result) in enumerate(results):
        data[f"example-{place}-arguments"] = arguments
        data[f"example-{place}-result"] = result
    return data


def test_fields_are_read_and_their_errors_are_listed():
    read = sent_fields(Fields)
    assert read(QueryDict("name=Ada")).are_valid()
    sent = read(QueryDict(""))
    assert not sent.are_valid()
    assert sent.errors == {"name": "Enter a name."}
    assert (sent.rows, sent.row_parts, sent.general_errors) == (None, (), [])


def test_rows_are_read_into_parts():
    sent = sent_rows(EXAMPLES)(rows(('{"id": 1}', "Sent"), ("", "")))
    assert sent.are_valid()
    assert sent.row_parts == (ToolExample(arguments={"id": 1}, result="Sent"),)
    assert not sent.adds_row


def test_a_removed_row_is_not_validated():
    results = (("{", "Sent"), ("", "Lost"))
    assert not sent_rows(EXAMPLES)(rows(*results)).are_valid()
    sent = sent_rows(EXAMPLES)(rows(*results, take_off="0", add_row="1"))
    assert sent.are_valid()
    assert sent.row_parts == (ToolExample(result="Lost"),)
    assert sent.adds_row


def test_the_error_of_a_row_has_the_name_of_its_field_in_the_request():
    sent = SentForms(QueryDict("name=Ada"), Fields({"name": "Ada"}), EXAMPLES.sent(rows(("{", ""))))
    assert not sent.are_valid()
    assert list(sent.errors) == ["example-0-arguments"]
    assert len(sent.forms) == len(sent.parts) == 2


def test_an_error_of_the_action_is_shown_beside_its_field():
    sent = sent_fields(Fields)(QueryDict("name=Ada"))
    sent.add_error(RefusedError("The name exists.", field="name"))
    assert sent.errors == {"name": "The name exists."}
    sent.add_error(RefusedError("The pipeline is full.", field="other"))
    assert sent.errors["__all__"] == "The pipeline is full."


def test_an_error_of_the_action_is_raised_if_there_are_only_rows():
    error = RefusedError("The tool is locked.")
    with pytest.raises(RefusedError) as raised:
        sent_rows(EXAMPLES)(rows()).add_error(error)
    assert raised.value is error

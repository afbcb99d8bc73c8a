"""Fragments after a form of the inspector is saved or refused."""

import re

import pytest
from django.http import QueryDict

from designer.editor.forms.agent import CUES
from designer.editor.forms.sent_forms import sent_fields, sent_rows
from designer.editor.forms.tool import ToolForm
from designer.editor.fragments.saved_form import render_field_errors
from tests.designer.editor_page import stage_fields
from tests.designer.editor_requests import draw, send, swapped

TOKEN = "i12345678"


def errors(html: str) -> dict[str, str]:
    """Return the errors in a response, by the id of their field."""
    return dict(re.findall(r'id="error-i12345678-([^"]+)"[^>]*>([^<]+)<', html))


def data(**fields: object) -> QueryDict:
    query = QueryDict(mutable=True)
    query.update({name: str(value) for name, value in fields.items()})
    return query


def test_errors_are_rendered_next_to_their_fields():
    sent = sent_fields(ToolForm)(data(name="1 tool", kind="function"))
    assert not sent.are_valid()
    html = render_field_errors(sent, TOKEN, block=None, in_inspector=True)
    assert errors(html).keys() == {"name"}
    assert 'id="error-i12345678-kind"' in html, "old errors are cleared"


def test_errors_of_rows_are_rendered_next_to_the_fields_of_each_row():
    rows = {"cue-TOTAL_FORMS": 1, "cue-INITIAL_FORMS": 1, "cue-0-when": "x" * 5_000}
    sent = sent_rows(CUES)(data(**rows))
    assert not sent.are_valid()
    html = render_field_errors(sent, TOKEN, block="cues", in_inspector=True)
    assert any(name.startswith("cue-0-") for name in errors(html))
    assert 'id="error-i12345678-cues-form"' in html


@pytest.mark.django_db
def test_fields_are_left_alone_unless_their_values_changed_on_saving(client, user):
    pipeline = draw(user, "intake", "review", "resolution")
    response = send(client, pipeline, "update_stage", **stage_fields("review", description="Ok"))
    assert not any(name.startswith("field-") for name in swapped(response))
    response = send(client, pipeline, "update_stage", **stage_fields("review", phase="My Stage"))
    assert "field-i12345678-phase" in swapped(response)
    assert "Saved as “my-stage”: only letters, digits, “-” and “_” are allowed." in response.text

"""Forms of the tool import page."""

import pytest

from tests.designer.connections.tool_import_pages import page_text, post
from tests.designer.editor_requests import now

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Choose a file, or paste the text of the document."),
        ({"text": "swagger: '2.0'"}, "It is Swagger 2.0"),
        ({"text": "a: &a 1\nb: *a"}, "Line 2 uses a YAML alias"),
        ({"text": "{"}, "This is not JSON"),
    ],
)
def test_an_unreadable_document_is_reported_and_kept(client, pipeline, fields, sentence):
    response = post(client, pipeline, "tools_of_document", **fields)
    assert response.status_code == 422
    assert sentence in page_text(response)
    assert fields.get("text", "") in page_text(response)


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        ([], "Select at least one tool."),
        (["{"], "The selection cannot be read"),
        (["[]"], "The selection cannot be imported"),
        (['{"name": "a b"}'], "The selection cannot be imported"),
        (['{"name": "a", "description": "\\u0000"}'], "The selection cannot be read"),
        (['{"name": "a"}'] * 201, "at most 200 tools"),
    ],
)
def test_an_invalid_selection_is_rejected(client, pipeline, tool, sentence):
    response = post(client, pipeline, "tools_take", tool=tool)
    assert response.status_code == 422
    assert sentence in page_text(response)
    assert now(pipeline).tools == ()

"""The rows of a tool's examples."""

from __future__ import annotations

import pytest

from orchestration.definition import ToolExample
from tests.designer.editor_page import as_shown, example_fields, field_error, inspected
from tests.designer.editor_requests import draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(client, user):
    row = draw(user, "intake", "review", "resolution")
    send(client, row, "add_tool")
    return row


def examples(pipeline):
    return now(pipeline).tools[0].examples


FOUND = {"arguments": '{"order": 7}', "result": "Shipped."}


def test_examples_are_changed_added_and_removed(client, pipeline):
    fields = example_fields("tool-1", FOUND, {"result": "Lost."}, {}, add_row="1")
    response = send(client, pipeline, "update_examples", **fields)
    assert examples(pipeline) == (
        ToolExample(arguments={"order": 7}, result="Shipped."),
        ToolExample(result="Lost."),
    )
    assert "examples-form" in swapped(response)
    assert "Example 3" in response.content.decode()
    fields = example_fields("tool-1", FOUND, {"result": "Lost."}, take_off="0")
    send(client, pipeline, "update_examples", **fields)
    assert examples(pipeline) == (ToolExample(result="Lost."),)
    send(client, pipeline, "undo")
    assert len(examples(pipeline)) == 2


@pytest.mark.parametrize(
    ("example", "field"),
    [
        ({"arguments": "{", "result": "x"}, "arguments"),
        ({"arguments": "[7]", "result": "x"}, "arguments"),
        ({"arguments": '{"a": 1, "a": 2}', "result": "x"}, "arguments"),
        ({"result": "x\x00"}, "result"),
    ],
)
def test_an_invalid_field_of_an_example_has_its_error_beside_it(client, pipeline, example, field):
    fields = example_fields("tool-1", {"result": "Fine."}, example)
    response = send(client, pipeline, "update_examples", **fields)
    assert response.status_code == 422
    assert field_error(response, f"example-1-{field}")
    assert field_error(response, "example-0-result") == ""
    assert examples(pipeline) == ()


def test_examples_above_the_maximum_are_refused(client, pipeline):
    fields = example_fields("tool-1", *({"result": str(n)} for n in range(101)))
    response = send(client, pipeline, "update_examples", **fields)
    assert response.status_code == 422
    assert "100" in (field_error(response, "examples-form") or "")


def test_the_examples_of_a_missing_tool_are_refused(client, pipeline):
    fields = example_fields("tool-9", {"result": "x"})
    assert send(client, pipeline, "update_examples", **fields).status_code == 409


def test_the_two_forms_of_a_tool_do_not_change_each_other(client, pipeline):
    send(client, pipeline, "update_examples", **example_fields("tool-1", FOUND))
    html = inspected(client, pipeline, select="tool:tool-1")
    before = now(pipeline)
    for view, form in (("update_tool", "tool-form"), ("update_examples", "examples-form")):
        assert send(client, pipeline, view, **as_shown(html, form)).status_code == 200
        assert now(pipeline) == before


def test_the_last_of_two_people_to_change_examples_chooses(client, other_client, pipeline):
    send(client, pipeline, "update_examples", **example_fields("tool-1", FOUND))
    html = inspected(client, pipeline, select="tool:tool-1")
    mine = as_shown(html, "examples-form", **{"example-0-result": "Mine"})
    theirs = example_fields("tool-1", FOUND | {"result": "Theirs"})
    send(client, pipeline, "update_examples", **theirs)
    response = send(client, pipeline, "update_examples", **mine)
    assert response.status_code == 412
    assert "merge" in swapped(response)
    assert "Examples" in response.content.decode()
    assert examples(pipeline)[0].result == "Theirs"

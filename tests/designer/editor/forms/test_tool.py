"""The form of a tool."""

import re

import pytest

from designer.editor.actions import tools
from orchestration.definition import HttpCall, Tool, ToolExample
from orchestration.tools import TASK_PARAMETERS, user_input_tool
from tests.designer.editor_page import (
    as_shown,
    example_fields,
    field_error,
    inspected,
    section,
    tool_fields,
)
from tests.designer.editor_requests import draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_tool_is_changed(client, pipeline):
    send(client, pipeline, "add_tool")
    fields = tool_fields("tool-1", name="lookup") | {
        "parameters": '{"type": "object", "properties": {"z": {}, "a": {}}}',
    }
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert list(tool.parameters["properties"]) == ["z", "a"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "1st tool"), ("name", ""), ("description", "x" * 501), ("parameters", "[]"),
        ("parameters", '{"a": 1, "a": 2}'),
    ],
)  # fmt: skip
def test_an_invalid_field_of_a_tool_has_its_error_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", **{field: value}))
    assert response.status_code == 422
    assert field_error(response, field)


def test_all_errors_of_a_tool_are_shown_at_once(client, pipeline):
    send(client, pipeline, "add_tool")
    wrong = tool_fields("tool-1", name="1st tool", parameters="{")
    response = send(client, pipeline, "update_tool", **wrong)
    assert field_error(response, "name").startswith("A name contains only letters")
    assert field_error(response, "parameters")


@pytest.mark.parametrize(
    "part",
    ["", "stage:review", "agent:agent-review", "transition:intake>review", "tool:tool-1"],
)
def test_forms_of_the_inspector_save_themselves_without_a_button(client, pipeline, part):
    send(client, pipeline, "add_tool")
    html = squeezed(inspected(client, pipeline, select=part))
    forms = re.findall(r'<form class="form" id="[a-z]+-form".*?</form>', html)
    assert forms
    for form in forms:
        assert 'hx-trigger="change, submit"' in form
        assert 'type="submit"' not in form


def test_a_tool_is_another_pipeline_or_the_user(client, pipeline):
    send(client, pipeline, "add_tool")
    send(client, pipeline, "update_examples", **example_fields("tool-1", {"result": "Found"}))
    said = {"kind": "subtask", "pipeline": "Legal", "template_hints": "law\r\ncontract"}
    send(client, pipeline, "update_tool", **tool_fields("tool-1", **said))
    tool = now(pipeline).tools[0]
    assert (tool.kind, tool.pipeline) == ("subtask", "Legal")
    assert tool.examples[0].result == "Found"
    assert tool.template_hints == ("contract", "law")
    said |= {"kind": "user_input", "pipeline": "x" * 121}
    send(client, pipeline, "update_tool", **tool_fields("tool-1", **said))
    asking = user_input_tool("tool-1").model_copy(
        update={"description": "", "examples": (ToolExample(result="Found"),)}
    )
    assert now(pipeline).tools[0] == asking
    send(client, pipeline, "undo")
    send(client, pipeline, "undo")
    assert now(pipeline).tools[0].examples[0].result == "Found"


def test_the_form_of_a_tool_shows_all_fields_and_keeps_unchanged_ones(client, user, pipeline):
    send(client, pipeline, "add_tool")
    tool = Tool(
        name="tool-1",
        kind="http",
        http=HttpCall(method="POST", url="https://example.org/{order}", connection="shop"),
        examples=(ToolExample(result="Found"),),
        stand_in=True,
        approval=True,
        idempotent=True,
        time_limit=3.5,
        max_answer=100,
    )
    tools.update_tool(pipeline=pipeline, user=user, name="tool-1", tool=tool)
    html = inspected(client, pipeline, select="tool:tool-1")
    fields = as_shown(html, "tool-form", description="Looks up.")
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    assert now(pipeline).tools == (tool.model_copy(update={"description": "Looks up."}),)


@pytest.mark.parametrize(
    ("field", "value"),
    [("time_limit", "0"), ("time_limit", "3601"), ("max_answer", "0"), ("max_answer", "100001")],
)
def test_an_invalid_limit_of_a_tool_has_its_error_beside_the_field(client, pipeline, field, value):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", **{field: value}))
    assert response.status_code == 422
    assert field_error(response, field)
    assert getattr(now(pipeline).tools[0], field) is None


def test_the_settings_of_a_tool_are_folded_and_name_the_used_ones(client, pipeline):
    send(client, pipeline, "add_tool")
    name = "tool/Approval, limits and retries"
    html = inspected(client, pipeline, select="tool:tool-1")
    assert section(html, name) == (False, "defaults")
    fields = tool_fields("tool-1", approval="on", time_limit="2.5", max_answer="80")
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert (tool.approval, tool.time_limit, tool.max_answer) == (True, 2.5, 80)
    html = inspected(client, pipeline, select="tool:tool-1")
    used = "Require approval, Time limit of a call, Size limit of an answer"
    assert section(html, name) == (False, used)


def test_a_question_to_the_user_has_no_limits_and_no_approval(client, pipeline):
    send(client, pipeline, "add_tool")
    fields = tool_fields("tool-1", kind="user_input", approval="on", time_limit="2", stand_in="on")
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert (tool.approval, tool.time_limit, tool.stand_in) == (False, None, True)


def squeezed(html: str) -> str:
    return " ".join(html.split())


def test_a_new_kind_replaces_default_parameters_but_not_custom_ones(client, pipeline):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", kind="user_input"))
    assert "field-i12345678-parameters" in swapped(response)
    assert now(pipeline).tools[0].parameters["required"] == ["question"]
    html = inspected(client, pipeline, select="tool:tool-1")
    assert "the question is the argument “question”" in html
    send(client, pipeline, "update_tool", **as_shown(html, "tool-form", kind="subtask"))
    assert now(pipeline).tools[0].parameters == TASK_PARAMETERS
    written = '{"type": "object", "properties": {"place": {"type": "string"}}}'
    for kind in ("subtask", "user_input", "function"):
        fields = tool_fields("tool-1", kind=kind, parameters=written)
        send(client, pipeline, "update_tool", **fields)
        assert list(now(pipeline).tools[0].parameters["properties"]) == ["place"]


def test_a_subtask_suggests_the_other_pipelines_of_the_owner(client, user, other_user, pipeline):
    draw(user, "intake", name="Legal")
    draw(user, "intake", name="Legal")
    draw(other_user, "intake", name="Secret")
    send(client, pipeline, "add_tool")
    html = inspected(client, pipeline, select="tool:tool-1")
    assert html.count('<option value="Legal">') == 1
    assert "Secret" not in html
    assert '<option value="Support">' not in html


def test_a_subtask_without_a_pipeline_is_saved_with_an_issue(client, pipeline):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", kind="subtask"))
    assert response.status_code == 200
    assert "does not say which pipeline" in field_error(response, "pipeline")

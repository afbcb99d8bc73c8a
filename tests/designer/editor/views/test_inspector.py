"""The forms of a transition and an agent."""

import re

import pytest

from designer.editor.actions import agents
from designer.models import Membership
from designer.pipelines.actions import import_definition
from orchestration.definition import Cue, InputFilter, Stage
from tests.designer.editor_page import (
    RULE,
    SETTINGS,
    agent_fields,
    field_error,
    hidden,
    inspected,
    page,
    section,
    tool_fields,
    transition_fields,
)
from tests.designer.editor_requests import chain, draw, now, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_transition_is_changed(client, pipeline):
    fields = transition_fields("intake>review", kind="return", description="If asked")
    response = send(client, pipeline, "update_transition", **fields)
    assert response.status_code == 200
    way = now(pipeline).transitions_from["intake"][0]
    assert (way.kind, way.description) == ("return", "If asked")
    wrong = {"kind": "sideways", "description": "x" * 501}
    response = send(client, pipeline, "update_transition", **fields | wrong)
    assert response.status_code == 422
    assert field_error(response, "kind")
    assert field_error(response, "description")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({"keep": "last", "count": "3", "expression": "nonsense ("}, {"keep": "last", "count": 3}),
        ({"keep": "summary", "count": "many"}, {"keep": "summary"}),
        ({"keep": "no_tools"}, {"keep": "no_tools"}),
        (
            {"keep": "matching", "count": "-1", "expression": "message.role == 'user'"},
            {"keep": "matching", "expression": "message.role == 'user'"},
        ),
    ],
)
def test_an_input_filter_ignores_values_of_other_choices(client, pipeline, said, shown):
    fields = transition_fields("intake>review", **said)
    assert send(client, pipeline, "update_transition", **fields).status_code == 200
    assert now(pipeline).transitions_from["intake"][0].input_filter == InputFilter(**shown)
    assert pipeline.edits.first().label == "Change the input filter of intake → review"
    send(client, pipeline, "undo")
    assert now(pipeline).transitions_from["intake"][0].input_filter == InputFilter()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"keep": "some"}, "keep"),
        ({"keep": "last", "count": "0"}, "count"),
        ({"keep": "last", "count": ""}, "count"),
        ({"keep": "matching", "expression": "x" * 1_001}, "expression"),
    ],
)
def test_an_invalid_filter_is_refused_next_to_its_field(client, pipeline, said, field):
    response = send(
        client, pipeline, "update_transition", **transition_fields("intake>review", **said)
    )
    assert response.status_code == 422
    assert field_error(response, field)


def test_an_invalid_expression_is_saved_and_its_error_has_a_column(client, pipeline):
    said = {"keep": "matching", "expression": "message.role == 'user' && mesage.text == ''"}
    response = send(
        client, pipeline, "update_transition", **transition_fields("intake>review", **said)
    )
    assert response.status_code == 200
    wrong = re.compile(r"is wrong at column \d+")
    assert wrong.search(field_error(response, "expression"))
    assert wrong.search(inspected(client, pipeline, select="transition:intake>review"))
    said["expression"] = "message.role == 'user'"
    response = send(
        client, pipeline, "update_transition", **transition_fields("intake>review", **said)
    )
    assert field_error(response, "expression") == ""


def test_an_agent_is_changed(client, pipeline):
    fields = agent_fields(
        "agent-review",
        id="judge",
        instructions=" Judge. ",
        temperature="0.5",
        max_output_tokens="9",
    )
    response = send(client, pipeline, "update_agent", **fields)
    agent = now(pipeline).agents_by_id["judge"]
    assert (agent.instructions, agent.temperature, agent.max_output_tokens) == (" Judge. ", 0.5, 9)
    assert response["HX-Replace-Url"].endswith("?select=agent:judge")


def test_the_model_options_of_an_agent_are_changed_and_undone(client, pipeline):
    was = now(pipeline).agents_by_id["agent-review"]
    asked = {
        "language": "French",
        "reasoning_effort": "high",
        "tool_choice": "required",
        "response_schema": '{"type": "object"}',
        "retries": "0",
        "retry_shown": "on",
        "time_limit": "12.5",
        "fallback": "spare",
        "fallback_model": "small",
    }
    send(client, pipeline, "update_agent", **agent_fields("agent-review", **asked))
    agent = now(pipeline).agents_by_id["agent-review"]
    assert agent == was.model_copy(
        update={
            **asked,
            "name": agent.name,
            "response_schema": {"type": "object"},
            "retries": 0,
            "retry_shown": True,
            "time_limit": 12.5,
        }
    )
    html = inspected(client, pipeline, select="agent:agent-review")
    assert section(html, "agent/Answer")[1].startswith("Language, Reasoning effort")
    assert section(html, "agent/Retries and fallback")[1].startswith("Retries, Retry shown answers")
    send(client, pipeline, "undo")
    assert now(pipeline).agents_by_id["agent-review"] == was


def test_the_language_of_an_agent_is_a_labelled_field_with_a_help_text(client, pipeline):
    html = inspected(client, pipeline, select="agent:agent-review")
    assert re.search(r">Language</label>\s*<input type=\"text\" name=\"language\"", html)
    assert "The language of the agent&#x27;s answers, such as French." in html
    fields = agent_fields("agent-review", language="x" * 121)
    response = send(client, pipeline, "update_agent", **fields)
    assert response.status_code == 422
    assert (
        field_error(response, "language") == "Language must have at most 120 characters, not 121."
    )
    fields = agent_fields("agent-review", language="French")
    assert send(client, pipeline, "update_agent", **fields).status_code == 200
    html = inspected(client, pipeline, select="agent:agent-review")
    assert "<h4>language</h4><pre><span>Answer in French.</span></pre>" in html


@pytest.mark.parametrize("shown", [{"select": "agent:agent-review"}, {"tab": "agent"}])
def test_an_invalid_schema_is_saved_and_its_error_is_shown(client, pipeline, shown):
    fields = agent_fields("agent-review", response_schema='{"type": "object", "required": 5}')
    assert send(client, pipeline, "update_agent", **fields).status_code == 200
    send(client, pipeline, "add_tool")
    send(client, pipeline, "update_tool", **tool_fields("tool-1", parameters='{"type": "objekt"}'))
    html = inspected(client, pipeline, **{"select": "stage:review"} | shown)
    assert "is wrong: required: it is not of type" in html
    html = inspected(client, pipeline, select="tool:tool-1")
    assert "is wrong: It must describe an object" in html


def test_rare_options_of_an_agent_are_folded_and_show_errors(client, pipeline):
    html = inspected(client, pipeline, select="agent:agent-review")
    assert section(html, "agent/Model") == (True, "default")
    assert section(html, "agent/Tools") == (True, "none")
    for name in ("Answer", "Retries and fallback", "Advanced"):
        assert section(html, f"agent/{name}") == (False, "defaults")
    fields = agent_fields("agent-review", response_schema='{"type": "object", "required": 5}')
    assert send(client, pipeline, "update_agent", **fields).status_code == 200
    html = inspected(client, pipeline, select="agent:agent-review")
    assert section(html, "agent/Answer") == (True, "Schema of the answer")


def test_a_saved_form_updates_the_values_of_its_sections(client, pipeline):
    fields = agent_fields("agent-review", temperature="0.5", token="i12345678")
    response = send(client, pipeline, "update_agent", **fields)
    state = re.search(
        r'id="i12345678-section-answer"\s+hx-swap-oob="true"\s*>([^<]*)<', response.text
    )
    assert state
    assert state[1] == "Temperature"


def test_the_settings_show_the_common_fields_first_and_fold_the_rest(client, pipeline):
    html = inspected(client, pipeline)
    form = html[html.index('id="settings-form"') :]
    names = re.findall(r'name="(\w+)"', form[: form.index("<details")])
    common = ["csrfmiddlewaretoken", "name", "entry", "topology", "description", "supervisor_id"]
    assert list(dict.fromkeys(names)) == common
    limits = "pipeline/Limits of a run"
    assert section(html, limits) == (False, "defaults")
    send(client, pipeline, "update_pipeline", **SETTINGS | {"max_turns": "5"})
    assert section(inspected(client, pipeline), limits) == (False, "Turns")


def test_the_topologies_are_in_one_row_with_a_picture_each(client, pipeline):
    html = inspected(client, pipeline)
    row = re.search(r'<div class="topologies">(.*?)</div>', html, re.DOTALL)
    assert row
    assert re.findall(r'value="(\w+)"', row[1]) == ["pipeline", "workflow", "team", "swarm"]
    assert row[1].count("<svg") == 4
    assert html.index('name="entry"') < html.index('class="topologies"')


def test_a_transition_folds_the_messages_and_an_empty_payload(client, pipeline):
    html = inspected(client, pipeline, select="transition:intake>review")
    assert section(html, "transition/Messages for the target") == (False, "everything")
    assert section(html, "transition/Payload") == (False, "none")
    fields = transition_fields("intake>review", keep="last", count="3")
    assert send(client, pipeline, "update_transition", **fields).status_code == 200
    html = inspected(client, pipeline, select="transition:intake>review")
    assert section(html, "transition/Messages for the target") == (False, "the last messages")


@pytest.mark.parametrize("shown", [{"select": "agent:agent-review"}, {"tab": "agent"}])
def test_instructions_come_first_and_the_id_is_under_advanced(client, pipeline, shown):
    html = inspected(client, pipeline, **{"select": "stage:review"} | shown)
    form = html[html.index('id="agent-form"') :]
    advanced = form.index('data-section="agent/Advanced"')
    names = re.findall(r'name="(\w+)"', form[:advanced])
    assert names[:2] == ["csrfmiddlewaretoken", "instructions"]
    assert "id" not in names
    assert 'name="id"' in form[advanced:]


def test_a_new_name_changes_the_id_the_selection_and_the_address(client, pipeline):
    fields = agent_fields("agent-review", name="Judge", select="agent:agent-review")
    response = send(client, pipeline, "update_agent", **fields)
    assert hidden(response.content.decode(), "subject") == "agent-judge"
    assert response["HX-Replace-Url"].endswith("?select=agent:agent-judge")
    assert re.search(r'name="id" value="agent-judge"', response.content.decode())


def test_an_agent_renamed_in_a_stages_tab_leaves_the_stage_selected(client, pipeline):
    fields = agent_fields("agent-review", id="judge", select="stage:review", tab="agent")
    response = send(client, pipeline, "update_agent", **fields)
    assert "HX-Replace-Url" not in response
    assert hidden(response.content.decode(), "subject") == "judge"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("id", "human"), ("id", "agent-intake"), ("temperature", "3"),
        ("temperature", "nan"), ("max_output_tokens", "0"), ("provider", "?"), ("model", "x" * 201),
        ("instructions", "x" * 32_001), ("tools", "no tool"), ("reasoning_effort", "most"),
        ("tool_choice", "some"), ("response_schema", "[1]"), ("response_schema", "{"),
        ("retries", "11"), ("time_limit", "0"), ("time_limit", "3601"), ("fallback", "?"),
        ("fallback_model", "x" * 201),
    ],
)  # fmt: skip
def test_an_invalid_field_of_an_agent_is_refused_next_to_it(client, pipeline, field, value):
    fields = agent_fields("agent-review", **{field: value})
    response = send(client, pipeline, "update_agent", **fields)
    assert response.status_code == 422
    assert field_error(response, field)


@pytest.mark.parametrize(
    "shown", [{"select": "agent:agent-review"}, {"select": "stage:review", "tab": "agent"}]
)
def test_the_rules_that_are_deleted_with_an_agent_are_named(client, pipeline, shown):
    html = send(client, pipeline, "add_rule", **RULE, **shown, panel="rules").content.decode()
    text = " ".join(html.split())
    assert "A routing rule leads to it and is deleted with it: by-sms." in text


def test_agents_and_tools_are_deleted(client, pipeline):
    send(client, pipeline, "delete_agent", agent="agent-review", select="agent:agent-review")
    assert "agent-review" not in now(pipeline).agents_by_id
    assert send(client, pipeline, "delete_agent", agent="agent-review").status_code == 409
    send(client, pipeline, "add_tool")
    send(client, pipeline, "delete_tool", tool="tool-1")
    assert now(pipeline).tools == ()
    assert send(client, pipeline, "delete_tool", tool="tool-1").status_code == 409


@pytest.mark.parametrize(
    ("shown", "read_only", "disabled"),
    [
        ({"select": "stage:review"}, "phase", "next_phase"),
        ({"select": "agent:agent-review"}, "instructions", "tool_choice"),
        ({"select": "transition:intake>review"}, "description", "kind"),
    ],
)
def test_the_fields_of_a_viewer_are_read_only(
    client, other_client, other_user, pipeline, shown, read_only, disabled
):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    agents.update_cues(
        pipeline=pipeline, user=pipeline.owner, agent_id="agent-review", cues=(Cue(say="Hi."),)
    )
    html = inspected(other_client, pipeline, **shown)
    assert re.search(rf'name="{read_only}"[^>]* readonly', html)
    assert re.search(rf'<select[^>]* name="{disabled}"[^>]* disabled', html) or re.search(
        rf'<select[^>]* disabled[^>]* name="{disabled}"', html
    )
    assert "readonly" not in inspected(client, pipeline, **shown)


def test_a_viewer_has_a_badge_and_no_undo(client, other_client, other_user, pipeline):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    html = page(other_client, pipeline)
    assert "shared this pipeline with you for viewing" in html
    assert 'id="undo-button"' not in html
    assert 'id="undo-button"' in page(client, pipeline)


def test_an_empty_group_asks_for_members(client, user):
    jury = Stage(phase="jury", kind="group")
    definition = chain("intake").model_copy(update={"stages": (*chain("intake").stages, jury)})
    pipeline = import_definition(user=user, definition=definition)
    html = inspected(client, pipeline, select="stage:jury", tab="agent")
    assert "This group has no members yet." in html
    assert "Add members</a>" in html

"""The forms of a transition, an agent, a tool and the pipeline."""

import re

import pytest

from designer.actions import settings
from orchestration.definition import HttpCall, InputFilter, Limits, Tool, ToolExample
from orchestration.tools.subtask import TASK_PARAMETERS
from orchestration.tools.user_input import user_input_tool
from tests.designer.drawing import draw, now, send, swapped
from tests.designer.editing import (
    SETTINGS,
    agent_fields,
    as_shown,
    example_fields,
    hidden,
    inspected,
    told,
    tool_fields,
    way_fields,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_transition_is_changed(client, pipeline):
    fields = way_fields("intake>review", kind="return", description="If asked")
    response = send(client, pipeline, "update_transition", **fields)
    assert response.status_code == 200
    way = now(pipeline).transitions_from["intake"][0]
    assert (way.kind, way.description) == ("return", "If asked")
    wrong = {"kind": "sideways", "description": "x" * 501}
    response = send(client, pipeline, "update_transition", **fields | wrong)
    assert response.status_code == 422
    assert told(response, "kind")
    assert told(response, "description")


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
def test_what_the_target_is_shown_is_chosen_and_the_rest_is_no_matter(
    client, pipeline, said, shown
):
    fields = way_fields("intake>review", **said)
    assert send(client, pipeline, "update_transition", **fields).status_code == 200
    assert now(pipeline).transitions_from["intake"][0].input_filter == InputFilter(**shown)
    assert pipeline.edits.first().label == "Change what review is shown by intake"
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
def test_a_filter_that_cannot_be_is_told_beside_its_field(client, pipeline, said, field):
    response = send(client, pipeline, "update_transition", **way_fields("intake>review", **said))
    assert response.status_code == 422
    assert told(response, field)


def test_a_wrong_expression_is_kept_and_its_field_says_at_which_column(client, pipeline):
    said = {"keep": "matching", "expression": "message.role == 'user' && mesage.text == ''"}
    response = send(client, pipeline, "update_transition", **way_fields("intake>review", **said))
    assert response.status_code == 200
    wrong = re.compile(r"is wrong at column \d+")
    assert wrong.search(told(response, "expression"))
    assert wrong.search(inspected(client, pipeline, select="transition:intake>review"))
    said["expression"] = "message.role == 'user'"
    response = send(client, pipeline, "update_transition", **way_fields("intake>review", **said))
    assert told(response, "expression") == ""


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


def test_what_an_agent_asks_of_its_model_is_changed_and_undone(client, pipeline):
    was = now(pipeline).agents_by_id["agent-review"]
    asked = {
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
    assert 'row__more" open' in inspected(client, pipeline, select="agent:agent-review")
    send(client, pipeline, "undo")
    assert now(pipeline).agents_by_id["agent-review"] == was


@pytest.mark.parametrize("shown", [{"select": "agent:agent-review"}, {"tab": "agent"}])
def test_a_schema_that_is_none_is_saved_and_said_to_be_wrong_beside_it(client, pipeline, shown):
    fields = agent_fields("agent-review", response_schema='{"type": "object", "required": 5}')
    assert send(client, pipeline, "update_agent", **fields).status_code == 200
    send(client, pipeline, "add_tool")
    send(client, pipeline, "update_tool", **tool_fields("tool-1", parameters='{"type": "objekt"}'))
    html = inspected(client, pipeline, **{"select": "stage:review"} | shown)
    assert "follow is wrong: required: it is not of type" in html
    html = inspected(client, pipeline, select="tool:tool-1")
    assert "is wrong: It must describe an object" in html


def test_what_is_asked_of_a_model_is_folded_away_where_nothing_is(client, pipeline):
    assert 'row__more" open' not in inspected(client, pipeline, select="agent:agent-review")


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
def test_a_field_of_an_agent_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    fields = agent_fields("agent-review", **{field: value})
    response = send(client, pipeline, "update_agent", **fields)
    assert response.status_code == 422
    assert told(response, field)


def test_agents_and_tools_are_deleted(client, pipeline):
    send(client, pipeline, "delete_agent", agent="agent-review", select="agent:agent-review")
    assert "agent-review" not in now(pipeline).agents_by_id
    assert send(client, pipeline, "delete_agent", agent="agent-review").status_code == 409
    send(client, pipeline, "add_tool")
    send(client, pipeline, "delete_tool", tool="tool-1")
    assert now(pipeline).tools == ()
    assert send(client, pipeline, "delete_tool", tool="tool-1").status_code == 409


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
def test_a_field_of_a_tool_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", **{field: value}))
    assert response.status_code == 422
    assert told(response, field)


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


def test_the_form_of_a_tool_shows_all_of_it_and_keeps_what_is_not_touched(client, user, pipeline):
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
    settings.update_tool(pipeline=pipeline, user=user, name="tool-1", tool=tool)
    html = inspected(client, pipeline, select="tool:tool-1")
    fields = as_shown(html, "tool-form", description="Looks up.")
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    assert now(pipeline).tools == (tool.model_copy(update={"description": "Looks up."}),)


@pytest.mark.parametrize(
    ("field", "value"),
    [("time_limit", "0"), ("time_limit", "3601"), ("max_answer", "0"), ("max_answer", "100001")],
)
def test_the_limits_of_a_tool_are_checked_beside_their_fields(client, pipeline, field, value):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", **{field: value}))
    assert response.status_code == 422
    assert told(response, field)
    assert getattr(now(pipeline).tools[0], field) is None


def test_the_manners_of_a_tool_are_folded_away_until_one_is_used(client, pipeline):
    send(client, pipeline, "add_tool")
    folded = '<details class="row__more">\n      <summary>Manners</summary>'
    assert squeezed(folded) in squeezed(inspected(client, pipeline, select="tool:tool-1"))
    fields = tool_fields("tool-1", approval="on", time_limit="2.5", max_answer="80")
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert (tool.approval, tool.time_limit, tool.max_answer) == (True, 2.5, 80)
    opened = folded.replace('more">', 'more" open>')
    assert squeezed(opened) in squeezed(inspected(client, pipeline, select="tool:tool-1"))


def test_a_question_to_the_user_has_no_limits_and_asks_nobody_else(client, pipeline):
    send(client, pipeline, "add_tool")
    fields = tool_fields("tool-1", kind="user_input", approval="on", time_limit="2", stand_in="on")
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert (tool.approval, tool.time_limit, tool.stand_in) == (False, None, True)


def squeezed(html: str) -> str:
    return " ".join(html.split())


def test_a_tool_of_another_kind_takes_its_usual_parameters_unless_they_were_written(
    client, pipeline
):
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


def test_a_subtask_offers_the_names_of_ones_other_pipelines(client, user, other_user, pipeline):
    draw(user, "intake", name="Legal")
    draw(user, "intake", name="Legal")
    draw(other_user, "intake", name="Secret")
    send(client, pipeline, "add_tool")
    html = inspected(client, pipeline, select="tool:tool-1")
    assert html.count('<option value="Legal">') == 1
    assert "Secret" not in html
    assert '<option value="Support">' not in html


def test_a_subtask_that_nobody_does_is_kept_and_told_beside_its_pipeline(client, pipeline):
    send(client, pipeline, "add_tool")
    response = send(client, pipeline, "update_tool", **tool_fields("tool-1", kind="subtask"))
    assert response.status_code == 200
    assert "does not say which pipeline" in told(response, "pipeline")


def test_the_pipeline_is_changed(client, pipeline):
    fields = SETTINGS | {"name": "Refunds", "max_turns": "3", "aliases": "boss = agent-review\n"}
    response = send(client, pipeline, "update_pipeline", **fields)
    definition = now(pipeline)
    assert (definition.name, definition.limits.max_turns) == ("Refunds", 3)
    assert definition.aliases == {"boss": "agent-review"}
    assert definition.allow_human is False
    assert ">Refunds</b>" in response.content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("entry", "gone"), ("supervisor_id", "gone"), ("default_agent_id", "gone"),
        ("on_handoff", "maybe"), ("max_turns", "0"), ("max_handoffs", "-1"), ("aliases", "boss"),
        ("topology", "star"), ("topology", ""), ("handoff_tool_name", "a b"),
        ("count_handoffs", ""), ("detect_cycles", "maybe"),
        ("max_context_tokens", "ten"), ("aliases", "a = b\na = c"), ("aliases", "A b = c"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_told_beside_its_field(client, pipeline, field, value):
    response = send(client, pipeline, "update_pipeline", **(SETTINGS | {field: value}))
    assert response.status_code == 422
    assert told(response, field)


def test_topology_and_limits_are_chosen_and_taken_back(client, pipeline):
    chosen = {"topology": "swarm", "count_handoffs": "requested", "detect_cycles": "no"}
    send(
        client, pipeline, "update_pipeline", **SETTINGS | chosen | {"handoff_tool_name": "pass_on"}
    )
    definition = now(pipeline)
    limits = definition.limits
    assert (definition.topology, definition.handoff_tool_name) == ("swarm", "pass_on")
    assert (limits.count_handoffs, limits.detect_cycles) == ("requested", False)
    assert "pass_on(" in inspected(client, pipeline, select="stage:intake")
    send(client, pipeline, "undo")
    assert (now(pipeline).topology, now(pipeline).limits) == ("pipeline", Limits())


def test_the_settings_that_are_saved_as_they_are_shown_change_nothing(client, user):
    limits = Limits(max_turns=5, count_handoffs="requested", detect_cycles=True)
    pipeline = draw(user, "intake", "review", topology="team", limits=limits)
    before = now(pipeline)
    html = inspected(client, pipeline)
    response = send(client, pipeline, "update_pipeline", **as_shown(html, "settings-form"))
    assert response.status_code == 200
    assert now(pipeline) == before


def test_each_topology_says_what_it_means(client, pipeline):
    html = inspected(client, pipeline)
    for sentence in (
        "Agents hand the conversation over",
        "answer is what its next stage works on",
        "The agent of the entry delegates",
        "Peers hand over to one another",
    ):
        assert sentence in html


def test_another_topology_draws_every_line_and_card_anew(client, pipeline):
    send(client, pipeline, "connect", source="review", target="intake")
    fields = SETTINGS | {"topology": "workflow"}
    response = send(client, pipeline, "update_pipeline", **fields)
    assert {"stages", "edges"} <= swapped(response)
    assert 'id="edge-review--intake" class="edge idle"' in response.text
    response = send(client, pipeline, "update_pipeline", **fields | {"max_turns": "3"})
    assert "stages" not in swapped(response)


def test_what_a_workflow_has_no_use_for_is_no_matter(client, pipeline):
    wrong = {"topology": "workflow", "max_handoffs": "many", "aliases": "nonsense"}
    assert send(client, pipeline, "update_pipeline", **SETTINGS | wrong).status_code == 200
    assert now(pipeline).topology == "workflow"


def test_a_default_agent_that_nobody_asks_can_still_be_taken_away(client, user):
    hidden_one = inspected(client, draw(user, "intake", topology="workflow"))
    chosen = {"topology": "workflow", "default_agent_id": "agent-intake"}
    shown_one = inspected(client, draw(user, "intake", **chosen))
    hides = r'<select(?=[^>]* name="default_agent_id")[^>]* data-only='
    assert re.search(hides, hidden_one)
    assert not re.search(hides, shown_one)

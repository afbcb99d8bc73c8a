"""The forms of a transition, an agent, a tool and the pipeline."""

import pytest

from tests.designer.drawing import draw, now, send
from tests.designer.editing import SETTINGS, agent_fields, hidden, told

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_transition_is_changed(client, pipeline):
    key = "intake>review"
    fields = {"select": f"transition:{key}", "subject": key, "token": "i12345678"}
    response = send(
        client, pipeline, "update_transition", kind="return", description="If asked", **fields
    )
    assert response.status_code == 200
    way = now(pipeline).transitions_from["intake"][0]
    assert (way.kind, way.description) == ("return", "If asked")
    wrong = {"kind": "sideways", "description": "x" * 501}
    response = send(client, pipeline, "update_transition", **fields, **wrong)
    assert response.status_code == 422
    assert told(response, "kind")
    assert told(response, "description")


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
        ("instructions", "x" * 32_001), ("tools", "no tool"),
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
    fields = {
        "select": "tool:tool-1",
        "subject": "tool-1",
        "token": "i12345678",
        "name": "lookup",
        "parameters": '{"type": "object", "properties": {"z": {}, "a": {}}}',
        "examples": '[{"result": "Found"}]',
    }
    assert send(client, pipeline, "update_tool", **fields).status_code == 200
    tool = now(pipeline).tools[0]
    assert list(tool.parameters["properties"]) == ["z", "a"]
    assert tool.examples[0].result == "Found"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "1st tool"), ("name", ""), ("description", "x" * 501), ("parameters", "[]"),
        ("parameters", '{"a": 1, "a": 2}'), ("examples", "{}"), ("examples", '[{"reslt": ""}]'),
    ],
)  # fmt: skip
def test_a_field_of_a_tool_that_cannot_be_is_told_beside_it(client, pipeline, field, value):
    send(client, pipeline, "add_tool")
    fields = {"subject": "tool-1", "token": "i12345678", "name": "tool-1"} | {field: value}
    response = send(client, pipeline, "update_tool", **fields)
    assert response.status_code == 422
    assert told(response, field)


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
        ("max_context_tokens", "ten"), ("aliases", "a = b\na = c"), ("aliases", "A b = c"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_told_beside_its_field(client, pipeline, field, value):
    response = send(client, pipeline, "update_pipeline", **(SETTINGS | {field: value}))
    assert response.status_code == 422
    assert told(response, field)

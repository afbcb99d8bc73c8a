"""Settings form: name, topology and limits of a pipeline."""

import re

import pytest

from designer.pipelines.actions import import_definition
from orchestration.definition import Limits, Position
from tests.designer.editor_page import (
    SETTINGS,
    as_shown,
    field_error,
    inspected,
)
from tests.designer.editor_requests import chain, draw, moves, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_settings_of_the_pipeline_are_saved(client, pipeline):
    fields = SETTINGS | {"name": "Refunds", "max_turns": "3", "aliases": "boss = agent-review\n"}
    response = send(client, pipeline, "update_pipeline", **fields)
    definition = now(pipeline)
    assert (definition.name, definition.limits.max_turns) == ("Refunds", 3)
    assert definition.aliases == {"boss": "agent-review"}
    assert definition.allow_human is False
    assert ">Refunds</b>" in response.content.decode()


def test_variables_are_declared_with_their_defaults_and_shown_again(client, pipeline):
    lines = "plan = basic\r\n customer.name =  Ada  Lovelace \r\nnote\r\n"
    response = send(client, pipeline, "update_pipeline", **SETTINGS | {"variables": lines})
    assert response.status_code == 200
    expected = {"customer.name": "Ada Lovelace", "note": "", "plan": "basic"}
    assert now(pipeline).variables == expected
    assert "customer.name = Ada Lovelace\nnote =\nplan = basic" in inspected(client, pipeline)
    send(client, pipeline, "undo")
    assert now(pipeline).variables == {}


def test_the_card_of_a_supervisor_keeps_its_first_position(client, pipeline, user):
    send(client, pipeline, "update_pipeline", **SETTINGS | {"supervisor_id": "agent-review"})
    seen = now(pipeline).layout.supervisor
    assert seen == Position(x=640, y=90), "above the rightmost stage"
    send(client, pipeline, "move_stages", moves=moves(resolution=(900, -400)))
    assert now(pipeline).layout.supervisor == seen
    for _ in range(2):
        send(client, pipeline, "undo")
    assert now(pipeline).layout.supervisor is None
    definition = chain("intake", supervisor_id="agent-intake")
    imported = import_definition(user=user, definition=definition)
    assert now(imported).layout.supervisor == Position(x=60, y=90)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""), ("entry", "gone"), ("supervisor_id", "gone"), ("default_agent_id", "gone"),
        ("on_handoff", "maybe"), ("max_turns", "0"), ("max_handoffs", "-1"), ("aliases", "boss"),
        ("topology", "star"), ("topology", ""), ("handoff_tool_name", "1 b"),
        ("count_handoffs", ""), ("detect_cycles", "maybe"),
        ("variables", "a b = c"), ("variables", "plan = a\nplan = b"), ("variables", ".a = b"),
        ("variables", f"plan = {'x' * 501}"), ("variables", f"{'x' * 65} = a"),
        ("variables", "\n".join(f"v{number} = a" for number in range(51))),
        ("max_context_tokens", "ten"), ("aliases", "a = b\na = c"), ("aliases", "A b = c"),
        ("max_calls", "0"), ("max_tokens", ""), ("max_cost", "0"), ("max_cost", "nan"),
        ("max_seconds", "0"), ("max_seconds", "long"),
    ],
)  # fmt: skip
def test_an_invalid_setting_is_reported_at_its_field(client, pipeline, field, value):
    response = send(client, pipeline, "update_pipeline", **(SETTINGS | {field: value}))
    assert response.status_code == 422
    assert field_error(response, field)


def test_a_variable_without_an_equals_sign_is_explained(client, pipeline):
    response = send(client, pipeline, "update_pipeline", **(SETTINGS | {"variables": "plan basic"}))
    assert "write plan = basic" in field_error(response, "variables")


def test_topology_and_limits_can_be_changed_and_undone(client, pipeline):
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


def test_saving_unchanged_settings_changes_nothing(client, user):
    limits = Limits(max_turns=5, max_cost=0.5, count_handoffs="requested", detect_cycles=True)
    pipeline = draw(user, "intake", "review", topology="team", limits=limits)
    before = now(pipeline)
    html = inspected(client, pipeline)
    response = send(client, pipeline, "update_pipeline", **as_shown(html, "settings-form"))
    assert response.status_code == 200
    assert now(pipeline) == before


def test_the_budget_of_a_run_is_edited_shown_and_undone(client, pipeline):
    budget = {"max_calls": "40", "max_tokens": "5000", "max_cost": "0.25", "max_seconds": "1.5"}
    send(client, pipeline, "update_pipeline", **SETTINGS | budget)
    limits = now(pipeline).limits
    assert (limits.max_calls, limits.max_tokens) == (40, 5_000)
    assert (limits.max_cost, limits.max_seconds) == (0.25, 1.5)
    shown = as_shown(inspected(client, pipeline), "settings-form")
    assert {name: shown[name] for name in budget} == {key: [text] for key, text in budget.items()}
    send(client, pipeline, "undo")
    assert now(pipeline).limits == Limits()
    assert as_shown(inspected(client, pipeline), "settings-form")["max_seconds"] == ["900"]


def test_each_topology_has_a_description(client, pipeline):
    html = inspected(client, pipeline)
    for sentence in (
        "Agents hand the conversation over",
        "input of the next stage",
        "The agent of the entry delegates",
        "Agents hand over to each other",
    ):
        assert sentence in html


def test_another_topology_renders_every_line_and_card(client, pipeline):
    send(client, pipeline, "connect", source="review", target="intake")
    fields = SETTINGS | {"topology": "workflow"}
    response = send(client, pipeline, "update_pipeline", **fields)
    assert {"stages", "edges"} <= swapped(response)
    assert 'id="edge-review--intake" class="edge idle"' in response.text
    response = send(client, pipeline, "update_pipeline", **fields | {"max_turns": "3"})
    assert "stages" not in swapped(response)


def test_settings_without_effect_in_a_workflow_are_not_validated(client, pipeline):
    wrong = {"topology": "workflow", "max_handoffs": "many", "aliases": "nonsense"}
    assert send(client, pipeline, "update_pipeline", **SETTINGS | wrong).status_code == 200
    assert now(pipeline).topology == "workflow"


def test_an_unused_default_agent_can_be_removed(client, user):
    hidden_one = inspected(client, draw(user, "intake", topology="workflow"))
    chosen = {"topology": "workflow", "default_agent_id": "agent-intake"}
    shown_one = inspected(client, draw(user, "intake", **chosen))
    hides = r'<select(?=[^>]* name="default_agent_id")[^>]* data-only='
    assert re.search(hides, hidden_one)
    assert not re.search(hides, shown_one)

"""The editor's page, its inspector, and the gestures on its canvas."""

import json
import re

import pytest
from django.urls import reverse

from designer.editor.actions import topology
from designer.models import Edit
from orchestration.definition import Position
from tests.designer.editor_page import cue_fields, hidden, inspected, page
from tests.designer.editor_requests import draw, moves, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


# The page


def test_the_page_shows_stages_transitions_agents_and_problems(client, user, pipeline):
    html = page(client, pipeline)
    for phase in ("intake", "review", "resolution"):
        assert f'id="stage-{phase}"' in html
    assert 'id="edge-intake--review"' in html
    assert 'data-key="agent-review"' in html
    assert "No problems" in html
    broken = page(client, draw(user))
    assert 'data-code="stages-missing"' in broken


def test_the_address_contains_the_selection(client, pipeline):
    html = page(client, pipeline, select="stage:review", tab="handoffs", panel="definition")
    assert "review may hand over to" in html
    assert "&quot;baton.pipeline&quot;" in html


@pytest.mark.parametrize("select", ["stage:gone", "agent:x", "nonsense", "tool:", "transition:a"])
def test_an_unknown_selection_shows_the_pipeline(client, pipeline, select):
    assert 'id="settings-form"' in page(client, pipeline, select=select)


def test_every_gesture_has_its_form(client, pipeline):
    html = page(client, pipeline)
    gestures = re.findall(r'<form id="gesture-([a-z-]+)"', html)
    assert {
        "move", "move-supervisor", "add-stage", "connect", "delete", "select", "undo", "redo",
        "add-agent", "add-note", "write-note", "size-note", "frame", "put-in-frame", "rename-frame",
    } <= set(gestures)  # fmt: skip


def test_no_page_carries_inline_style_or_script(client, pipeline):
    for select in ("", "stage:review", "agent:agent-review", "transition:intake>review"):
        html = page(client, pipeline, select=select, panel="rules")
        assert not re.search(r"<[^>]+ (style|on[a-z]+)=", html)
        assert not re.search(r"<script(?![^>]* src=)", html)


def test_user_text_is_escaped(client, user):
    pipeline = draw(user, "intake", name="<script>alert(1)</script>")
    assert "<script>alert" not in page(client, pipeline, panel="definition")


def test_the_bottom_panel_shows_each_tab(client, pipeline):
    url = reverse("show_panel", args=[pipeline.pk])
    assert 'id="rules-table"' in client.get(url, {"panel": "rules"}).content.decode()
    response = client.get(url, {"panel": "definition", "select": "stage:review"})
    assert 'id="problems"' in response.content.decode()
    assert response["HX-Replace-Url"].endswith("?select=stage:review&panel=definition")


@pytest.mark.parametrize("name", ["version", "take_off"])
def test_a_number_with_thousands_of_digits_is_ignored(client, pipeline, name):
    digits = "9" * 5_000
    page(client, pipeline, **{name: digits})
    inspected(client, pipeline, **{name: digits})
    fields = cue_fields({"say": "Good day"}) | {name: digits}
    assert send(client, pipeline, "update_cues", **fields).status_code == 200


# The inspector


def test_the_inspector_of_a_stage_shows_the_model_preview(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    assert "handoff_conversation(" in html
    assert "target: &quot;agent-resolution&quot;" in html
    assert "You are Review" in html


def test_a_terminal_stage_has_no_handoff_tool(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="resolution")
    assert "handoff_conversation(" not in html


def test_a_stage_without_an_agent_shows_the_next_step(client, user, pipeline):
    topology.add_stage(pipeline=pipeline, user=user)
    topology.add_stage(pipeline=pipeline, user=user, kind="human")
    for tab in ("stage", "agent", "handoffs"):
        assert "This stage has no agent yet" in inspected(
            client, pipeline, select="stage:stage-1", tab=tab
        )
        assert "A human answers at this stage" in inspected(
            client, pipeline, select="stage:stage-2", tab=tab
        )


def test_the_tab_stays_open_when_another_stage_is_selected(client, pipeline):
    html = inspected(
        client, pipeline, kind="stage", key="intake", select="stage:review", tab="agent"
    )
    assert 'id="agent-form"' in html
    assert hidden(html, "subject") == "agent-intake"


# Gestures on the canvas


def test_stages_are_moved(client, pipeline):
    assert send(client, pipeline, "move_stages", moves=moves(intake=(1, 2))).status_code == 200
    assert now(pipeline).layout.stages["intake"] == Position(x=1, y=2)


@pytest.mark.parametrize(
    "sent",
    [
        "", "[]", "{}", "nonsense", '[{"phase": "intake"}]', "[" * 9999,
        '[{"phase": "intake", "x": NaN, "y": 1}]',
        '[{"phase": "intake", "x": 1e9, "y": 1}]', '[{"phase": "A b", "x": 1, "y": 1}]',
    ],
)  # fmt: skip
def test_an_invalid_move_is_refused_with_a_sentence(client, pipeline, sent):
    response = send(client, pipeline, "move_stages", moves=sent)
    assert response.status_code == 422
    assert swapped(response) == {"notice"}
    assert not Edit.objects.exists()


def test_moving_the_supervisor_requires_a_position(client, pipeline):
    assert send(client, pipeline, "move_supervisor", x="1", y="").status_code == 422
    assert send(client, pipeline, "move_supervisor", x="1", y="2").status_code == 200


def test_stages_are_added_from_the_canvas(client, pipeline):
    fields = {"x": "10", "y": "20.5", "source": "resolution", "agent": "agent-review"}
    response = send(client, pipeline, "add_stage", kind="agent", **fields)
    assert response.status_code == 200
    definition = now(pipeline)
    assert definition.stages_by_phase["review-2"].agent_id == "agent-review"
    assert definition.layout.stages["review-2"] == Position(x=10, y=20.5)
    for wrong in ({"kind": "robot"}, {"kind": "agent", "x": "1"}, {"kind": "agent", "x": "a"}):
        assert send(client, pipeline, "add_stage", **wrong).status_code == 422


def test_adding_after_a_stage_deleted_elsewhere_updates_the_page(client, pipeline):
    response = send(client, pipeline, "add_stage", kind="agent", source="gone")
    assert response.status_code == 409
    assert "stages" in swapped(response)
    # The last notice is the one that stays.
    notice = response.content.decode().rpartition('id="notice"')[2]
    assert "no stage “gone” any more" in notice


def test_stages_are_connected(client, pipeline):
    response = send(client, pipeline, "connect", source="review", target="intake")
    assert response.status_code == 200
    again = send(client, pipeline, "connect", source="review", target="intake")
    assert again.status_code == 422
    assert "already leads to" in again.content.decode()
    assert send(client, pipeline, "connect", source="review", target="").status_code == 422
    assert send(client, pipeline, "connect", source="review", target="gone").status_code == 409


def test_parts_are_deleted(client, pipeline):
    fields = {"stages": '["intake"]', "transitions": '["review>resolution"]'}
    assert send(client, pipeline, "delete_parts", **fields).status_code == 200
    assert now(pipeline).transitions == ()
    assert send(client, pipeline, "delete_parts", **fields).status_code == 409
    assert send(client, pipeline, "delete_parts").status_code == 422
    assert send(client, pipeline, "delete_parts", stages='"a"').status_code == 422


def test_an_agent_is_added_and_selected(client, pipeline):
    response = send(client, pipeline, "add_agent")
    assert "agent-1" in now(pipeline).agents_by_id
    assert json.loads(response["HX-Trigger-After-Settle"])["baton:selected"]["key"] == "agent-1"
    assert send(client, pipeline, "add_agent", name="a\x00").status_code == 422

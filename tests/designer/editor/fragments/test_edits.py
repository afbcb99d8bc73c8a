"""Fragments after an edit: only the changed elements."""

import json
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from designer import definitions
from designer.core.forms.page_state import PageState
from designer.editor.fragments.edits import MAX_SWAPS, render_since
from designer.models import Pipeline
from designer.templatetags.drawn import rendered
from tests.designer.editor_page import payload_fields, stage_fields
from tests.designer.editor_requests import ALWAYS, draw, moves, send, swapped

pytestmark = pytest.mark.django_db

IN_A_GROUP = {
    "select": "stage:s2",
    "subject": "s2",
    "phase": "s2",
    "agent_id": ":group",
    "next_phase": "s3",
    "new_agent": "One more",
}

AFTER_RULES = ALWAYS | {"problems", "problem-count", "draft-state"}
"""Elements that are swapped when the list of problems was or is empty."""


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_move_of_one_stage_among_three_hundred_sends_back_one_stage(client, user):
    pipeline = draw(user, *(f"s{n}" for n in range(300)))
    response = send(client, pipeline, "move_stages", moves=moves(s7=(5, 6)))
    assert swapped(response) == ALWAYS | {"stage-s7"}
    assert 'data-x="5"' in response.content.decode()
    assert len(response.content) < 3_000


def test_the_queries_of_a_gesture_do_not_grow_with_the_pipeline(client, user):
    small = draw(user, *(f"s{n}" for n in range(10)))
    large = draw(user, *(f"s{n}" for n in range(300)))
    gestures = [
        ("move_stages", {"moves": moves(s3=(1, 1))}),
        ("connect", {"source": "s5", "target": "s2"}),
        ("add_stage", {"kind": "agent", "source": "s4"}),
        ("update_payload", payload_fields("s1>s2", {"name": "why"})),
        ("update_stage", stage_fields("intake") | IN_A_GROUP),
        ("delete_parts", {"stages": '["s6"]'}),
        ("undo", {}),
        ("redo", {}),
        ("add_agent", {}),
    ]
    for view, fields in gestures:
        counts = []
        for pipeline in (small, large):
            with CaptureQueriesContext(connection) as queries:
                assert send(client, pipeline, view, **fields).status_code == 200
            counts.append(len(queries))
        assert counts[0] == counts[1], view


def test_a_new_transition_swaps_itself_and_its_source(client, pipeline):
    response = send(client, pipeline, "connect", source="review", target="intake")
    assert swapped(response) == AFTER_RULES | {"stage-review", "+#edges"}
    assert 'id="edge-review--intake"' in response.content.decode()
    assert "<template><svg>" in response.content.decode()


def test_a_new_stage_comes_with_its_transition_and_is_selected(client, pipeline):
    response = send(client, pipeline, "add_stage", source="review", x=1, y=2, kind="agent")
    new = {"+#stages", "+#edges", "stage-review"}
    assert new < swapped(response)
    event = json.loads(response["HX-Trigger-After-Settle"])
    assert event == {"baton:selected": {"kind": "stage", "key": "stage-1"}}
    assert response["HX-Replace-Url"].endswith("?select=stage:stage-1")


def test_a_deleted_stage_removes_its_edges_from_the_page(client, pipeline):
    response = send(client, pipeline, "delete_parts", stages='["review"]')
    gone = {"-stage-review", "-edge-intake--review", "-edge-review--resolution"}
    assert gone <= swapped(response)
    assert "stage-intake" in swapped(response)


def test_a_new_entry_redraws_the_old_and_the_new_entry(client, pipeline):
    fields = settings_fields(client, pipeline) | {"entry": "review"}
    response = send(client, pipeline, "update_pipeline", **fields)
    assert {"stage-intake", "stage-review"} <= swapped(response)
    assert "stage-resolution" not in swapped(response)


def test_a_renamed_agent_redraws_its_stages(client, pipeline):
    fields = {"name": "Judge", "id": "agent-review", "provider": "default"}
    response = send(client, pipeline, "update_agent", subject="agent-review", **fields)
    assert {"stage-review", "-agent-item-agent-review"} <= swapped(response)
    assert "stage-intake" not in swapped(response)


def test_a_supervisor_is_added_moved_and_removed(client, pipeline):
    fields = settings_fields(client, pipeline)
    chosen = fields | {"supervisor_id": "agent-review"}
    response = send(client, pipeline, "update_pipeline", **chosen)
    assert {"+.viewport", "agent-item-agent-review"} <= swapped(response)
    assert response.text.count('title="Supervisor"') == 1
    response = send(client, pipeline, "move_supervisor", x=5, y=6, supervised="1")
    assert swapped(response) == ALWAYS | {"supervisor-card"}
    response = send(client, pipeline, "update_pipeline", supervised="1", **fields)
    assert {"-supervisor-card", "agent-item-agent-review"} <= swapped(response)


def test_an_edit_without_a_change_swaps_only_the_page_state(client, pipeline):
    response = send(client, pipeline, "move_stages", moves=moves(intake=(60, 250)))
    assert swapped(response) == ALWAYS


def test_a_page_that_missed_an_edit_gets_the_whole_canvas(client, pipeline):
    send(client, pipeline, "move_stages", moves=moves(intake=(1, 1)))
    stale = pipeline.version
    response = send(client, pipeline, "move_stages", moves=moves(review=(2, 2)), version=stale)
    html = response.content.decode()
    assert {"stages", "edges", "agents-panel", "inspector"} <= swapped(response)
    assert all(f'id="stage-{phase}"' in html for phase in ("intake", "review", "resolution"))


def test_an_edit_of_many_elements_swaps_the_whole_canvas(client, user):
    pipeline = draw(user, *(f"s{n}" for n in range(MAX_SWAPS)))
    deletion = send(client, pipeline, "delete_parts", stages=json.dumps(["intake", "s1"]))
    assert "stages" not in swapped(deletion)
    stages = json.dumps([f"s{n}" for n in range(2, MAX_SWAPS)])
    for response in (
        send(client, pipeline, "delete_parts", stages=stages),
        send(client, pipeline, "undo"),
    ):
        assert {"stages", "edges", "problems", "agents-panel"} <= swapped(response)
        assert not any(key.startswith(("stage-", "edge-")) for key in swapped(response))


def test_undo_and_redo_are_named_after_their_edit(client, pipeline):
    response = send(client, pipeline, "connect", source="review", target="intake")
    assert 'title="Undo: Connect review → intake"' in response.content.decode()
    response = send(client, pipeline, "undo")
    assert 'title="Nothing to undo" disabled' in response.content.decode()
    assert 'title="Redo: Connect review → intake"' in response.content.decode()
    assert "-edge-review--intake" in swapped(response)
    said = '<p id="announcer" hx-swap-oob="innerHTML">{}: Connect review → intake</p>'
    assert said.format("Undone") in response.content.decode()
    assert said.format("Redone") in send(client, pipeline, "redo").content.decode()


def test_fragments_of_an_edit_are_rendered_once_for_all_readers(client, pipeline):
    edited = send(client, pipeline, "connect", source="review", target="intake")
    assert {"stage-review", "+#edges"} <= swapped(edited)
    known = rendered.cache_info().misses
    pipeline = Pipeline.objects.get(pk=pipeline.pk)
    for reader in ("ben", "cleo"):
        shown = PageState(version=pipeline.version - 1)
        html = render_since(pipeline, User.objects.create_user(reader), shown)
        assert 'id="stage-review"' in html
        assert 'id="edge-review--intake"' in html
    assert rendered.cache_info().misses == known


def test_an_open_panel_follows_the_edit(client, pipeline):
    response = send(
        client, pipeline, "connect", source="review", target="intake", panel="definition"
    )
    assert "definition-behind" in swapped(response)
    assert "baton.pipeline" not in response.text, "the text is requested later"
    text = client.get(reverse("show_definition", args=[pipeline.pk]), {"anew": "1"}).text
    assert definitions.read(pipeline).dump() in unescape(text)
    response = send(client, pipeline, "add_agent", panel="rules")
    assert "rules-table" in swapped(response)


def test_a_gesture_redraws_the_inspector_if_it_shows_the_change(client, pipeline):
    fields = {"source": "review", "target": "intake"}
    response = send(client, pipeline, "connect", select="stage:review", **fields)
    assert "inspector" in swapped(response)
    response = send(client, pipeline, "undo", select="agent:agent-intake")
    assert "inspector" not in swapped(response)


def settings_fields(client, pipeline):
    """Return the fields of the settings form."""
    html = client.get(reverse("inspect", args=[pipeline.pk])).content.decode()
    assert "settings-form" in html
    return {
        "name": "Support",
        "description": "",
        "topology": "pipeline",
        "entry": "intake",
        "default_agent_id": "",
        "supervisor_id": "",
        "on_handoff": "continue",
        "allow_human": "on",
        "max_turns": "24",
        "max_handoffs": "8",
        "max_context_tokens": "128000",
        "max_calls": "200",
        "max_tokens": "1000000",
        "max_cost": "",
        "max_seconds": "900",
        "count_handoffs": "completed",
        "aliases": "",
    }

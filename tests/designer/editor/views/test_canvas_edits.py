"""The views of the hands that do several things as one edit: what they answer and refuse."""

import json

import pytest

from designer.editor.actions import topology
from tests.designer.edit_actions import label
from tests.designer.editor_requests import ALWAYS, draw, kinds, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    """intake → review → resolution."""
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def who(pipeline, user):
    return {"pipeline": pipeline, "user": user}


def test_inserting_a_stage_swaps_only_the_touched_elements(client, pipeline, who):
    topology.add_stage(**who)
    fields = {"stage": "stage-1", "source": "intake", "target": "review", "x": "5", "y": "6"}
    response = send(client, pipeline, "splice_stage", **fields)
    assert response.status_code == 200
    assert swapped(response) >= ALWAYS | {
        "-edge-intake--review",
        "+#edges",
        "stage-stage-1",
        "stage-intake",
    }
    assert "stage-resolution" not in swapped(response)


def test_a_created_stage_is_selected(client, pipeline):
    place = {"x": "5", "y": "6", "source": "intake"}
    response = send(client, pipeline, "create_stage", **place, kind="new", name="Billing")
    assert json.loads(response["HX-Trigger-After-Settle"]) == {
        "baton:selected": {"kind": "stage", "key": "billing"}
    }
    response = send(client, pipeline, "create_stage", **place, target="review", kind="human")
    assert response.status_code == 200
    assert {"intake>stage-1", "stage-1>review"} <= kinds(pipeline).keys()


def test_assigning_an_agent_swaps_the_card_of_the_stage(client, pipeline):
    response = send(client, pipeline, "serve_stage", stage="review", agent="agent-intake")
    assert response.status_code == 200
    assert {"stage-review", "agent-item-agent-intake"} <= swapped(response)
    assert "stage-resolution" not in swapped(response)
    assert send(client, pipeline, "serve_stage", stage="review").status_code == 422
    gone = send(client, pipeline, "serve_stage", stage="attic", agent="agent-intake")
    assert gone.status_code == 409


def test_a_stage_renamed_on_the_canvas_stays_selected(client, pipeline, who):
    fields = {"phase": "review", "name": " Second Look "}
    response = send(client, pipeline, "rename_stage", **fields, select="stage:review")
    assert json.loads(response["HX-Trigger-After-Settle"]) == {
        "baton:renamed": {"was": "review", "now": "second-look"}
    }
    assert response["HX-Replace-Url"].endswith("?select=stage:second-look")
    assert {"-stage-review", "+#stages", "inspector"} <= swapped(response)
    assert label(who) == "Rename stage review → second-look"
    assert kinds(pipeline) == {"intake>second-look": "next", "second-look>resolution": "next"}
    other = send(client, pipeline, "rename_stage", phase="second-look", name="look")
    assert "HX-Replace-Url" not in other


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "A stage needs a name."),
        ("intake", "There is a stage “intake” already."),
        ("x" * 65, "This has 65 characters; at most 64 are allowed."),
        ("!", "Use the letters a to z, digits, “-” and “_”."),
    ],
)
def test_an_invalid_name_is_refused_next_to_the_stage(client, pipeline, name, said):
    response = send(client, pipeline, "rename_stage", phase="review", name=name)
    assert response.status_code == 422
    assert "error-writing" in response.text
    assert said in response.text
    assert "review" in now(pipeline).stages_by_phase
    plain = client.post(
        f"/pipelines/{pipeline.pk}/stages/rename/", {"phase": "review", "name": name}
    )
    assert plain.status_code == 200 or said in plain.text


def test_a_deleted_stage_is_not_renamed(client, pipeline):
    response = send(client, pipeline, "rename_stage", phase="attic", name="cellar")
    assert response.status_code == 409
    assert "There is no stage “attic” any more." in response.text


def test_a_reconnected_transition_is_selected(client, pipeline):
    fields = {"source": "intake", "target": "review", "end": "target", "stage": "resolution"}
    response = send(client, pipeline, "move_plug", **fields)
    assert json.loads(response["HX-Trigger-After-Settle"]) == {
        "baton:selected": {"kind": "transition", "key": "intake>resolution"}
    }
    again = send(client, pipeline, "move_plug", **fields)
    assert again.status_code == 409
    assert "“intake” does not lead to “review” any more" in again.content.decode()


def test_stages_are_bypassed_and_tidied_by_the_form(client, pipeline, who):
    moves = [{"phase": "intake", "x": 0, "y": 0}, {"phase": "review", "x": 9, "y": 0}]
    send(client, pipeline, "move_stages", moves=json.dumps(moves), how="align")
    assert label(who) == "Align 2 stages"
    assert send(client, pipeline, "bypass_stages", stages='["review"]').status_code == 200
    assert kinds(pipeline) == {"intake>resolution": "next"}


@pytest.mark.parametrize(
    ("view", "fields", "said"),
    [
        ("create_stage", {"x": "1", "source": "intake", "kind": "agent"}, "Y must not be empty"),
        ("create_stage", {"x": "1", "y": "2", "source": "intake", "kind": "bot"}, "bot"),
        (
            "create_stage",
            {"x": "inf", "y": "2", "source": "intake", "kind": "agent"},
            "must be a number",
        ),
        (
            "create_stage",
            {"x": "1", "y": "2", "source": "intake", "kind": "new", "name": "n" * 121},
            "at most 120 characters",
        ),
        ("splice_stage", {"source": "intake", "target": "review"}, "Stage must not be empty"),
        (
            "splice_stage",
            {"stage": "review", "source": "intake", "target": "review"},
            "is an end of this transition",
        ),
        (
            "move_plug",
            {"source": "intake", "target": "review", "stage": "intake"},
            "End must not be empty",
        ),
        (
            "move_plug",
            {"source": "intake", "target": "review", "end": "side", "stage": "intake"},
            "side",
        ),
        ("bypass_stages", {}, "Nothing is selected"),
        ("bypass_stages", {"stages": "{}"}, "list"),
    ],
)
def test_an_invalid_gesture_is_refused_and_changes_nothing(client, pipeline, view, fields, said):
    before = now(pipeline)
    response = send(client, pipeline, view, **fields)
    assert response.status_code == 422
    assert said in response.content.decode()
    assert now(pipeline) == before

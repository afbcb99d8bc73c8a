"""Section of the settings form about the supervisor (contract O-5)."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from designer.models import Membership, Pipeline
from orchestration.definition import NEW_SUPERVISION, Supervision
from orchestration.loading import load
from tests.designer.editor_page import SETTINGS, as_shown, field_error, inspected, opened
from tests.designer.editor_requests import HTMX, draw, now, send, swapped

pytestmark = pytest.mark.django_db

SUPERVISED = {
    "supervisor_id": "agent-review",
    "ask_at": ["rejection", "every_turn"],
    "may": ["pause", "escalate"],
    "supervisor_calls": "3",
}
CHOSEN = SETTINGS | SUPERVISED
OWN = Supervision(ask_at=("rejection", "every_turn"), may=("pause", "escalate"), max_calls=3)


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.fixture
def supervised(user):
    return draw(user, "intake", "review", supervisor_id="agent-review", supervision=OWN)


def shown(client, pipeline):
    return as_shown(inspected(client, pipeline), "settings-form")


def test_a_supervision_is_chosen_shown_and_undone_by_name(client, pipeline):
    fields = shown(client, pipeline) | SUPERVISED
    response = send(client, pipeline, "update_pipeline", **fields)
    assert (now(pipeline).supervisor_id, now(pipeline).supervision) == ("agent-review", OWN)
    assert 'title="Undo: Change the supervision and the supervisor"' in response.text
    fields = shown(client, pipeline)
    assert {name: fields[name] for name in ("ask_at", "may", "supervisor_calls")} == {
        "ask_at": ["rejection", "every_turn"],
        "may": ["pause", "escalate"],
        "supervisor_calls": ["3"],
    }
    send(client, pipeline, "undo")
    assert (now(pipeline).supervisor_id, now(pipeline).supervision) == (None, None)


def test_each_moment_and_action_has_a_check_box_in_plain_words(client, pipeline):
    html = inspected(client, pipeline)
    for words in (
        "After each handoff",
        "After each rejected handoff",
        "After each turn of an agent",
        "Before a run ends or waits for the user",
        "Send the agents a note",
        "Pause the run",
        "Hand over to another agent",
        "Hand over to a person",
    ):
        assert words in html


def test_a_new_supervisor_in_the_form_gets_the_usual_supervision(client, pipeline):
    response = send(
        client, pipeline, "update_pipeline", **SETTINGS | {"supervisor_id": "agent-review"}
    )
    assert now(pipeline).supervision == NEW_SUPERVISION
    assert {"field-i12345678-ask_at", "field-i12345678-may"} <= swapped(response)


def test_a_supervisor_without_moments_and_actions_only_observes(client, supervised):
    fields = shown(client, supervised) | {"ask_at": [], "may": [], "supervisor_calls": ""}
    send(client, supervised, "update_pipeline", **fields)
    assert (now(supervised).supervisor_id, now(supervised).supervision) == ("agent-review", None)
    response = send(
        client, supervised, "update_pipeline", **shown(client, supervised) | {"name": "A"}
    )
    assert response.status_code == 200
    assert now(supervised).supervision is None


def test_saving_an_unchanged_supervision_changes_nothing(client, supervised):
    before = now(supervised)
    send(client, supervised, "update_pipeline", **shown(client, supervised))
    assert now(supervised) == before


def test_a_supervision_without_a_supervisor_survives_other_changes(client, user):
    pipeline = draw(user, "intake", supervision=OWN)
    fields = shown(client, pipeline) | {"name": "Refunds"}
    send(client, pipeline, "update_pipeline", **fields)
    assert (now(pipeline).name, now(pipeline).supervision) == ("Refunds", OWN)


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("ask_at", ["never"], "When it is called has no choice “never”."),
        ("may", ["note", "fire"], "Allowed actions has no choice “fire”."),
        ("supervisor_calls", "0", "Maximum model calls in one run must be from 1 to 1,000."),
        ("supervisor_calls", "many", "Maximum model calls in one run must be a whole number."),
    ],
)
def test_an_invalid_supervision_is_reported_at_its_field(
    client, supervised, field, value, sentence
):
    response = send(client, supervised, "update_pipeline", **CHOSEN | {field: value})
    assert response.status_code == 422
    assert sentence in field_error(response, field)
    assert now(supervised).supervision == OWN


def test_a_valid_choice_is_saved_beside_a_refused_one(client, supervised):
    fields = opened(client, supervised, "settings-form")(may=["note"], supervisor_calls="0")
    response = send(client, supervised, "update_pipeline", **fields)
    assert response.status_code == 422
    assert "Maximum model calls in one run must be from 1 to 1,000." in response.text
    assert now(supervised).supervision == OWN.model_copy(update={"may": ("note",)})


def test_an_invalid_limit_without_a_supervisor_is_ignored(client, pipeline):
    fields = SETTINGS | {"supervisor_calls": "0", "name": "Refunds"}
    assert send(client, pipeline, "update_pipeline", **fields).status_code == 200
    assert now(pipeline).name == "Refunds"


def test_a_changed_supervision_redraws_the_card_of_the_supervisor(client, supervised):
    fields = shown(client, supervised) | {"ask_at": ["handoff", "run_end"]}
    response = send(client, supervised, "update_pipeline", supervised="1", **fields)
    assert "supervisor-card" in swapped(response)
    assert "supervises at handoffs and run ends" in response.text


def test_only_editors_change_a_supervision(client, other_client, other_user, supervised):
    address = reverse("update_pipeline", args=[supervised.pk])
    assert Client().post(address, CHOSEN, headers=HTMX).status_code in (302, 401)
    assert other_client.post(address, CHOSEN, headers=HTMX).status_code == 404
    Membership.objects.create(pipeline=supervised, user=other_user, role="viewer")
    fields = CHOSEN | {"may": ["note"]}
    assert other_client.post(address, fields, headers=HTMX).status_code == 403
    assert now(supervised).supervision == OWN


def test_a_viewer_sees_the_settings_read_only(client, other_client, other_user, supervised):
    Membership.objects.create(pipeline=supervised, user=other_user, role="viewer")
    html = inspected(other_client, supervised)
    assert re.search(r'<input[^>]* name="name"[^>]* readonly', html)
    assert shown(other_client, supervised)["may"] == ["pause", "escalate"]
    assert " readonly" not in inspected(client, supervised)


def test_an_exported_supervision_is_imported_unchanged(client, supervised):
    data = client.get(reverse("pipeline_export", args=[supervised.pk])).content
    exported = load(data)
    assert (exported.supervisor_id, exported.supervision) == ("agent-review", OWN)
    file = SimpleUploadedFile("desk.json", data)
    client.post(client.post(reverse("pipeline_import"), {"file": file}).url)
    imported = Pipeline.objects.exclude(pk=supervised.pk).get()
    assert now(imported) == now(supervised).model_copy(update={"name": imported.name})
    client.post(reverse("pipeline_duplicate", args=[supervised.pk]))
    copied = Pipeline.objects.exclude(pk__in=(supervised.pk, imported.pk)).get()
    assert now(copied).supervision == OWN

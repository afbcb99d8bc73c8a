"""Forms that were opened on other ground than there is now."""

import re
from html import unescape

import pytest

from designer.models import Membership
from orchestration.definition import Cue
from tests.designer.editor_page import cue_fields, hidden, inspected, opened, stage_fields
from tests.designer.editor_requests import draw, now, send, swapped

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


def test_a_form_with_an_outdated_base_is_refused(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    opened = {"base": hidden(html, "base"), "version": pipeline.version}
    first = stage_fields("review", description="Mine") | opened
    assert send(client, pipeline, "update_stage", **first).status_code == 200
    second = stage_fields("review", description="Theirs") | opened
    response = send(client, pipeline, "update_stage", **second)
    assert response.status_code == 412
    assert swapped(response) == {"merge", "save-state"}
    assert now(pipeline).stages_by_phase["review"].description == "Mine"


def test_cues_with_an_outdated_base_are_refused(client, pipeline):
    html = inspected(client, pipeline, kind="agent", key="agent-review")
    opened = {"base": hidden(html, "base"), "version": pipeline.version}
    assert (
        send(client, pipeline, "update_cues", **cue_fields({"say": "Mine"}, **opened)).status_code
        == 200
    )
    response = send(client, pipeline, "update_cues", **cue_fields({"say": "Theirs"}, **opened))
    assert response.status_code == 412
    assert swapped(response) == {"merge", "save-state"}
    assert now(pipeline).agents_by_id["agent-review"].cues == (Cue(say="Mine"),)


def test_an_outdated_form_is_refused_on_an_otherwise_current_page(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    send(client, pipeline, "update_stage", **stage_fields("review", description="Mine"))
    late = stage_fields("review", description="Theirs") | {"base": hidden(html, "base")}
    assert send(client, pipeline, "update_stage", **late).status_code == 412


def test_an_edit_of_another_part_does_not_refuse_a_form(client, pipeline):
    html = inspected(client, pipeline, kind="stage", key="review")
    opened = {"base": hidden(html, "base"), "version": pipeline.version}
    send(client, pipeline, "update_stage", **stage_fields("intake", description="Asks"))
    fields = stage_fields("review", description="Checks") | opened
    response = send(client, pipeline, "update_stage", **fields)
    assert response.status_code == 200
    assert {"stages", "edges"} <= swapped(response)
    assert "inspector" not in swapped(response)


def test_the_form_of_a_stages_former_agent_is_not_saved(client, pipeline):
    form = opened(client, pipeline, "agent-form", select="stage:review", tab="agent")
    stage_form = opened(client, pipeline, "stage-form", select="stage:review")
    send(client, pipeline, "update_stage", **stage_form(agent_id="agent-intake"))
    response = send(client, pipeline, "update_agent", **form(name="Auditor"))
    assert response.status_code == 412
    assert swapped(response) == {"notice", "save-state"}
    assert "Show it as it is now" in response.text
    assert now(pipeline).agents_by_id["agent-review"].name != "Auditor"


def test_a_conflict_has_a_link_to_the_changes_of_the_other_person(
    client, other_client, other_user, pipeline
):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    form = opened(client, pipeline, "stage-form", select="stage:review")
    theirs = opened(other_client, pipeline, "stage-form", select="stage:review")
    send(other_client, pipeline, "update_stage", **theirs(description="Theirs"))
    response = send(client, pipeline, "update_stage", **form(description="Mine"))
    assert response.status_code == 412
    [address] = re.findall(r'href="([^"]+/difference/[^"]+)"', response.text)
    assert "Theirs" in client.get(unescape(address)).text


def test_a_conflict_shows_the_difference_of_both_in_place_and_saves_nothing(
    client, other_client, other_user, pipeline
):
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    form = opened(client, pipeline, "stage-form", select="stage:review")
    theirs = opened(other_client, pipeline, "stage-form", select="stage:review")
    send(other_client, pipeline, "update_stage", **theirs(description="Theirs"))
    before = now(pipeline)
    response = send(client, pipeline, "update_stage", **form(description="Mine"))
    dialog = response.text.partition('<dialog class="merge-difference" id="merge-difference"')[2]
    assert 'data-dialog="merge-difference"' in response.text
    assert 'class="difference-picture"' in dialog
    assert "1 change" in dialog
    assert "<del>Theirs</del><ins>Mine</ins>" in dialog
    assert "What it means" in dialog
    assert now(pipeline) == before
    assert pipeline.history.count() == 1

"""The checklist for the first pipeline: its items, and its permanent end."""

import re

import pytest
from django.urls import reverse

from designer.models import Checklist, Membership
from tests.designer.editor_page import agent_fields, page
from tests.designer.editor_requests import HTMX, draw, send
from tests.designer.live_conversations import make_conversation
from tests.designer.recorded_conversations import record_rehearsal

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake")


def items(html):
    """Return the items in a page with their state: `{"Draw": True}`."""
    parts = re.findall(r'<li class="checklist__item"([^>]*)>.*?<b>([^<]*)</b>', html, re.DOTALL)
    return {title: "data-done" in state for state, title in parts}


def refreshed(client, pipeline):
    return client.get(reverse("show_checklist", args=[pipeline.pk]), headers=HTMX).text


def test_the_items_have_the_state_of_the_pipeline(client, pipeline):
    nothing = {"Draw": False, "Instruct": False, "Rehearse": False, "Take away": False}
    assert items(page(client, pipeline)) == nothing
    send(client, pipeline, "add_stage", x="400", y="250", source="intake", kind="agent")
    assert items(refreshed(client, pipeline)) == nothing | {"Draw": True}
    html = refreshed(client, pipeline)
    assert 'data-select="agent" data-key="agent-intake"' in html
    fields = agent_fields("agent-intake", instructions="Greet them.")
    assert send(client, pipeline, "update_agent", **fields).status_code == 200
    assert items(refreshed(client, pipeline)) == nothing | {"Draw": True, "Instruct": True}
    send(client, pipeline, "undo")
    assert items(refreshed(client, pipeline)) == nothing | {"Draw": True}


def test_an_export_ticks_the_last_item_only_for_its_pipeline(client, user, pipeline):
    assert client.get(reverse("pipeline_export", args=[pipeline.pk])).status_code == 200
    assert items(refreshed(client, pipeline))["Take away"]
    other = draw(user, "desk", name="Other")
    assert not items(refreshed(client, other))["Take away"]


def test_a_complete_checklist_disappears_from_all_pipelines(client, user):
    conversation = record_rehearsal(user)
    pipeline = conversation.pipeline
    assert pipeline
    assert items(refreshed(client, pipeline)) == {
        "Draw": True, "Instruct": True, "Rehearse": True, "Take away": False
    }  # fmt: skip
    client.get(reverse("pipeline_export", args=[pipeline.pk]))
    assert refreshed(client, pipeline).strip() == ""
    assert Checklist.objects.get(user=user).is_closed
    assert items(page(client, draw(user, "desk", name="Other"))) == {}


def test_a_conversation_without_a_message_is_no_rehearsal(client, user):
    pipeline = make_conversation(user).pipeline
    assert not items(refreshed(client, pipeline))["Rehearse"]


def test_a_dismissed_checklist_is_never_shown_again(client, other_client, other_user, pipeline):
    response = client.post(reverse("dismiss_checklist", args=[pipeline.pk]), headers=HTMX)
    assert (response.status_code, response.text) == (200, "")
    assert items(page(client, pipeline)) == {}
    assert items(refreshed(client, pipeline)) == {}
    client.get(reverse("pipeline_export", args=[pipeline.pk]))
    assert items(page(client, pipeline)) == {}
    theirs = draw(other_user, "desk")
    assert items(page(other_client, theirs)), "it is open for another user"


def test_other_peoples_pipelines_have_no_checklist(client, other_client, other_user, pipeline):
    url = reverse("show_checklist", args=[pipeline.pk])
    assert other_client.get(url).status_code == 404
    assert other_client.post(reverse("dismiss_checklist", args=[pipeline.pk])).status_code == 404
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    assert items(page(other_client, pipeline)) == {}
    other_client.get(reverse("pipeline_export", args=[pipeline.pk]))
    assert not Checklist.objects.filter(user=other_user).exists()

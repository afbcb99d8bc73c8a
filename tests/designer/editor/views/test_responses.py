"""Responses of the editor: addresses, notices and errors."""

import pytest
from django.http import HttpResponse, QueryDict
from django.urls import reverse

from designer.core import PageState, Selection
from designer.editor.views.responses import address_of, sentence_in_place, tell_selected
from designer.models import Pipeline
from tests.designer.editor_page import stage_fields
from tests.designer.editor_requests import draw, now, send


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", "resolution")


@pytest.mark.django_db
def test_gestures_work_without_htmx(client, pipeline):
    url = reverse("connect", args=[pipeline.pk])
    response = client.post(url, {"source": "review", "target": "intake"})
    assert response.url == reverse("editor", args=[pipeline.pk])
    response = client.post(url, {"source": "review", "target": "intake"})
    assert response.status_code == 422
    assert "already leads to" in response.content.decode()
    url = reverse("update_stage", args=[pipeline.pk])
    assert client.post(url, stage_fields("review", phase="")).status_code == 422
    assert client.post(url, stage_fields("review")).status_code == 302


@pytest.mark.parametrize(
    ("selection", "shown", "query"),
    [
        (Selection(), PageState(), ""),
        (Selection("stage", "review"), PageState(), "?select=stage:review"),
        (Selection("stage", "review"), PageState(tab="agent"), "?select=stage:review&tab=agent"),
        (Selection("agent", "a"), PageState(tab="agent"), "?select=agent:a"),
        (Selection("transition", "a>b"), PageState(), "?select=transition:a>b"),
        (Selection(), PageState(panel="rules"), "?panel=rules"),
    ],
)
def test_an_address_contains_the_selection_and_open_tabs(selection, shown, query):
    address = address_of(Pipeline(pk=7), selection, shown)
    assert address == f"/pipelines/7/{query}"
    assert PageState.parse(QueryDict(query[1:])).selection == selection


def test_a_sentence_in_place_is_escaped_and_follows_other_fragments():
    response = sentence_in_place("Too <long>.", 422, more="<i></i>")
    assert response.status_code == 422
    text = response.content.decode()
    assert text.startswith("<i></i>")
    assert "Too &lt;long&gt;." in text


def test_the_page_is_told_its_selection_after_the_swap():
    response = tell_selected(HttpResponse(), Selection("stage", "review"))
    assert response["HX-Trigger-After-Settle"] == (
        '{"baton:selected": {"kind": "stage", "key": "review"}}'
    )


@pytest.mark.django_db
@pytest.mark.parametrize(("stage", "status"), [("gone", 409), ("", 422)])
def test_an_error_of_an_action_is_a_notice_and_changes_nothing(client, pipeline, stage, status):
    before = now(pipeline)
    response = send(client, pipeline, "connect", source="intake", target=stage)
    assert response.status_code == status
    assert 'id="notice"' in response.text
    assert now(pipeline) == before

"""Search and replacement of a text in a pipeline."""

import pytest
from django.urls import reverse

from tests.designer.editor_requests import HTMX, draw, now, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", name="Refunds", description="A refund")


def results(client, pipeline, text, **options):
    url = reverse("search", args=[pipeline.pk])
    return client.post(url, {"text": text, **options}, headers=HTMX)


def test_hits_come_with_the_button_that_replaces_them(client, pipeline):
    response = results(client, pipeline, "refund")
    assert response.status_code == 200
    assert "<b>2</b> hits for “refund”" in response.text
    assert 'id="replace-all"' in response.text
    assert "<b>1</b> hit for" in results(client, pipeline, "refund", match_case="on").text


def test_a_text_that_is_too_long_is_refused_next_to_the_field(client, pipeline):
    response = results(client, pipeline, "x" * 1_001)
    assert response.status_code == 422
    assert 'id="find-error"' in response.text


def test_replacing_all_is_one_edit_and_shows_the_remaining_hits(client, pipeline):
    count = pipeline.edits.count()
    response = send(client, pipeline, "replace", text="refund", replacement="return")
    assert response.status_code == 200
    assert "Done: Replace “refund” with “return” in 2 places." in response.text
    assert "was not found" not in response.text
    assert (now(pipeline).name, now(pipeline).description) == ("returns", "A return")
    assert pipeline.edits.count() == count + 1


def test_an_error_is_shown_above_the_current_hits(client, pipeline):
    fields = {"text": "refund", "replacement": "x", "place": "pipeline::0@999"}
    response = send(client, pipeline, "replace", **fields)
    assert response.status_code == 409
    assert "<b>2</b> hits" in response.text
    response = send(client, pipeline, "replace", text="absent", replacement="x")
    assert response.status_code == 422
    assert 'id="find-error"' in response.text

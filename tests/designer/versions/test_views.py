"""Pages of versions."""

from __future__ import annotations

import json
from html import unescape

import pytest
from django.urls import reverse

from designer.models import Membership, Pipeline, Version
from designer.pipelines.actions import create_pipeline
from designer.versions import live_version, publish, roll_back, save_version
from tests.designer.editor_page import hidden
from tests.designer.editor_requests import HTMX, draw, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


def page_of(client, pipeline, query: str = "") -> str:
    return str(client.get(reverse("versions", args=[pipeline.pk]) + query).text)


def test_the_list_shows_author_note_and_the_live_version(client, user, pipeline):
    assert "There are no versions yet." in page_of(client, pipeline)
    publish(pipeline=pipeline, user=user, name="First", note="Because of <refunds>.")
    send(client, pipeline, "add_agent")
    save_version(pipeline=pipeline, user=user)
    send(client, pipeline, "add_agent")
    html = page_of(client, pipeline)
    assert "Because of &lt;refunds&gt;." in html
    assert html.index("<b>v2</b>") < html.index("<b>v1</b>") < html.index(">live<")
    assert "Checkpoint" in html
    named = page_of(client, pipeline, "?named=1")
    assert "<b>v1</b>" in named
    assert "<b>v2</b>" not in named


def test_the_header_counts_the_changes_since_the_newest_version(client, user, pipeline):
    def state() -> str:
        html = unescape(client.get(reverse("editor", args=[pipeline.pk])).text)
        return html.partition('id="draft-state"')[2].partition("</a>")[0].rpartition(">")[2]

    assert state() == "Draft · no version"
    publish(pipeline=pipeline, user=user, name="First")
    assert state() == "Draft · same as v1 (live)"
    response = send(client, pipeline, "add_agent")
    assert "Draft · 1 change since v1 (live)" in unescape(response.text)
    send(client, pipeline, "tidy")
    assert state() == "Draft · 1 change since v1 (live)"
    send(client, pipeline, "undo")
    send(client, pipeline, "undo")
    assert state() == "Draft · same as v1 (live)"


def test_ctrl_s_saves_a_checkpoint_and_updates_the_header(client, pipeline):
    path = reverse("version_save", args=[pipeline.pk])
    html = client.post(path, headers=HTMX).text
    assert "The draft is saved as v1." in html
    assert "Draft · same as v1" in html
    assert client.post(path).url == reverse("versions", args=[pipeline.pk])
    assert Version.objects.count() == 1


def test_a_version_is_saved_after_the_edits_that_were_made_before_it(client, pipeline):
    html = client.get(reverse("editor", args=[pipeline.pk])).text
    button = html.partition('id="save-version"')[2].partition(">")[0]
    assert 'hx-sync="#gestures:queue all"' in button


def test_publishing_asks_for_a_name_and_keeps_the_input(client, pipeline):
    path = reverse("version_publish", args=[pipeline.pk])
    refused = client.post(path, {"name": "", "note": "Kept <text>"})
    assert refused.status_code == 422
    assert "Give the version a name" in refused.text
    assert "Kept &lt;text&gt;" in refused.text
    assert "autofocus" in refused.text.partition('name="name"')[2].partition(">")[0]
    page = client.get(path).text
    assert "autofocus" not in page
    assert page.index('class="publish__form"') < page.index('class="publish__difference"')
    assert client.post(path, {"name": "First", "note": ""}).status_code == 302
    assert str(live_version(pipeline)) == "v1"


def test_a_draft_that_was_edited_meanwhile_is_shown_before_it_is_published(
    client, other_client, user, other_user, pipeline
):
    path = reverse("version_publish", args=[pipeline.pk])
    Membership.objects.create(pipeline=pipeline, user=other_user, role="editor")
    publish(pipeline=pipeline, user=user, name="First")
    send(client, pipeline, "delete_parts", stages='["review"]')
    seen = {name: hidden(client.get(path).text, name) for name in ("live", "draft")}
    send(other_client, pipeline, "add_agent")
    refused = client.post(path, {**seen, "name": "Second", "note": "Kept"})
    assert refused.status_code == 422
    assert "The draft was edited meanwhile" in refused.text
    assert "Kept" in refused.text
    assert str(live_version(pipeline)) == "v1"
    seen = {name: hidden(refused.text, name) for name in ("live", "draft")}
    assert client.post(path, {**seen, "name": "Second", "note": ""}).status_code == 302
    assert str(live_version(pipeline)) == "v2"


def test_publishing_a_named_version_again_asks_for_no_name_that_would_be_lost(
    client, user, pipeline
):
    path = reverse("version_publish", args=[pipeline.pk])
    publish(pipeline=pipeline, user=user, name="First")
    html = unescape(client.get(path).text)
    assert "behaves like v1 “First”, which is live" in html
    assert 'name="name"' not in html
    send(client, pipeline, "add_agent")
    publish(pipeline=pipeline, user=user, name="Second", expected=1)
    roll_back(pipeline=pipeline, user=user, expected=2)
    html = unescape(client.get(path).text)
    assert "Publish makes v2 live; its name and note stay." in html
    assert 'name="name"' not in html
    assert client.post(path, {"live": "1"}).status_code == 302
    assert str(live_version(pipeline)) == "v2"


def test_a_published_checkpoint_gets_the_name_and_the_note(client, user, pipeline):
    save_version(pipeline=pipeline, user=user)
    path = reverse("version_publish", args=[pipeline.pk])
    assert client.post(path, {"name": "First", "note": "Why"}).status_code == 302
    html = page_of(client, pipeline, "?named=1")
    assert "First" in html
    assert "Why" in html


def test_errors_block_publishing_and_are_listed(client, user):
    pipeline = create_pipeline(user=user, name="Empty")
    path = reverse("version_publish", args=[pipeline.pk])
    html = client.get(path).text
    assert "1 error" in html
    refused = client.post(path, {"name": "Broken"})
    assert refused.status_code == 422
    assert "The draft has an error" in refused.text
    assert 'value="Broken"' in refused.text


@pytest.mark.usefixtures("no_environment")
def test_a_missing_connection_blocks_publishing_as_any_error(client, pipeline):
    pipeline.agents.update(provider="work")
    path = reverse("version_publish", args=[pipeline.pk])
    assert "you have no connection of that name" in client.get(path).text
    refused = client.post(path, {"name": "Broken"})
    assert refused.status_code == 422
    assert "fix them in Design" in refused.text
    assert live_version(pipeline) is None


def test_a_promotion_of_somebody_else_is_told_in_one_sentence(client, user, other_user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    send(client, pipeline, "add_agent")
    publish(pipeline=pipeline, user=other_user, name="Theirs", expected=1)
    path = reverse("version_promote", args=[pipeline.pk, 1])
    page = client.post(path, {"live": "1"}, follow=True)
    assert "grace promoted v2 meanwhile" in page.text
    page = client.post(path, {"live": "2"}, follow=True)
    assert "v1 is live." in page.text
    page = client.post(reverse("version_roll_back", args=[pipeline.pk]), {"live": "1"}, follow=True)
    assert "v2 is live again." in page.text


def test_a_deleted_version_is_told_in_one_sentence(client, pipeline):
    for name in ("version_promote", "version_restore"):
        page = client.post(reverse(name, args=[pipeline.pk, 9]), follow=True)
        assert "has no version “9”" in page.text
    page = client.get(reverse("version_export", args=[pipeline.pk, 9]), follow=True)
    assert "has no version “9”" in page.text


def test_a_version_is_exported_and_duplicated(client, user, pipeline):
    version = save_version(pipeline=pipeline, user=user)
    send(client, pipeline, "delete_parts", stages='["review"]')
    response = client.get(reverse("version_export", args=[pipeline.pk, 1]))
    assert response["Content-Disposition"].endswith('-v1.baton.json"')
    schema = "http://testserver/schema/baton.pipeline-1.json"
    assert json.loads(response.text) == json.loads(version.snapshot().dump(schema))
    page = client.post(
        reverse("pipeline_duplicate", args=[pipeline.pk]), {"number": "1"}, follow=True
    )
    assert "is a copy of v1 of" in page.text
    copy = Pipeline.objects.latest("pk")
    assert set(copy.stages.values_list("phase", flat=True)) == {"intake", "review"}
    page = client.post(
        reverse("pipeline_duplicate", args=[pipeline.pk]), {"number": "9"}, follow=True
    )
    assert "has no version “9”" in page.text


def test_a_rehearsal_starts_on_a_version(client, user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    send(client, pipeline, "delete_parts", stages='["review"]')
    path = reverse("rehearse", args=[pipeline.pk])
    html = client.get(path, {"new": "1", "start_version": "1"}).text
    assert 'id="stage-review"' in html
    assert '<span class="soft">v1</span>' in html
    assert 'id="stage-review"' not in client.get(path, {"new": "1"}).text
    page = client.post(
        reverse("conversation_create", args=[pipeline.pk]),
        {"start_version": "1", "op": "break_point", "stage": "review", "on": "1"},
        follow=True,
    )
    assert '<span class="soft">v1</span>' in page.text

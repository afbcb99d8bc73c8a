"""Views of the difference: the page, its reports, uploaded files, and replacing the draft."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designer.core import undo_edit
from designer.models import ComparedFile, Membership, Pipeline, Version
from designer.pipelines.actions import rename_pipeline
from designer.versions import publish, save_version
from designer.versions.change_rows import TITLES
from designer.versions.compared_files import replace_draft
from designer.versions.comparison_context import MAX_STAGES_AT_ONCE
from tests.designer.editor_requests import draw, now
from tests.designer.versions.changed_definitions import changed

pytestmark = pytest.mark.django_db


def page(client, pipeline: Pipeline, **sides: str) -> Any:
    return client.get(reverse("difference", args=[pipeline.pk]), sides)


def upload(client, pipeline: Pipeline, content: bytes, name: str = "pets.baton.json") -> Any:
    file = SimpleUploadedFile(name, content)
    return client.post(reverse("difference_file", args=[pipeline.pk]), {"file": file})


@pytest.fixture
def compared(client, pipeline) -> ComparedFile:
    """File with a change of the pipeline."""
    upload(client, pipeline, changed(pipeline).dump().encode())
    return ComparedFile.objects.get()


def test_a_file_is_compared_with_the_draft_at_an_address(client, pipeline):
    response = upload(client, pipeline, changed(pipeline).dump().encode())
    row = ComparedFile.objects.get()
    address = f"{reverse('versions', args=[pipeline.pk])}?from=draft&to=file-{row.pk}"
    assert (response.status_code, response.url) == (302, address)
    text = client.get(address).content.decode()
    assert 'class="difference-picture"' in text
    assert "is-ghost" in text
    assert 'id="change-1"' in text
    assert "What it means" in text
    assert "<ins>Be brief.</ins>" in text


def test_canvas_and_table_have_the_same_changes(client, pipeline, compared):
    response = page(client, pipeline, to=f"file-{compared.pk}")
    rows = {row.number for group in response.context["groups"] for row in group.rows}
    assert rows == set(range(1, response.context["change_count"] + 1))
    drawn = response.context["picture"]
    for group in response.context["groups"]:
        if group.title in ("Stages", "Transitions"):
            assert all(f'data-change="{row.number}"' in drawn for row in group.rows)


def test_without_changes_the_page_says_so(client, user, pipeline):
    save_version(pipeline=pipeline, user=user)
    assert b"Both behave the same." in page(client, pipeline).content


def test_another_pipeline_is_compared(client, user, pipeline):
    other = draw(user, "intake", "review", "archive")
    response = page(client, pipeline, to=f"pipeline-{other.pk}")
    assert response.status_code == 200
    assert b"archive" in response.content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x00", "neither JSON nor YAML"),
        (b"", "The format is not known"),
        (b'{"version": 2, "name": "x"}', "version is 2; this Baton reads 1"),
    ],
)
def test_an_unreadable_or_newer_file_is_one_sentence(client, pipeline, content, words):
    response = upload(client, pipeline, content)
    assert response.status_code == 422
    [error] = response.context["file_form"].errors["file"]
    assert words in error
    assert "pets.baton.json cannot be compared" in error
    assert not ComparedFile.objects.exists()


def test_a_missing_file_is_an_error_of_the_form(client, pipeline):
    response = client.post(reverse("difference_file", args=[pipeline.pk]))
    assert response.status_code == 422
    assert b"Choose a file." in response.content


def test_replacing_the_draft_is_one_edit_and_one_undo(client, user, pipeline, compared):
    before = now(pipeline)
    address = reverse("difference_apply", args=[pipeline.pk])
    response = client.post(address, {"to": f"file-{compared.pk}"})
    assert (response.status_code, response.url) == (302, reverse("editor", args=[pipeline.pk]))
    assert len(now(pipeline).stages) == len(before.stages) - 1
    undo_edit(pipeline=Pipeline.objects.get(pk=pipeline.pk), user=user)
    assert now(pipeline) == before


def test_an_unknown_side_replaces_nothing(client, pipeline):
    before = now(pipeline)
    response = client.post(reverse("difference_apply", args=[pipeline.pk]), {"to": "file-9"})
    assert response.status_code == 404
    assert now(pipeline) == before


def test_viewers_compare_but_replace_nothing(other_client, other_user, pipeline):
    Membership.objects.filter(user=other_user).update(role="viewer")
    response = upload(other_client, pipeline, changed(pipeline).dump().encode())
    text = other_client.get(response.url).content.decode()
    assert "difference-picture" in text
    assert "Replace the draft" not in text


@pytest.mark.parametrize(
    ("view", "kind"),
    [
        ("difference_markdown", "text/markdown"),
        ("difference_json", "application/json"),
        ("difference_svg", "image/svg+xml"),
    ],
)
def test_reports_are_files(client, pipeline, compared, view, kind):
    address = reverse(view, args=[pipeline.pk])
    response = client.get(address, {"from": "draft", "to": f"file-{compared.pk}"})
    assert response["Content-Type"].startswith(kind)
    assert "attachment" in response["Content-Disposition"]
    assert response.content
    assert client.get(address, {"to": "7"}).status_code == 404
    if kind == "application/json":
        assert json.loads(response.content)["same"] is False


def test_other_users_find_no_difference(client, other_user):
    hidden = draw(other_user, "intake")
    assert page(client, hidden).status_code == 404


def test_without_a_session_the_page_redirects_to_sign_in(anonymous_client, pipeline):
    assert page(anonymous_client, pipeline).status_code == 302


@pytest.fixture
def published(user, pipeline) -> Pipeline:
    """Pipeline with a live version, a newer one, and an edited draft."""
    publish(pipeline=pipeline, user=user, name="First", note="", expected=None)
    replace_draft(pipeline=pipeline, user=user, definition=changed(pipeline), label="Change")
    save_version(pipeline=pipeline, user=user)
    rename_pipeline(pipeline=pipeline, user=user, name="Renamed")
    return Pipeline.objects.get(pk=pipeline.pk)


@pytest.mark.parametrize(
    ("sides", "titles", "changes"),
    [
        ({}, ("v1 (live) First", "Draft"), {"stage", "transition", "agent", "setting"}),
        ({"from": "1", "to": "2"}, ("v1 (live) First", "v2"), {"stage", "transition", "agent"}),
        ({"from": "2"}, ("v2", "Draft"), {"setting"}),
        ({"from": "live", "to": "live"}, ("v1 (live) First", "v1 (live) First"), set()),
    ],
)
def test_draft_versions_and_the_live_one_are_compared(client, published, sides, titles, changes):
    response = page(client, published, **sides)
    assert (response.context["before_title"], response.context["after_title"]) == titles
    found = {TITLES_OF[group.title] for group in response.context["groups"]}
    assert found == changes


TITLES_OF = {title: kind for kind, title in TITLES.items()}


def test_a_deleted_version_is_one_sentence(client, published):
    assert Version.objects.filter(number=2).delete_checkpoints()
    response = page(client, published, to="2")
    assert response.status_code == 404
    assert "has no version “2”" in response.context["text"]


def test_a_version_is_restored_from_its_difference(client, published):
    text = page(client, published, **{"from": "draft", "to": "1"}).content.decode()
    assert reverse("version_restore", args=[published.pk, 1]) in text
    assert f'name="draft" value="{published.version}"' in text
    listed = client.get(reverse("versions", args=[published.pk])).content.decode()
    assert f"{reverse('versions', args=[published.pk])}?from=draft&amp;to=1" in listed
    assert reverse("version_restore", args=[published.pk, 1]) not in listed


def test_publishing_shows_the_difference_from_the_live_version(client, published):
    response = client.get(reverse("version_publish", args=[published.pk]))
    assert response.context["before_title"] == "v1"
    assert "difference-picture" in response.content.decode()


def test_the_consequences_of_large_pipelines_are_loaded_after_the_canvas(client, user):
    large = draw(user, *(f"stage-{number}" for number in range(MAX_STAGES_AT_ONCE + 1)))
    upload(client, large, changed(large).dump().encode())
    sides = {"from": "draft", "to": f"file-{ComparedFile.objects.get().pk}"}
    response = page(client, large, **sides)
    address = response.context["meaning_address"]
    assert f'hx-get="{address.replace("&", "&amp;")}"' in response.content.decode()
    loaded = client.get(address).content.decode()
    assert "What it means" in loaded
    assert "Paths: +" in loaded
    assert (
        client.get(reverse("difference_meaning", args=[large.pk]), {"to": "9"}).status_code == 404
    )

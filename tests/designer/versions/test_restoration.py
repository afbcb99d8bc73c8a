"""Restoration of versions."""

from __future__ import annotations

import pytest
from django.urls import reverse

from designer import definitions
from designer.models import Edit
from designer.versions import VersionError, restore_version, save_version
from tests.designer.editor_requests import draw, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    row = draw(user, "intake", "review")
    save_version(pipeline=row, user=user)
    return row


def test_a_restoration_is_one_edit_and_one_undo(client, user, pipeline):
    version = pipeline.versions.get()
    send(client, pipeline, "delete_parts", stages='["review"]')
    send(client, pipeline, "add_agent")
    pipeline.refresh_from_db()
    edited = definitions.read(pipeline)
    edits = Edit.objects.count()
    change = restore_version(pipeline=pipeline, version=version, user=user)
    assert definitions.read(change.pipeline) == version.snapshot()
    assert Edit.objects.count() == edits + 1
    assert Edit.objects.latest("version").label == "Restore v1"
    send(client, change.pipeline, "undo")
    change.pipeline.refresh_from_db()
    assert definitions.read(change.pipeline) == edited


def test_a_draft_that_was_edited_meanwhile_is_kept(client, other_user, user, pipeline):
    path = reverse("version_restore", args=[pipeline.pk, 1])
    seen = pipeline.version
    send(client, pipeline, "add_agent")
    pipeline.refresh_from_db()
    edited = definitions.read(pipeline)
    with pytest.raises(VersionError, match="edited meanwhile"):
        restore_version(
            pipeline=pipeline, version=pipeline.versions.get(), user=user, expected=seen
        )
    page = client.post(path, {"draft": seen}, follow=True)
    assert "The draft was edited meanwhile, and nothing was changed" in page.text
    assert definitions.read(pipeline) == edited


def test_the_page_restores_and_opens_the_editor(client, pipeline):
    send(client, pipeline, "add_agent")
    pipeline.refresh_from_db()
    path = reverse("version_restore", args=[pipeline.pk, 1])
    page = client.post(path, {"draft": pipeline.version}, follow=True)
    assert page.redirect_chain == [(reverse("editor", args=[pipeline.pk]), 302)]
    assert "The draft is v1 again." in page.text

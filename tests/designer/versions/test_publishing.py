"""Saving, publishing, promotion and roll-back of versions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from designer import definitions
from designer.definitions import Settings
from designer.models import AuditEntry, Connection, Version
from designer.pipelines.actions import create_pipeline
from designer.pipelines.settings import update_settings
from designer.versions import (
    DraftHasErrorsError,
    PromotedMeanwhileError,
    VersionError,
    live_version,
    promote,
    publish,
    roll_back,
    save_version,
)
from tests.designer.editor_requests import draw, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


def edit(pipeline: Any, user: Any, text: str) -> Any:
    """Change the behaviour of the draft."""
    settings = Settings(description=text)
    return update_settings(pipeline=pipeline, user=user, settings=settings).pipeline


def test_versions_are_numbered_and_based_on_the_one_before(user, pipeline):
    first = save_version(pipeline=pipeline, user=user)
    pipeline = edit(pipeline, user, "Changed.")
    second = save_version(pipeline=pipeline, user=user, name="Second", note="Why")
    assert [str(row) for row in pipeline.versions.all()] == ["v2", "v1"]
    assert (second.based_on, second.author, second.note) == (first, user, "Why")
    assert second.snapshot() == definitions.read(pipeline)
    assert first.snapshot() != second.snapshot()


def test_a_draft_that_behaves_like_the_newest_version_creates_no_new_one(client, user, pipeline):
    first = save_version(pipeline=pipeline, user=user)
    send(client, pipeline, "tidy")
    assert publish(pipeline=pipeline, user=user, name="Same", note="Why") == first
    assert live_version(pipeline) == first
    first.refresh_from_db()
    assert (first.name, first.note) == ("Same", "Why"), "the checkpoint has a name now"
    assert publish(pipeline=pipeline, user=user, name="Another", expected=1).name == "Same"
    assert Version.objects.count() == 1


def test_a_saved_version_keeps_a_layout_and_an_unchanged_draft_creates_none(client, user, pipeline):
    first = save_version(pipeline=pipeline, user=user)
    assert save_version(pipeline=pipeline, user=user) == first
    send(client, pipeline, "add_note", x="40", y="-8.5")
    second = save_version(pipeline=pipeline, user=user)
    assert (second.number, second.digest) == (2, first.digest)
    assert [note.id for note in second.snapshot().layout.notes] == ["note-1"]
    assert publish(pipeline=pipeline, user=user, name="With a note") == second


def test_publishing_promotes_and_is_in_the_audit_trail(user, pipeline):
    first = publish(pipeline=pipeline, user=user, name="First")
    pipeline = edit(pipeline, user, "Changed.")
    second = publish(pipeline=pipeline, user=user, name="Second", expected=1)
    assert live_version(pipeline) == second
    details = list(AuditEntry.objects.order_by("pk").values_list("detail", flat=True))
    assert details == ["v1, before none", "v2, before v1"]
    assert roll_back(pipeline=pipeline, user=user, expected=2) == first
    assert live_version(pipeline) == first
    promote(pipeline=pipeline, version=second, user=user, expected=1)
    assert live_version(pipeline) == second
    assert Version.objects.count() == 2, "promotion creates no version"


def test_a_draft_with_errors_is_not_published(user):
    pipeline = create_pipeline(user=user, name="Empty")
    assert pipeline.errors
    with pytest.raises(DraftHasErrorsError, match="fix"):
        publish(pipeline=pipeline, user=user, name="Broken")
    assert not Version.objects.exists()


@pytest.mark.usefixtures("no_environment")
def test_a_version_without_its_connection_is_neither_promoted_nor_rolled_back_to(user, pipeline):
    work = Connection.objects.create(owner=user, name="work", kind="ollama")
    pipeline.agents.update(provider="work")
    first = publish(pipeline=pipeline, user=user, name="First")
    pipeline.agents.update(provider="default")
    pipeline = edit(pipeline, user, "Changed.")
    second = publish(pipeline=pipeline, user=user, name="Second", expected=1)
    work.delete()
    for act in (
        lambda: promote(pipeline=pipeline, version=first, user=user, expected=2),
        lambda: roll_back(pipeline=pipeline, user=user, expected=2),
    ):
        with pytest.raises(VersionError, match="v1 has 2 errors, such as a missing connection"):
            act()
    assert live_version(pipeline) == second


def test_the_second_of_two_promotions_at_once_is_refused(user, other_user, pipeline):
    first = publish(pipeline=pipeline, user=user, name="First")
    pipeline = edit(pipeline, user, "Changed.")
    publish(pipeline=pipeline, user=other_user, name="Theirs", expected=1)
    for act in (
        lambda: promote(pipeline=pipeline, version=first, user=user, expected=1),
        lambda: roll_back(pipeline=pipeline, user=user, expected=1),
        lambda: publish(pipeline=pipeline, user=user, name="Mine", expected=1),
    ):
        with pytest.raises(PromotedMeanwhileError, match="grace promoted v2 meanwhile"):
            act()
    assert str(live_version(pipeline)) == "v2"


def test_there_is_nothing_to_roll_back_to_at_first(user, pipeline):
    with pytest.raises(VersionError, match="no earlier live version"):
        roll_back(pipeline=pipeline, user=user)
    publish(pipeline=pipeline, user=user, name="First")
    with pytest.raises(VersionError, match="no earlier live version"):
        roll_back(pipeline=pipeline, user=user, expected=1)


def test_old_checkpoints_are_thinned_out_by_day(user, pipeline):
    saved = []
    for number in range(6):
        pipeline = edit(pipeline, user, f"Text {number}.")
        name = "Named" if number == 1 else ""
        saved.append(save_version(pipeline=pipeline, user=user, name=name))
    noon = timezone.now().replace(hour=12, minute=0) - timedelta(days=3)
    for row in saved[:5]:  # 1 to 4 on one day, 5 on the next
        at = noon + timedelta(days=row.number == 5, minutes=row.number)
        with connection.cursor() as cursor:  # a version cannot be changed otherwise
            cursor.execute("UPDATE designer_version SET created = %s WHERE id = %s", [at, row.pk])
    pipeline = edit(pipeline, user, "Last.")
    save_version(pipeline=pipeline, user=user)
    left = list(pipeline.versions.order_by("number").values_list("number", flat=True))
    assert left == [2, 4, 5, 6, 7]

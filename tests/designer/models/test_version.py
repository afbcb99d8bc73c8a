"""Versions as rows: immutable, and deleted only if nothing uses them."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from designer.models import ImmutableVersionError, Release, Version
from designer.pipelines.actions import delete_pipeline, rename_pipeline
from designer.versions import live_version, promote, publish, save_version

pytestmark = pytest.mark.django_db


def test_a_version_is_immutable(user, pipeline):
    version = save_version(pipeline=pipeline, user=user)
    version.name = "Another"
    with pytest.raises(ImmutableVersionError, match="save a new one"):
        version.save()
    with pytest.raises(ImmutableVersionError):
        Version.objects.filter(pk=version.pk).update(name="Another")
    with pytest.raises(ImmutableVersionError):
        Version.objects.bulk_update([version], ["name"])
    with pytest.raises(ImmutableVersionError):
        version.delete()
    with pytest.raises(ImmutableVersionError):
        Version.objects.filter(pk=version.pk).delete()
    version.refresh_from_db()
    assert version.name == ""


def test_checkpoints_get_a_name_and_named_versions_keep_theirs(user, pipeline):
    save_version(pipeline=pipeline, user=user)
    assert Version.objects.all().name_checkpoints("First", "Why") == 1
    assert Version.objects.all().name_checkpoints("Second", "") == 0
    version = Version.objects.get()
    assert (version.name, version.note) == ("First", "Why")


def test_only_unused_checkpoints_can_be_deleted_and_all_with_their_pipeline(user, pipeline):
    publish(pipeline=pipeline, user=user, name="First")
    pipeline = rename_pipeline(pipeline=pipeline, user=user, name="Changed").pipeline
    checkpoint = save_version(pipeline=pipeline, user=user)
    assert Version.objects.all().delete_checkpoints() == 1
    assert not Version.objects.filter(pk=checkpoint.pk).exists()
    assert str(live_version(pipeline)) == "v1"
    delete_pipeline(pipeline=pipeline)
    assert not Version.objects.exists()


def test_a_checkpoint_that_is_or_was_live_is_kept(user, pipeline):
    first = save_version(pipeline=pipeline, user=user)
    promote(pipeline=pipeline, version=first, user=user)
    assert Version.objects.all().delete_checkpoints() == 0
    pipeline = rename_pipeline(pipeline=pipeline, user=user, name="Changed").pipeline
    publish(pipeline=pipeline, user=user, name="Second", expected=1)
    assert Version.objects.all().delete_checkpoints() == 0
    assert [str(row) for row in pipeline.versions.all()] == ["v2", "v1"]


def test_a_pipeline_has_each_version_number_and_each_release_once(user, pipeline):
    version = publish(pipeline=pipeline, user=user, name="First")
    fields = {"pipeline": pipeline, "definition": {}, "digest": "", "edit_count": 0}
    with pytest.raises(IntegrityError), transaction.atomic():
        Version.objects.create(number=version.number, **fields)
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.create(pipeline=pipeline, version=version)

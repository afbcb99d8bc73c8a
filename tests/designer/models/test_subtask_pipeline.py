"""Pipelines of subtasks as rows."""

import pytest

from designer.models import SubtaskPipeline

pytestmark = pytest.mark.django_db


def test_a_deleted_pipeline_leaves_an_unknown_one(conversation, pipeline):
    row = SubtaskPipeline.objects.create(conversation=conversation, pipeline=pipeline)
    pipeline.delete()
    row.refresh_from_db()
    assert row.pipeline is None

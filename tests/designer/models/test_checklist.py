"""Checklists as rows."""

import pytest

from designer.models import Checklist

pytestmark = pytest.mark.django_db


def test_a_checklist_survives_the_exported_pipeline(user, pipeline):
    checklist = Checklist.objects.create(user=user, exported_pipeline=pipeline)
    pipeline.delete()
    checklist.refresh_from_db()
    assert checklist.exported_pipeline is None
    assert not checklist.is_closed

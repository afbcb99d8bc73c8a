"""Signs of life of workers as rows."""

import pytest
from django.db import IntegrityError, transaction

from designer.models import WorkerHeartbeat

pytestmark = pytest.mark.django_db


def test_each_worker_has_one_row_and_the_rows_are_ordered_by_name():
    for name in ("b", "a"):
        WorkerHeartbeat.objects.create(name=name, event_format=1, capacity=2)
    assert list(map(str, WorkerHeartbeat.objects.all())) == ["a", "b"]
    with pytest.raises(IntegrityError), transaction.atomic():
        WorkerHeartbeat.objects.create(name="a", event_format=1, capacity=2)

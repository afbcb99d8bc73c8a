"""The view that starts a backup."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from designer.models import Job
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

START = reverse("backup_start")


def test_only_administrators_start_backups_and_only_with_a_folder(
    client, anonymous_client, folder, administrator, settings
):
    assert START not in client.get(reverse("jobs")).text
    assert client.post(START).status_code == 404
    assert anonymous_client.post(START).status_code == 302
    root = signed_in(administrator)
    assert root.get(START).status_code == 405
    settings.BACKUP_DIR = ""
    assert START not in root.get(reverse("jobs")).text
    assert root.post(START).status_code == 404
    assert not Job.objects.exists()


def test_a_sixth_unfinished_job_is_refused_with_a_sentence(folder, administrator):
    for _ in range(5):
        Job.objects.create(kind="other", asked_by=administrator, total=1, due=timezone.now())
    page = signed_in(administrator).post(START, follow=True)
    assert "You have 5 unfinished jobs." in page.text

"""Findings about the database."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from tests.designer.doctor.single_checks import finding

pytestmark = pytest.mark.django_db


def test_a_missing_migration_is_an_error() -> None:
    recorder = MigrationRecorder(connection)
    name = max(name for app, name in recorder.applied_migrations() if app == "designer")
    recorder.record_unapplied("designer", name)
    assert finding("Migrations").fix == "Run manage.py migrate."


def test_a_database_of_a_newer_version_is_an_error() -> None:
    MigrationRecorder(connection).record_applied("designer", "9999_from_the_future")
    found = finding("Migrations")
    assert found.level == "error"
    assert "designer.9999_from_the_future" in found.text
    assert "Update Baton" in found.fix

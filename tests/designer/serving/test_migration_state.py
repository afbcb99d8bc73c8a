"""Servers refuse a database that is not migrated or cannot be reached."""

from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from designer.serving.migration_state import missing_migrations, unknown_migrations
from tests.designer.serving.test_server_lock import refused_start
from tests.serving import clean_environment


@pytest.mark.server
def test_a_server_refuses_a_database_without_tables(tmp_path: Path) -> None:
    line = refused_start(clean_environment() | {"BATON_DATA_DIR": str(tmp_path)}, "serve")
    assert "The database is not migrated" in line
    assert line.endswith("run manage.py migrate and start again.")


@pytest.mark.server
def test_a_server_without_its_postgresql_says_so_in_one_line(tmp_path: Path) -> None:
    environment = clean_environment() | {
        "BATON_DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"postgresql://baton@/baton?host={tmp_path}",
    }
    line = refused_start(environment, "serve")
    assert "The database cannot be reached" in line
    assert "check DATABASE_URL" in line


@pytest.mark.django_db
def test_a_missing_and_an_unknown_migration_are_named() -> None:
    assert missing_migrations() == unknown_migrations() == []
    recorder = MigrationRecorder(connection)
    name = max(name for app, name in recorder.applied_migrations() if app == "designer")
    recorder.record_unapplied("designer", name)
    recorder.record_applied("designer", "9999_from_the_future")
    assert missing_migrations() == [f"designer.{name}"]
    assert unknown_migrations() == ["designer.9999_from_the_future"]

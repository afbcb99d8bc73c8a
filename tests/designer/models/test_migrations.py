"""Migrations of an empty database: a short way to the same tables."""

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


def state(*, short: bool) -> ProjectState:
    loader = MigrationLoader(None, replace_migrations=short)
    return loader.project_state()


def test_the_short_way_leads_to_the_same_tables_as_all_steps():
    changes = MigrationAutodetector(state(short=True), state(short=False)).changes(
        MigrationLoader(None, replace_migrations=True).graph
    )
    assert changes == {}


def test_an_empty_database_takes_the_short_way():
    names = {name for app, name in MigrationLoader(None).graph.nodes if app == "designer"}
    assert "0001_squashed_0043_copied_sums" in names
    assert "0001_initial" not in names

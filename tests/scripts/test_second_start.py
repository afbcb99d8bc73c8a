"""Restart of a server with existing data."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.serving import BatonServer

pytestmark = pytest.mark.long

PER_START = {"designer_signinlink", "designer_auditentry"}
"""Tables with a row for each start: its sign-in link, and the entry about it."""

CHANGE = """
from designer.pipelines.actions import delete_pipeline, rename_pipeline
from designer.models import Pipeline
first, second, *_ = Pipeline.objects.order_by("pk")
delete_pipeline(pipeline=first)
rename_pipeline(pipeline=second, user=second.owner, name="Ours")
second.owner.last_login = second.updated
second.owner.save()
"""


@pytest.fixture
def server(start_server: Callable[..., BatonServer]) -> BatonServer:
    """Server with the samples, one deleted and one renamed."""
    server = start_server(samples=True)
    server.manage("shell", "--no-imports", "-c", CHANGE)
    server.stop()
    return server


def tables(server: BatonServer) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of every table, except those with a row for each start."""
    with closing(sqlite3.connect(server.data_dir / "baton.sqlite3")) as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: database.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608
            for (name,) in names
            if name not in {*PER_START, "sqlite_sequence"}
        }


def test_a_second_start_keeps_every_row_and_restores_nothing(
    server: BatonServer, static_root: Path
) -> None:
    manifest = static_root / "staticfiles.json"
    before, written = tables(server), manifest.stat().st_mtime_ns
    server.start()
    server.stop()
    assert manifest.stat().st_mtime_ns == written
    assert tables(server) == before
    assert before["django_migrations"]
    assert len(before["designer_pipeline"]) == 5
    assert any("Ours" in row for row in before["designer_pipeline"])

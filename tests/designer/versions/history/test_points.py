"""States of the draft at each point of the history, and its days and sessions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from designer.core import redo_edit, undo_edit
from designer.models import HistoryEntry
from designer.versions import UnknownPointError, VersionError, point_at, restore_point
from designer.versions.history import by_day
from tests.designer.editor_requests import draw, moves, now, send

pytestmark = pytest.mark.django_db


def test_each_point_has_the_definition_of_its_time(client, user):
    pipeline = draw(user, "intake", "review", "closing")
    states = {}
    for gesture, fields in (
        ("add_agent", {}),
        ("move_stages", {"moves": moves(intake=(400, 400))}),
        ("delete_parts", {"stages": '["review"]'}),
        ("undo", {}),
        ("tidy", {}),
        ("redo", {}),
    ):
        send(client, pipeline, gesture, **fields)
        pipeline.refresh_from_db()
        states[pipeline.version] = now(pipeline)
    assert len(states) >= 5
    for version, definition in states.items():
        assert point_at(pipeline, version).definition == definition
    versions = sorted(states)
    for earlier, later in pairwise(versions):
        assert point_at(pipeline, later).before == states[earlier]


def test_an_earlier_state_is_restored_by_one_edit_and_undone_by_one(client, user):
    pipeline = draw(user, "intake", "review")
    send(client, pipeline, "add_agent")
    pipeline.refresh_from_db()
    version, wanted = pipeline.version, now(pipeline)
    send(client, pipeline, "delete_parts", stages='["review"]')
    changed = now(pipeline)
    restore_point(pipeline=pipeline, version=version, user=user)
    assert now(pipeline) == wanted
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == changed
    redo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == wanted


def test_a_restoration_of_an_edited_draft_changes_nothing(client, user):
    pipeline = draw(user, "intake", "review")
    send(client, pipeline, "add_agent")
    pipeline.refresh_from_db()
    seen = pipeline.version
    send(client, pipeline, "add_agent")
    before = now(pipeline)
    with pytest.raises(VersionError, match="edited meanwhile"):
        restore_point(pipeline=pipeline, version=seen, user=user, expected=seen)
    assert now(pipeline) == before


def test_a_point_that_the_history_does_not_reach_is_refused(client, user):
    pipeline = draw(user, "intake")
    for _ in range(3):
        send(client, pipeline, "add_agent")
    pipeline.refresh_from_db()
    for version in (0, pipeline.version + 1):
        with pytest.raises(UnknownPointError, match="does not hold this edit"):
            point_at(pipeline, version)
    pipeline.history.filter(version=pipeline.version - 1).delete()
    with pytest.raises(UnknownPointError):
        point_at(pipeline, pipeline.version - 2)


def test_edits_are_grouped_by_day_and_session():
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)

    def entry(number: int, minutes: int, author: str) -> HistoryEntry:
        made = noon + timedelta(minutes=minutes)
        return HistoryEntry(version=number, made=made, user_name=author, label="Edit")

    entries = [
        entry(6, 24 * 60, "ada"),
        entry(5, 60, "ada"),
        entry(4, 12, "ada"),
        entry(3, 11, "grace"),
        entry(2, 5, "ada"),
        entry(1, 0, "ada"),
    ]
    days = by_day(entries)
    found = [
        [(session.author, [row.version for row in session.entries]) for session in day.sessions]
        for day in days
    ]
    assert found == [
        [("ada", [6])],
        [("ada", [5]), ("ada", [4]), ("grace", [3]), ("ada", [2, 1])],
    ]
    last = days[1].sessions[-1]
    assert last.ended - last.began == timedelta(minutes=5)

"""History of all edits: one entry for each edit, undo and redo, within a bound."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from designer.core.edits import EDITS_PER_CLEANUP, MAX_HISTORY, log_edit, make_edit
from designer.core.undo import redo_edit, undo_edit
from designer.definitions import Patch, Settings
from designer.models import HistoryEntry
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


def describe(text: str) -> Patch:
    return Patch(settings=Settings(description=text))


def test_each_edit_undo_and_redo_is_an_entry(user):
    pipeline = draw(user, "intake")
    first = pipeline.version
    make_edit(pipeline=pipeline, user=user, label="Describe", patch=describe("One"))
    undo_edit(pipeline=pipeline, user=user)
    redo_edit(pipeline=pipeline, user=user)
    rows = [(row.label, row.since, row.version, row.user_name) for row in pipeline.history.all()]
    name = user.get_username()
    assert rows == [
        ("Redo: Describe", first + 2, first + 3, name),
        ("Undo: Describe", first + 1, first + 2, name),
        ("Describe", first, first + 1, name),
    ]


def test_an_extended_entry_covers_all_of_its_edits(user):
    pipeline = draw(user, "intake")
    at = timezone.now()
    first = pipeline.version
    for number, text in enumerate(("O", "On", "One"), start=1):
        pipeline.version = first + number
        log_edit(
            pipeline=pipeline,
            user=user,
            label="Describe",
            before=describe(text),
            made=at + timedelta(seconds=number),
            extends_last=number > 1,
        )
    entry = HistoryEntry.objects.get()
    assert (entry.since, entry.version) == (first, first + 3)
    assert entry.before == describe("O").dump()
    assert entry.made == at + timedelta(seconds=3)


def test_the_oldest_entries_beyond_the_bound_are_deleted(user):
    pipeline = draw(user, "intake")
    for version in (1, 2, MAX_HISTORY + EDITS_PER_CLEANUP):
        pipeline.version = version
        log_edit(pipeline=pipeline, user=user, label="Edit", before=Patch(), made=timezone.now())
    assert [row.version for row in pipeline.history.all()] == [MAX_HISTORY + EDITS_PER_CLEANUP]


def test_the_history_keeps_the_name_of_a_deleted_author(user, other_user):
    pipeline = draw(user, "intake")
    make_edit(pipeline=pipeline, user=other_user, label="Describe", patch=describe("One"))
    name = other_user.get_username()
    other_user.delete()
    assert pipeline.history.get().user_name == name

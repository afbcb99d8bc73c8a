"""Files that are compared with a pipeline, and the draft that is replaced by one."""

from __future__ import annotations

import pytest

from designer.core import undo_edit
from designer.models import ComparedFile, HistoryEntry, Pipeline
from designer.versions.compared_files import MAX_FILES, replace_draft, store_file
from designer.versions.errors import DraftChangedError
from orchestration.definition import PipelineDefinition
from tests.designer.editor_requests import now
from tests.designer.versions.changed_definitions import changed

pytestmark = pytest.mark.django_db


def test_only_the_newest_files_are_stored(pipeline, user, other_user):
    definition = now(pipeline)
    store_file(pipeline=pipeline, user=other_user, name="theirs.json", definition=definition)
    for number in range(MAX_FILES + 1):
        store_file(pipeline=pipeline, user=user, name=f"{number}.json", definition=definition)
    own = ComparedFile.objects.filter(owner=user)
    assert [row.name for row in own] == [f"{n}.json" for n in range(MAX_FILES, 0, -1)]
    assert ComparedFile.objects.filter(owner=other_user).exists()


def test_the_stored_file_is_the_definition(pipeline, user):
    definition = changed(pipeline)
    row = store_file(pipeline=pipeline, user=user, name="pets.json", definition=definition)
    row.refresh_from_db()
    assert PipelineDefinition.model_validate(row.definition) == definition
    assert now(pipeline) != definition


@pytest.mark.parametrize(("name", "stored"), [("", "File"), ("x" * 121, "x" * 120)])
def test_a_file_has_a_name_that_can_be_stored(pipeline, user, name, stored):
    definition = now(pipeline)
    assert store_file(pipeline=pipeline, user=user, name=name, definition=definition).name == stored


def test_a_draft_that_was_edited_meanwhile_is_not_replaced(pipeline, user):
    definition, seen = changed(pipeline), pipeline.version
    other = definition.model_copy(update={"name": "Renamed"})
    replace_draft(pipeline=pipeline, user=user, definition=other, label="First", expected=seen)
    with pytest.raises(DraftChangedError):
        replace_draft(
            pipeline=pipeline, user=user, definition=definition, label="Second", expected=seen
        )
    assert now(pipeline).name == "Renamed"
    assert [entry.label for entry in HistoryEntry.objects.all()] == ["First"]


def test_references_to_missing_parts_are_kept_by_name(pipeline, user):
    before = now(pipeline)
    definition = before.model_copy(update={"entry": "attic", "default_agent_id": "nobody"})
    replace_draft(pipeline=pipeline, user=user, definition=definition, label="Replace the draft")
    assert (now(pipeline).entry, now(pipeline).default_agent_id) == ("attic", "nobody")
    pipeline = Pipeline.objects.get(pk=pipeline.pk)
    assert pipeline.unresolved["names"] == ["attic", "nobody"]
    undo_edit(pipeline=pipeline, user=user)
    assert now(pipeline) == before

"""Copy, cut, paste and duplicate through the rows."""

from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis.extra.django import TestCase

from designer.core.undo import redo_edit, undo_edit
from designer.editor.actions.clipboard import (
    copy_parts,
    cut_parts,
    duplicate_parts,
    paste_parts,
)
from designer.pipelines.actions import create_pipeline, import_definition
from orchestration.loading import load_storable
from tests.designer.editor_requests import now
from tests.designer.part_selections import part_of, selections


class TestThroughRows(TestCase):
    """Properties; each example runs in its own transaction."""

    def setup_example(self):
        super().setup_example()
        self.user = User.objects.create(username="ada")

    @given(selections())
    @settings(max_examples=8)
    def test_edits_of_the_clipboard_can_be_undone_and_redone(self, selection):
        definition, selection = selection
        pipeline = import_definition(user=self.user, definition=definition)
        part = part_of(definition, selection)
        if not part.stages and not part.layout.notes:
            return
        assert copy_parts(pipeline=pipeline, selection=selection) == part
        states = [now(pipeline)]
        for act in (
            lambda: paste_parts(pipeline=pipeline, user=self.user, part=part),
            lambda: duplicate_parts(pipeline=pipeline, user=self.user, selection=selection),
            lambda: cut_parts(pipeline=pipeline, user=self.user, selection=selection),
        ):
            act()
            states.append(now(pipeline))
        for state in reversed(states[:-1]):
            undo_edit(pipeline=pipeline, user=self.user)
            assert now(pipeline) == state
        for state in states[1:]:
            redo_edit(pipeline=pipeline, user=self.user)
            assert now(pipeline) == state

    @given(selections())
    @settings(max_examples=8)
    def test_a_copy_pasted_into_an_empty_pipeline_is_written_to_its_rows(self, selection):
        part = part_of(*selection)
        if not part.stages and not part.layout.notes:
            return
        pipeline = create_pipeline(user=self.user, name="Empty")
        paste_parts(pipeline=pipeline, user=self.user, part=load_storable(part.dump()))
        after = now(pipeline)
        settings = {"name": part.name, "topology": part.topology}
        assert after.model_copy(update=settings) == part

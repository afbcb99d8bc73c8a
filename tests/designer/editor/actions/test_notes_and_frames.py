"""Properties of notes and frames, through rows and undo."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from designer.core.edit_errors import EditError
from designer.core.undo import redo_edit, undo_edit
from designer.editor.actions import notes_and_frames, topology
from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import Position
from tests.designer.editor_requests import now
from tests.orchestration.part_strategies import FEW
from tests.orchestration.strategies import storable_definitions

pytestmark = pytest.mark.django_db


class TestLaws(TestCase):
    """Properties; each example runs in its own transaction."""

    def setup_example(self) -> None:
        from django.contrib.auth.models import User

        super().setup_example()
        self.user = User.objects.create(username="ada")

    @given(storable_definitions(), st.data())
    def test_a_stage_is_in_one_frame_after_any_edits_which_can_be_undone(
        self, definition, data
    ) -> None:
        pipeline = import_definition(user=self.user, definition=definition)
        actor: dict[str, Any] = {"pipeline": pipeline, "user": self.user}
        first = now(pipeline)
        for act in data.draw(st.lists(_acts(), max_size=8)):
            try:
                act(actor)
            except EditError:
                continue
            phases = [phase for frame in now(pipeline).layout.frames for phase in frame.stages]
            assert len(phases) == len(set(phases))
            assert set(phases) <= now(pipeline).stages_by_phase.keys()
        last = now(Pipeline.objects.get(pk=pipeline.pk))
        while undo_edit(**actor):
            pass
        assert now(pipeline) == first
        while redo_edit(**actor):
            pass
        assert now(pipeline) == last


def _all_at(at: Position, phases: list[str]) -> dict[str, Position]:
    return dict.fromkeys(phases, at)


def _acts():
    few = st.sampled_from(FEW)
    some = st.lists(few, min_size=1, max_size=3)
    frame = few | st.sampled_from(["frame-1", "frame-2"])
    at = st.just(Position(x=1, y=2))
    return st.one_of(
        st.builds(
            lambda phases: lambda actor: notes_and_frames.add_frame(**actor, phases=phases), some
        ),
        st.builds(
            lambda phases, key: (
                lambda actor: notes_and_frames.put_in_frame(**actor, phases=phases, key=key)
            ),
            some,
            st.none() | frame,
        ),
        st.builds(
            lambda key: lambda actor: notes_and_frames.rename_frame(**actor, key=key, title="T"),
            frame,
        ),
        st.builds(lambda at: lambda actor: notes_and_frames.add_note(**actor, at=at), at),
        st.builds(
            lambda key: lambda actor: notes_and_frames.write_note(**actor, key=key, text="Hi"), few
        ),
        st.builds(
            lambda phases, notes, frames: (
                lambda actor: topology.delete_parts(
                    **actor, phases=phases, notes=notes, frames=frames
                )
            ),
            some,
            st.lists(few, max_size=2),
            st.lists(frame, max_size=2),
        ),
        st.builds(
            lambda phases, at, key: (
                lambda actor: topology.move_stages(
                    **actor, to=_all_at(at, phases), notes={"a": at}, frame=key
                )
            ),
            some,
            at,
            st.none() | st.just(False) | frame,
        ),
    )

"""Laws of the clipboard: what holds of any selection of any pipeline."""

from django.contrib.auth.models import User
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from designer.canvas.layout import with_positions
from designer.core.edits import redo_edit, undo_edit
from designer.editor.actions.clipboard import (
    PartSelection,
    copy_parts,
    cut_parts,
    duplicate_parts,
    paste_parts,
)
from designer.editor.actions.subgraphs import center_at, extract_subgraph, whole, with_free_keys
from designer.pipelines.actions import create_pipeline, import_definition
from orchestration.definition import PipelineDefinition, Position
from orchestration.loading import load_storable, storage_faults
from tests.designer.editor_requests import now
from tests.orchestration.part_strategies import coordinates
from tests.orchestration.strategies import storable_definitions


@st.composite
def selections(draw: st.DrawFn) -> tuple[PipelineDefinition, PartSelection]:
    """A definition that is drawn, and some of what is in it."""
    definition = with_positions(draw(storable_definitions()))
    layout = definition.layout
    keys = (
        definition.stages_by_phase,
        [note.id for note in layout.notes],
        [frame.id for frame in layout.frames],
    )
    some = [draw(st.sets(st.sampled_from(sorted(of)))) if of else set() for of in keys]
    return definition, PartSelection(*some)


def part_of(definition: PipelineDefinition, selection: PartSelection) -> PipelineDefinition:
    return extract_subgraph(definition, selection.phases, selection.notes, selection.frames)


def added(here: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """The pipeline with an excerpt in it whose keys are free here."""
    layout, more = here.layout, part.layout
    return here.model_copy(
        update={
            "agents": (*here.agents, *part.agents),
            "stages": (*here.stages, *part.stages),
            "transitions": (*here.transitions, *part.transitions),
            "tools": (*here.tools, *part.tools),
            "entry": here.entry or part.entry,
            "layout": layout.model_copy(
                update={
                    "stages": {**layout.stages, **more.stages},
                    "hues": {**layout.hues, **more.hues},
                    "notes": (*layout.notes, *more.notes),
                    "frames": (*layout.frames, *more.frames),
                }
            ),
        }
    )


def taken(here: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """The pipeline after pasting, checked as strictly as a file is."""
    after = added(here, center_at(here, with_free_keys(here, part), None))
    checked = PipelineDefinition.model_validate(after.model_dump())
    assert storage_faults(checked) == ()
    return checked


@given(selections())
def test_what_is_copied_is_a_file_that_can_be_read(selection):
    part = part_of(*selection)
    assert load_storable(part.dump()) == part
    assert whole(part) == part


@given(selections())
def test_pasted_into_an_empty_pipeline_it_is_what_was_selected(selection):
    part = part_of(*selection)
    empty = PipelineDefinition(name=part.name, topology=part.topology)
    assert taken(empty, part) == part


@given(selections(), storable_definitions())
def test_pasting_again_and_again_meets_nothing_that_is_there(selection, here):
    part, here = part_of(*selection), with_positions(here)
    for _ in range(3):
        after = taken(here, part)
        new = set(after.stages_by_phase) - set(here.stages_by_phase)
        assert len(new) == len(part.stages)
        assert len(after.layout.notes) == len(here.layout.notes) + len(part.layout.notes)
        for phase, stage in here.stages_by_phase.items():
            assert after.stages_by_phase[phase] == stage
        for key, agent in here.agents_by_id.items():
            assert after.agents_by_id[key] == agent
        here = after


@given(selections())
def test_agents_come_into_a_pipeline_that_has_them_not_again(selection):
    definition, selection = selection
    after = taken(definition, part_of(definition, selection))
    assert after.agents == definition.agents
    assert after.tools == definition.tools


@given(selections(), coordinates(), coordinates())
def test_wherever_it_is_put_it_keeps_its_shape(selection, x, y):
    part = part_of(*selection)
    put = center_at(PipelineDefinition(name="Empty"), part, Position(x=x, y=y))
    was, is_now = part.layout.stages, put.layout.stages
    gaps = {
        (round(at.x - was[phase].x, 3), round(at.y - was[phase].y, 3))
        for phase, at in is_now.items()
    }
    assert len(gaps) <= 1


class TestThroughRows(TestCase):
    """The same through the database, each example in a transaction of its own."""

    def setup_example(self):
        super().setup_example()
        self.user = User.objects.create(username="ada")

    @given(selections())
    @settings(max_examples=8)
    def test_undo_takes_back_what_the_clipboard_did_and_redo_does_it_again(self, selection):
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
    def test_what_was_copied_arrives_in_the_rows_of_an_empty_pipeline(self, selection):
        part = part_of(*selection)
        if not part.stages and not part.layout.notes:
            return
        pipeline = create_pipeline(user=self.user, name="Empty")
        paste_parts(pipeline=pipeline, user=self.user, part=load_storable(part.dump()))
        there = now(pipeline)
        named = {"name": part.name, "topology": part.topology}
        assert there.model_copy(update=named) == part

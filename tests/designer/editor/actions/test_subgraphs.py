"""Properties of subgraphs: they hold for any selection of any pipeline."""

from hypothesis import given

from designer.canvas.layout import with_positions
from designer.editor.actions.subgraphs import (
    extract_all,
    place_part,
    with_free_keys,
)
from orchestration.definition import PipelineDefinition, Position
from orchestration.loading import load_storable, storage_faults
from tests.designer.part_selections import part_of, selections
from tests.orchestration.part_strategies import coordinates
from tests.orchestration.strategies import storable_definitions


def with_part(here: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """Return the pipeline with the parts of a subgraph whose keys are free."""
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


def pasted(here: PipelineDefinition, part: PipelineDefinition) -> PipelineDefinition:
    """Return the pipeline after pasting, validated like a file."""
    after = with_part(here, place_part(here, with_free_keys(here, part), None))
    checked = PipelineDefinition.model_validate(after.model_dump())
    assert storage_faults(checked) == ()
    return checked


@given(selections())
def test_a_copy_is_a_valid_file(selection):
    part = part_of(*selection)
    assert load_storable(part.dump()) == part
    assert extract_all(part) == part


@given(selections())
def test_a_copy_pasted_into_an_empty_pipeline_equals_the_selection(selection):
    part = part_of(*selection)
    empty = PipelineDefinition(name=part.name, topology=part.topology)
    assert pasted(empty, part) == part


@given(selections(), storable_definitions())
def test_repeated_pasting_changes_no_existing_part(selection, here):
    part, here = part_of(*selection), with_positions(here)
    for _ in range(3):
        after = pasted(here, part)
        new = set(after.stages_by_phase) - set(here.stages_by_phase)
        assert len(new) == len(part.stages)
        assert len(after.layout.notes) == len(here.layout.notes) + len(part.layout.notes)
        for phase, stage in here.stages_by_phase.items():
            assert after.stages_by_phase[phase] == stage
        for key, agent in here.agents_by_id.items():
            assert after.agents_by_id[key] == agent
        here = after


@given(selections())
def test_existing_agents_and_tools_are_not_pasted_again(selection):
    definition, selection = selection
    after = pasted(definition, part_of(definition, selection))
    assert after.agents == definition.agents
    assert after.tools == definition.tools


@given(selections(), coordinates(), coordinates())
def test_a_placed_subgraph_keeps_its_shape(selection, x, y):
    part = part_of(*selection)
    placed = place_part(PipelineDefinition(name="Empty"), part, Position(x=x, y=y))
    was, is_now = part.layout.stages, placed.layout.stages
    gaps = {
        (round(at.x - was[phase].x, 3), round(at.y - was[phase].y, 3))
        for phase, at in is_now.items()
    }
    assert len(gaps) <= 1

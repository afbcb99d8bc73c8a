"""Selections of parts of random definitions."""

from __future__ import annotations

from hypothesis import strategies as st

from designer.canvas.layout import with_positions
from designer.editor.actions.clipboard import PartSelection
from designer.editor.actions.subgraphs import extract_subgraph
from orchestration.definition import PipelineDefinition
from tests.orchestration.strategies import storable_definitions


@st.composite
def selections(draw: st.DrawFn) -> tuple[PipelineDefinition, PartSelection]:
    """Generate a definition with positions, and a selection of its parts."""
    definition = with_positions(draw(storable_definitions()))
    layout = definition.layout
    keys = (
        definition.stages_by_phase,
        [note.id for note in layout.notes],
        [frame.id for frame in layout.frames],
    )
    keys_selected = [draw(st.sets(st.sampled_from(sorted(of)))) if of else set() for of in keys]
    return definition, PartSelection(*keys_selected)


def part_of(definition: PipelineDefinition, selection: PartSelection) -> PipelineDefinition:
    """Return the subgraph of a selection."""
    return extract_subgraph(definition, selection.phases, selection.notes, selection.frames)

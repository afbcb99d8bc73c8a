"""Application of patches to definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from pydantic import ValidationError

from designer.definitions import apply_patch
from designer.definitions.patches import Patch, Settings
from orchestration.definition import (
    MAX_STAGES,
    Agent,
    Frame,
    Layout,
    PipelineDefinition,
    Position,
    Stage,
)
from tests.orchestration.strategies import storable_definitions

DEFINITION = PipelineDefinition(
    name="P",
    agents=(Agent(id="clerk", name="Clerk"),),
    stages=(Stage(phase="a"), Stage(phase="b")),
    layout=Layout(
        stages={"a": Position(x=1, y=2)},
        hues={"clerk": 3},
        frames=(Frame(id="f", title="Both", stages=("a", "b")),),
    ),
)


@given(storable_definitions(), storable_definitions())
def test_a_patched_definition_equals_the_definition_that_the_patch_leads_to(old, new):
    patched = apply_patch(old, Patch.between(old, new))
    assert patched == new
    assert patched.dump() == new.dump()
    assert patched.transitions_from == new.transitions_from


def test_parts_outside_of_the_patch_are_shared_with_the_old_definition():
    patched = apply_patch(DEFINITION, Patch(stages={"c": Stage(phase="c")}))
    assert [stage.phase for stage in patched.stages] == ["a", "b", "c"]
    assert patched.agents is DEFINITION.agents
    assert patched.layout is DEFINITION.layout


def test_a_deleted_stage_leaves_the_layout_and_its_frame():
    layout = apply_patch(DEFINITION, Patch(stages={"a": None})).layout
    assert layout.stages == {}
    assert layout.frames == (Frame(id="f", title="Both", stages=("b",)),)


def test_a_frame_without_stages_is_removed():
    assert apply_patch(DEFINITION, Patch(stages={"a": None, "b": None})).layout.frames == ()


def test_a_stage_that_joins_a_frame_leaves_its_old_frame():
    patch = Patch(frames={"g": Frame(id="g", title="New", stages=("b",))})
    frames = apply_patch(DEFINITION, patch).layout.frames
    assert {frame.id: frame.stages for frame in frames} == {"f": ("a",), "g": ("b",)}


def test_layout_of_a_missing_part_is_ignored():
    patch = Patch(positions={"nowhere": Position(x=9, y=9)}, hues={"nobody": 9})
    assert apply_patch(DEFINITION, patch) == DEFINITION


def test_aliases_are_sorted():
    patch = Patch(settings=Settings(aliases={"z": "clerk", "b": "clerk"}))
    assert list(apply_patch(DEFINITION, patch).aliases) == ["b", "z"]


def test_too_many_parts_are_refused():
    stages = {f"s{number}": Stage(phase=f"s{number}") for number in range(MAX_STAGES)}
    with pytest.raises(ValidationError, match="stages"):
        apply_patch(DEFINITION, Patch(stages=stages))

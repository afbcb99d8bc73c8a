"""Patches: differences of definitions."""

from __future__ import annotations

import pytest
from hypothesis import given

from designer.definitions.patches import Patch, Settings, transition_key
from orchestration.definition import Note, PipelineDefinition, Position, Stage, Transition
from tests.orchestration.strategies import storable_definitions

OLD = PipelineDefinition(
    name="P",
    stages=(Stage(phase="a"), Stage(phase="b")),
    transitions=(Transition(source="a", target="b"),),
)


def test_a_patch_between_two_definitions_contains_only_the_differences() -> None:
    new = OLD.model_copy(update={"stages": (Stage(phase="a"), Stage(phase="c")), "name": "Q"})
    patch = Patch.between(OLD, new)
    assert patch.stages == {"b": None, "c": Stage(phase="c")}
    assert patch.settings.touched == {"name": "Q"}
    assert patch.model_fields_set == {"stages", "settings"}


def test_a_patch_between_equal_definitions_is_empty() -> None:
    patch = Patch.between(OLD, OLD.model_copy(deep=True))
    assert not patch
    assert patch.dump() == {}


@given(storable_definitions())
def test_the_patch_of_a_definition_contains_all_of_it(definition: PipelineDefinition) -> None:
    assert Patch.of(definition).definition() == definition


def test_a_transition_is_found_by_its_two_phases() -> None:
    assert Patch.of(OLD).transitions == {transition_key("a", "b"): OLD.transitions[0]}


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (Patch(positions={"a": Position(x=1, y=2)}), True),
        (Patch(notes={"n": Note(id="n", text="Ask", x=1, y=2)}), True),
        (Patch(settings=Settings(supervisor_position=Position(x=1, y=2))), True),
        (Patch(settings=Settings(name="Q")), False),
        (Patch(stages={"a": None}, positions={"a": None}), False),
    ],
)
def test_only_positions_excludes_all_that_rules_examine(patch: Patch, *, expected: bool) -> None:
    assert patch.only_positions is expected


def test_the_json_of_a_patch_contains_absent_parts_and_set_fields_only() -> None:
    patch = Patch(stages={"a": None}, settings=Settings(entry=None))
    assert patch.dump() == {"stages": {"a": None}, "settings": {"entry": None}}
    assert Patch.model_validate(patch.dump()) == patch

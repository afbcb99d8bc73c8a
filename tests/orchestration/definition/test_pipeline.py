"""Definitions: immutable values in canonical order."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestration.definition import (
    Agent,
    Layout,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)
from tests.orchestration.strategies import storable_definitions


@given(storable_definitions(), st.randoms(use_true_random=False))
def test_the_dump_does_not_depend_on_the_order_of_the_parts(
    definition: PipelineDefinition, random: Random
) -> None:
    def shuffled(value: list[Any]) -> list[Any]:
        return random.sample(value, len(value))

    def reordered(entries: dict[str, Any]) -> dict[str, Any]:
        return dict(shuffled(list(entries.items())))

    parts = reordered(json.loads(definition.dump()))
    for name in ("agents", "stages", "transitions", "rules", "tools"):
        parts[name] = shuffled(parts.get(name, []))
    parts["aliases"] = reordered(parts.get("aliases", {}))
    for stage in parts["stages"]:
        if dependencies := stage.get("group", {}).get("dependencies"):
            stage["group"]["dependencies"] = {
                member: shuffled(needed) for member, needed in reordered(dependencies).items()
            }
    arrange: dict[str, Any] = {
        "stages": reordered,
        "hues": reordered,
        "notes": shuffled,
        "frames": lambda frames: shuffled(
            [frame | {"stages": shuffled(frame["stages"])} for frame in frames]
        ),
        "supervisor": dict,
    }
    layout = parts.get("layout", {})
    parts["layout"] = {name: arrange[name](part) for name, part in layout.items()}
    again = PipelineDefinition.model_validate(parts)
    assert again == definition
    assert again.dump() == definition.dump()


def test_next_comes_before_returns_in_transitions_from() -> None:
    definition = PipelineDefinition(
        name="Order",
        transitions=(
            Transition(source="review", target="handling", kind="return"),
            Transition(source="review", target="resolution"),
        ),
    )
    assert [each.kind for each in definition.transitions_from["review"]] == ["next", "return"]


def test_a_changed_copy_has_its_own_cached_properties() -> None:
    old = PipelineDefinition(name="Old", stages=(Stage(phase="intake"),))
    assert set(old.stages_by_phase) == {"intake"}
    new = old.model_copy(update={"stages": (Stage(phase="review"),)})
    assert set(new.stages_by_phase) == {"review"}
    assert set(old.stages_by_phase) == {"intake"}


def test_cached_properties_do_not_change_equality() -> None:
    first = PipelineDefinition(name="Same", agents=(Agent(id="a", name="A"),))
    other = PipelineDefinition(name="Same", agents=(Agent(id="a", name="A"),))
    assert first.agents_by_id["a"].name == "A"
    assert first == other
    assert first.dump() == other.dump()


def test_without_layout_removes_only_the_layout() -> None:
    layout = Layout(stages={"intake": Position(x=1, y=2)}, hues={"a": 3})
    drawn = PipelineDefinition(name="Drawn", stages=(Stage(phase="intake"),), layout=layout)
    assert drawn.without_layout() == PipelineDefinition(
        name="Drawn", stages=(Stage(phase="intake"),)
    )


def test_default_values_are_not_written() -> None:
    assert json.loads(PipelineDefinition(name="Bare").dump()) == {
        "format": "baton.pipeline",
        "version": 1,
        "name": "Bare",
    }


def test_a_definition_cannot_be_changed_in_place() -> None:
    definition = PipelineDefinition(name="Fixed")
    with pytest.raises(ValidationError, match="frozen"):
        definition.name = "Other"  # type: ignore[misc]

"""What a definition is: a value in canonical order."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestration.definition import (
    Agent,
    Frame,
    Layout,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)
from orchestration.loading import load
from tests.orchestration.strategies import storable_definitions


@given(storable_definitions(), st.randoms(use_true_random=False))
def test_the_dump_is_the_same_whatever_order_the_parts_came_in(
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
        if wanted := stage.get("group", {}).get("dependencies"):
            stage["group"]["dependencies"] = {
                member: shuffled(needed) for member, needed in reordered(wanted).items()
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


def test_a_file_contains_the_language_of_an_agent_only_if_there_is_one() -> None:
    plain = PipelineDefinition(name="Desk", agents=(Agent(id="a", name="A"),))
    assert json.loads(plain.dump())["agents"] == [{"id": "a", "name": "A"}]
    agent = Agent(id="a", name="A", language="French")
    spoken = PipelineDefinition(name="Desk", agents=(agent,))
    assert json.loads(spoken.dump())["agents"][0]["language"] == "French"
    assert load(spoken.dump()) == spoken


def test_next_comes_before_returns_among_the_ways_on() -> None:
    definition = PipelineDefinition(
        name="Ways",
        transitions=(
            Transition(source="review", target="handling", kind="return"),
            Transition(source="review", target="resolution"),
        ),
    )
    assert [way.kind for way in definition.transitions_from["review"]] == ["next", "return"]


def test_a_changed_copy_forgets_what_was_derived_from_the_old_value() -> None:
    old = PipelineDefinition(name="Old", stages=(Stage(phase="intake"),))
    assert set(old.stages_by_phase) == {"intake"}
    new = old.model_copy(update={"stages": (Stage(phase="review"),)})
    assert set(new.stages_by_phase) == {"review"}
    assert set(old.stages_by_phase) == {"intake"}


def test_looking_things_up_does_not_change_what_a_definition_equals() -> None:
    one = PipelineDefinition(name="Same", agents=(Agent(id="a", name="A"),))
    other = PipelineDefinition(name="Same", agents=(Agent(id="a", name="A"),))
    assert one.agents_by_id["a"].name == "A"
    assert one == other
    assert one.dump() == other.dump()


def test_the_engine_gets_the_pipeline_undrawn() -> None:
    layout = Layout(stages={"intake": Position(x=1, y=2)}, hues={"a": 3})
    drawn = PipelineDefinition(name="Drawn", stages=(Stage(phase="intake"),), layout=layout)
    assert drawn.without_layout() == PipelineDefinition(
        name="Drawn", stages=(Stage(phase="intake"),)
    )


def test_whole_pixels_are_written_as_whole_numbers() -> None:
    layout = Layout(stages={"intake": Position(x=60, y=-12.5)})
    written = json.loads(PipelineDefinition(name="Drawn", layout=layout).dump())
    assert repr(written["layout"]["stages"]["intake"]) == "{'x': 60, 'y': -12.5}"


def test_what_is_left_at_its_default_is_not_written() -> None:
    assert json.loads(PipelineDefinition(name="Bare").dump()) == {
        "format": "baton.pipeline",
        "version": 1,
        "name": "Bare",
    }


def test_a_definition_cannot_be_changed_in_place() -> None:
    definition = PipelineDefinition(name="Fixed")
    with pytest.raises(ValidationError, match="frozen"):
        definition.name = "Other"  # type: ignore[misc]


@pytest.mark.parametrize("key", ["", "-a", "a-", "A", "a b", "ä", "a" * 65, "a\n"])
def test_a_key_is_a_slug_a_person_can_read(key: str) -> None:
    with pytest.raises(ValidationError):
        Stage(phase=key)


@pytest.mark.parametrize("key", ["a", "agent-triage", "x_1", "0", "a" * 64])
def test_slugs_of_up_to_64_characters_are_keys(key: str) -> None:
    assert Stage(phase=key).phase == key


def test_a_definition_names_a_provider_and_has_no_place_for_its_key() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Agent.model_validate({"id": "a", "name": "A", "api_key": "secret"})


def test_a_layout_without_stages_leaves_no_empty_frame() -> None:
    frames = (
        Frame(id="both", title="Both", stages=("b", "a")),
        Frame(id="one", title="One", stages=("c",)),
    )
    left = Layout(frames=frames).without_stages({"a", "c"})
    assert left.frames == (Frame(id="both", title="Both", stages=("b",)),)

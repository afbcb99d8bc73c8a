"""Changed parts of two definitions."""

import pytest
from hypothesis import given

from orchestration.definition import (
    Agent,
    Layout,
    Limits,
    PipelineDefinition,
    Position,
    Rule,
    Stage,
    Tool,
    Transition,
)
from orchestration.difference import ABSENT, PartChange, ValueChange, difference, share_parts
from tests.orchestration.strategies import definitions

BEFORE = PipelineDefinition(
    name="Desk",
    entry="intake",
    agents=(Agent(id="a", name="A", instructions="Be kind."),),
    stages=(Stage(phase="intake", agent_id="a"), Stage(phase="bills", agent_id="a")),
    transitions=(Transition(source="intake", target="bills"),),
    tools=(Tool(name="look", parameters={"type": "object", "properties": {"n": {}}}),),
)


def changed(**values: object) -> tuple[PartChange, ...]:
    return difference(BEFORE, BEFORE.model_copy(update=values)).changes


@given(definitions(), definitions())
def test_a_difference_applied_to_the_first_gives_the_second(before, after):
    changes = difference(before, after)
    assert changes.apply(before).plays_like(after)
    assert bool(changes) != before.plays_like(after)


@given(definitions(), definitions())
def test_a_definition_with_shared_parts_is_the_same(before, after):
    assert share_parts(before, after) == before


def test_equal_parts_are_shared():
    """So a later comparison does not look into them."""
    later = BEFORE.model_validate(BEFORE.model_dump() | {"rules": [{"id": "r", "agent_id": "a"}]})
    shared = share_parts(BEFORE, later)
    assert shared == BEFORE
    assert shared.transitions is later.transitions
    bills, intake = later.stages
    edited = later.model_copy(update={"stages": (Stage(phase="bills"), intake)})
    assert share_parts(shared, edited).stages[1] is intake
    assert share_parts(shared, edited).stages[0] is bills
    assert [change.key for change in difference(shared, edited).changes] == ["bills", "r"]


def test_the_layout_is_no_difference():
    moved = BEFORE.model_copy(update={"layout": Layout(stages={"intake": Position(x=9, y=9)})})
    assert not difference(BEFORE, moved)


@pytest.mark.parametrize("base", [Agent, Stage, Transition, Rule, Tool])
def test_a_new_field_of_a_part_is_reported(base):
    """A field that the comparison does not know differs like any other."""

    class Extended(base):  # type: ignore[misc,valid-type]
        mood: str = ""

    needed = {
        Agent: {"id": "a", "name": "A"},
        Stage: {"phase": "intake"},
        Transition: {"source": "intake", "target": "bills"},
        Rule: {"id": "r", "agent_id": "a"},
        Tool: {"name": "look"},
    }[base]
    field = {Agent: "agents", Stage: "stages", Transition: "transitions", Rule: "rules"}
    name = field.get(base, "tools")
    old = BEFORE.model_copy(update={name: (Extended(**needed),)})
    new = BEFORE.model_copy(update={name: (Extended(**needed, mood="good"),)})
    [change] = difference(old, new).changes
    assert change.mark == "changed"
    assert change.values == (ValueChange("mood", "", "good"),)


def test_a_new_field_of_the_definition_is_reported():
    class Extended(PipelineDefinition):
        mood: str = ""

    values = {name: getattr(BEFORE, name) for name in type(BEFORE).model_fields}
    [change] = difference(Extended(**values), Extended(**values, mood="good")).changes
    assert (change.kind, change.key, change.after) == ("setting", "mood", "good")


def test_values_are_compared_by_their_path():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    [change] = changed(tools=(Tool(name="look", description="Look.", parameters=schema),))
    assert change.values == (
        ValueChange("description", "", "Look."),
        ValueChange("parameters.properties.n.type", ABSENT, "integer"),
    )
    [change] = changed(limits=Limits(max_turns=3))
    assert (change.kind, change.key) == ("setting", "limits")
    assert change.values == (ValueChange("max_turns", 24, 3),)


def test_parts_are_added_and_removed():
    [removed, added] = sorted(
        changed(stages=(BEFORE.stages_by_phase["intake"], Stage(phase="new"))),
        key=lambda change: change.mark != "removed",
    )
    assert (removed.mark, removed.key, removed.values) == ("removed", "bills", ())
    assert (added.mark, added.key, added.values) == ("added", "new", ())


def test_a_transition_with_another_target_is_one_change():
    [change] = changed(transitions=(Transition(source="intake", target="other"),))
    assert (change.mark, change.key, change.previous_key) == (
        "retargeted",
        "intake>other",
        "intake>bills",
    )
    assert change.values == (ValueChange("target", "bills", "other"),)

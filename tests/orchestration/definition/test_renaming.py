"""Agents, stages and transitions with other ids."""

from __future__ import annotations

from orchestration.definition import (
    Agent,
    Cue,
    CueCall,
    CueHandoff,
    Group,
    Stage,
    Transition,
)
from orchestration.definition.renaming import renamed_agent, renamed_stage, renamed_transition

NAMES = {"a": "desk-a", "b": "desk-b", "intake": "start"}


def test_an_agent_and_the_places_in_its_cues_are_renamed():
    cue = Cue(
        when=("b",),
        after_handoff_from="b",
        in_phase="intake",
        say="To b.",
        call=CueCall(tool="a"),
        hand_over=CueHandoff(target="b", phase="intake", reason="b"),
    )
    agent = Agent(id="a", name="a", instructions="Ask b.", cues=(cue,))
    assert renamed_agent(agent, NAMES) == Agent(
        id="desk-a",
        name="a",
        instructions="Ask b.",
        cues=(
            Cue(
                when=("b",),
                after_handoff_from="desk-b",
                in_phase="start",
                say="To b.",
                call=CueCall(tool="a"),
                hand_over=CueHandoff(target="desk-b", phase="start", reason="b"),
            ),
        ),
    )


def test_a_stage_and_its_agent_are_renamed():
    stage = Stage(phase="intake", agent_id="a", description="intake")
    assert renamed_stage(stage, NAMES) == Stage(
        phase="start", agent_id="desk-a", description="intake"
    )
    assert renamed_stage(Stage(phase="intake"), NAMES) == Stage(phase="start")


def test_the_members_of_a_group_and_their_dependencies_are_renamed():
    group = Group(agents=("b", "c", "a"), parallel=False, dependencies={"a": ("b", "c"), "c": ()})
    renamed = renamed_stage(Stage(phase="panel", kind="group", group=group), NAMES).group
    assert renamed is not None
    assert (renamed.agents, renamed.parallel) == (("desk-b", "c", "desk-a"), False)
    assert renamed.dependencies == {"desk-a": ("desk-b", "c"), "c": ()}


def test_the_ends_of_a_transition_are_renamed():
    way = Transition(source="intake", target="review", kind="return", description="intake")
    assert renamed_transition(way, NAMES | {"review": "check"}) == Transition(
        source="start", target="check", kind="return", description="intake"
    )


def test_other_ids_stay():
    cue = Cue(hand_over=CueHandoff(target="human"))
    agent = Agent(id="x", name="X", cues=(cue, Cue(after_handoff_from="y", in_phase="z")))
    stage = Stage(phase="z", kind="group", group=Group(agents=("x", "y")))
    way = Transition(source="y", target="z")
    assert renamed_agent(agent, NAMES) == agent
    assert renamed_stage(stage, NAMES) == stage
    assert renamed_transition(way, NAMES) == way

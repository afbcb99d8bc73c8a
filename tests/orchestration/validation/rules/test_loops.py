"""Rules about loops: cycles without an end, dead ends, pairs."""

from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation import errors, validate
from tests.orchestration.sound_pipeline import (
    SOUND,
    codes,
    only_issue,
    sound,
    value_at,
    with_more,
    workflow,
)


def test_a_loop_with_a_transition_out_of_it_is_valid() -> None:
    transitions = {
        (transition["source"], transition["target"]) for transition in SOUND["transitions"]
    }
    assert {("handling", "review"), ("review", "handling"), ("review", "desk")} <= transitions
    assert validate(sound()) == ()


def test_a_closed_loop_is_a_warning() -> None:
    transitions = [
        transition for transition in SOUND["transitions"] if transition["target"] != "desk"
    ]
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    issues = validate(sound(transitions=transitions, stages=stages))
    assert [(issue.code, issue.where.keys) for issue in issues] == [
        ("loop-closed", ("handling", "review")),
        ("dead-end", ("intake",)),
    ]
    assert errors(issues) == ()
    assert "the loop of 'handling' and 'review'" in issues[0].message


def test_a_loop_with_the_human_is_valid() -> None:
    definition = with_more("transitions", {"source": "desk", "target": "intake", "kind": "return"})
    assert validate(definition) == ()


def test_a_stage_that_leads_only_to_itself_is_a_closed_loop() -> None:
    definition = sound(
        stages=[{"phase": "intake", "agent_id": "triage"}],
        agents=[{"id": "triage", "name": "Triage"}],
        transitions=[{"source": "intake", "target": "intake"}],
        rules=[],
        aliases={},
        supervisor_id=None,
    )
    issue = only_issue(definition)
    assert issue.code == "loop-closed"
    assert "leads only to itself" in issue.message


def test_a_terminal_stage_is_not_a_dead_end() -> None:
    definition = sound(stages=[*SOUND["stages"][:3]], transitions=SOUND["transitions"][:2])
    assert validate(definition) == ()


def test_all_transitions_of_a_dead_end_lead_into_loops() -> None:
    definition = sound(
        stages=[
            *SOUND["stages"],
            {"phase": "maze", "agent_id": "triage"},
            {"phase": "spin", "agent_id": "triage"},
        ],
        transitions=[
            *SOUND["transitions"],
            {"source": "intake", "target": "maze", "kind": "return"},
            {"source": "maze", "target": "spin"},
            {"source": "spin", "target": "spin"},
        ],
    )
    assert [(issue.code, issue.where.keys) for issue in validate(definition)] == [
        ("loop-closed", ("spin",)),
        ("dead-end", ("maze",)),
    ]


def test_a_cycle_in_a_workflow_never_ends() -> None:
    """Contract H-3."""
    circle = [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "handling"},
    ]
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    issue = only_issue(workflow(stages=stages, transitions=circle))
    assert (issue.code, issue.severity) == ("loop-endless", "error")
    assert issue.where.keys == ("handling", "review")
    assert "delete one of the transitions between them" in issue.message


def test_a_stage_of_a_workflow_that_follows_itself_never_ends() -> None:
    """Contract H-3."""
    itself = {"source": "review", "target": "review"}
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    issue = only_issue(workflow(stages=stages, transitions=[*SOUND["transitions"][:2], itself]))
    assert (issue.code, issue.where.keys) == ("loop-endless", ("review",))
    assert "follows itself" in issue.message


def test_a_cycle_of_a_workflow_with_the_human_is_valid() -> None:
    """Contract H-3."""
    follows = [*SOUND["transitions"][:3], {"source": "desk", "target": "intake"}]
    assert validate(workflow(transitions=follows)) == ()


def test_a_loop_of_a_swarm_is_valid() -> None:
    """Contract S-1: a swarm is a loop of agents and ends with any answer."""
    peers = ["intake", "handling", "review"]
    transitions = [
        {"source": source, "target": target, "kind": "return"}
        for source in peers
        for target in peers
        if source != target
    ]
    stages = [stage for stage in SOUND["stages"] if stage["phase"] in peers]
    swarm = {"stages": stages, "transitions": transitions, "limits": {"max_handoffs": 1}}
    assert validate(sound(topology="swarm", **swarm)) == ()
    assert codes(sound(**swarm)) == ["loop-closed"]


def with_back_and_forth(**changes: Any) -> PipelineDefinition:
    """Return a definition in which review and handling name each other as next."""
    return sound(
        transitions=[
            {"source": "intake", "target": "handling"},
            {"source": "handling", "target": "review"},
            {"source": "review", "target": "handling"},
            {"source": "review", "target": "desk", "kind": "return"},
        ],
        **changes,
    )


def test_two_stages_that_name_each_other_as_next_are_a_warning() -> None:
    definition = with_back_and_forth()
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("ping-pong", "warning")
    assert issue.where.keys == ("review", "handling")
    assert value_at(definition, issue.where.path) == "next"
    assert "make the transition from 'review' to 'handling' a return" in issue.message


def test_the_transition_towards_the_entry_should_be_the_return() -> None:
    issue = only_issue(
        sound(
            stages=[
                {"phase": "zero", "agent_id": "triage"},
                {"phase": "alpha", "agent_id": "handler"},
                {"phase": "desk", "kind": "human"},
                {"phase": "review", "agent_id": "reviewer"},
            ],
            entry="zero",
            transitions=[
                {"source": "zero", "target": "alpha"},
                {"source": "alpha", "target": "zero"},
                {"source": "zero", "target": "review", "kind": "return"},
                {"source": "alpha", "target": "desk", "kind": "return"},
            ],
        )
    )
    assert (issue.code, issue.where.keys) == ("ping-pong", ("alpha", "zero"))


def test_a_return_to_the_previous_stage_is_valid() -> None:
    assert validate(sound()) == ()


def test_a_closed_pair_is_only_a_closed_loop() -> None:
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    transitions = [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "handling"},
    ]
    assert codes(sound(stages=stages, transitions=transitions)) == ["loop-closed", "dead-end"]

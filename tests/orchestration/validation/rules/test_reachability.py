"""The rules about where the transitions lead."""

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


def test_stages_that_cannot_be_reached_are_all_named() -> None:
    definition = with_more(
        "stages",
        {"phase": "attic", "agent_id": "triage"},
        {"phase": "cellar", "agent_id": "triage"},
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("stage-unreachable", "warning")
    assert issue.where.keys == ("attic", "cellar")
    assert value_at(definition, issue.where.path)["phase"] == "attic"
    assert "the stages 'attic' and 'cellar'" in issue.message


def test_a_loop_that_something_leads_out_of_is_fine() -> None:
    ways = {(way["source"], way["target"]) for way in SOUND["transitions"]}
    assert {("handling", "review"), ("review", "handling"), ("review", "desk")} <= ways
    assert validate(sound()) == ()


def test_a_loop_that_nothing_leads_out_of_is_a_warning() -> None:
    ways = [way for way in SOUND["transitions"] if way["target"] != "desk"]
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    issues = validate(sound(transitions=ways, stages=stages))
    assert [(issue.code, issue.where.keys) for issue in issues] == [
        ("loop-closed", ("handling", "review")),
        ("dead-end", ("intake",)),
    ]
    assert errors(issues) == ()
    assert "the loop of 'handling' and 'review'" in issues[0].message


def test_a_loop_in_which_the_human_answers_is_fine() -> None:
    definition = with_more("transitions", {"source": "desk", "target": "intake", "kind": "return"})
    assert validate(definition) == ()


def test_a_stage_that_leads_only_to_itself_is_a_loop_without_a_way_out() -> None:
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


def test_a_stage_with_no_way_on_is_an_end_and_no_dead_end() -> None:
    definition = sound(stages=[*SOUND["stages"][:3]], transitions=SOUND["transitions"][:2])
    assert validate(definition) == ()


def test_a_dead_end_has_ways_on_that_lead_only_into_loops() -> None:
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


def test_a_run_may_make_the_handoffs_of_the_shortest_way_to_an_end() -> None:
    assert validate(sound(limits={"max_handoffs": 3})) == ()
    issue = only_issue(sound(limits={"max_handoffs": 2}))
    assert (issue.code, issue.severity) == ("max-handoffs-low", "warning")
    assert "needs 3 handoffs" in issue.message
    assert "allows 2" in issue.message


def test_a_stage_that_routing_begins_in_needs_no_transition_to_it() -> None:
    definition = with_more("stages", {"phase": "attic", "agent_id": "handler"})
    assert validate(definition) == ()
    assert codes(definition.model_copy(update={"rules": ()})) == ["stage-unreachable"]


def test_a_workflow_without_faults_has_no_issues() -> None:
    """Contract H-3."""
    assert validate(workflow()) == ()


def test_a_workflow_that_goes_round_in_a_circle_never_ends() -> None:
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


def test_a_workflow_that_the_human_takes_up_again_comes_to_rest_there() -> None:
    """Contract H-3."""
    follows = [*SOUND["transitions"][:3], {"source": "desk", "target": "intake"}]
    assert validate(workflow(transitions=follows)) == ()


def test_a_return_in_a_workflow_is_never_taken() -> None:
    """Contract H-3."""
    definition = workflow(transitions=SOUND["transitions"])
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("transition-unused", "warning")
    assert (issue.where.kind, issue.where.keys) == ("transition", ("review", "handling"))
    assert value_at(definition, issue.where.path)["kind"] == "return"


def test_in_a_workflow_a_return_reaches_no_stage_and_routing_neither() -> None:
    """Contract H-3."""
    back = {"source": "review", "target": "attic", "kind": "return"}
    attic = {"phase": "attic", "agent_id": "handler"}
    definition = workflow(
        stages=[*SOUND["stages"], attic],
        transitions=[*SOUND["transitions"][:3], back],
        rules=SOUND["rules"],
    )
    issues = {issue.code: issue for issue in validate(definition)}
    assert issues.keys() == {"stage-unreachable", "transition-unused", "rule-unused"}
    assert issues["stage-unreachable"].message == (
        "The entry 'intake' does not lead to the stage 'attic'."
    )


def test_a_workflow_makes_no_handoffs_that_could_be_too_many() -> None:
    """Contract H-3."""
    assert validate(workflow(limits={"max_handoffs": 0})) == ()


def test_every_peer_of_a_swarm_may_have_the_last_word() -> None:
    """Contract S-1: a loop of peers is what a swarm is, and ends with any answer."""
    peers = ["intake", "handling", "review"]
    ways = [
        {"source": source, "target": target, "kind": "return"}
        for source in peers
        for target in peers
        if source != target
    ]
    stages = [stage for stage in SOUND["stages"] if stage["phase"] in peers]
    swarm = {"stages": stages, "transitions": ways, "limits": {"max_handoffs": 1}}
    assert validate(sound(topology="swarm", **swarm)) == ()
    assert codes(sound(**swarm)) == ["loop-closed"]

"""The rules about where the transitions lead."""

from orchestration.validation import errors, validate
from tests.orchestration.soundness import SOUND, codes, only_issue, sound, value_at, with_more


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
    assert "takes 3 handoffs" in issue.message
    assert "may make 2" in issue.message


def test_a_stage_that_routing_begins_in_needs_no_transition_to_it() -> None:
    definition = with_more("stages", {"phase": "attic", "agent_id": "handler"})
    assert validate(definition) == ()
    assert codes(definition.model_copy(update={"rules": ()})) == ["stage-unreachable"]

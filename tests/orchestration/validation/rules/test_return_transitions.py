"""The rules about ways that go back and forth, agents that serve twice, and the way to a human."""

from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import SOUND, codes, only_issue, sound, value_at, with_more


def with_back_and_forth(**changes: Any) -> PipelineDefinition:
    """Review and handling name each other as next, and both lead elsewhere too."""
    return sound(
        transitions=[
            {"source": "intake", "target": "handling"},
            {"source": "handling", "target": "review"},
            {"source": "review", "target": "handling"},
            {"source": "review", "target": "desk", "kind": "return"},
        ],
        **changes,
    )


def test_two_stages_that_name_each_other_as_next_are_a_warning_at_the_way_back() -> None:
    definition = with_back_and_forth()
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("ping-pong", "warning")
    assert issue.where.keys == ("review", "handling")
    assert value_at(definition, issue.where.path) == "next"
    assert "make the transition from 'review' to 'handling' a return" in issue.message


def test_the_way_back_is_the_one_towards_the_entry() -> None:
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


def test_a_return_to_the_stage_before_is_no_ping_pong() -> None:
    assert validate(sound()) == ()


def test_a_pair_that_nothing_leads_out_of_is_a_closed_loop_only() -> None:
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    ways = [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "handling"},
    ]
    assert codes(sound(stages=stages, transitions=ways)) == ["loop-closed", "dead-end"]


def test_from_where_no_human_can_be_reached_is_said_where_no_agent_may_call_one() -> None:
    aside = {"phase": "aside", "agent_id": "triage"}
    last = {"phase": "last", "agent_id": "triage"}
    definition = sound(
        allow_human=False,
        stages=[*SOUND["stages"], aside, last],
        transitions=[
            *SOUND["transitions"],
            {"source": "intake", "target": "aside", "kind": "return"},
            {"source": "aside", "target": "last"},
        ],
    )
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("human-unreachable", "warning")
    assert issue.where.keys == ("aside",)
    assert codes(definition.model_copy(update={"allow_human": True})) == []


def test_a_pipeline_without_a_human_misses_none() -> None:
    stages = [stage for stage in SOUND["stages"] if stage["phase"] != "desk"]
    ways = SOUND["transitions"][:2]
    assert codes(sound(allow_human=False, stages=stages, transitions=ways)) == []


def test_a_stage_that_leads_to_two_of_one_agent_is_a_warning() -> None:
    definition = with_more(
        "stages",
        {"phase": "second-look", "agent_id": "reviewer"},
    )
    ways = [
        *SOUND["transitions"],
        {"source": "handling", "target": "second-look", "kind": "return"},
    ]
    definition = definition.model_copy(update={"transitions": sound(transitions=ways).transitions})
    issue = only_issue(PipelineDefinition.model_validate(definition.model_dump()))
    assert (issue.code, issue.severity) == ("agent-twice", "warning")
    assert issue.where.keys == ("handling",)
    assert value_at(definition, issue.where.path)["phase"] == "handling"
    assert "leads to 'review' and 'second-look', all served by 'Reviewer'" in issue.message


def test_a_handoff_with_a_tool_of_its_own_says_which_stage_is_meant() -> None:
    schema = {"type": "object", "properties": {"why": {"type": "string"}}}
    definition = sound(
        stages=[*SOUND["stages"], {"phase": "second-look", "agent_id": "reviewer"}],
        transitions=[
            *SOUND["transitions"],
            {
                "source": "handling",
                "target": "second-look",
                "kind": "return",
                "input_schema": schema,
            },
        ],
    )
    assert validate(definition) == ()

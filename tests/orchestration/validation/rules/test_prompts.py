"""Rule about targets of handoffs in instructions."""

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import SOUND, only_issue, sound, value_at, workflow


def told(agent_id: str, instructions: str, **changes: object) -> PipelineDefinition:
    """Return a valid definition with these instructions of an agent."""
    agents = [
        agent | {"instructions": instructions if agent["id"] == agent_id else "Be kind."}
        for agent in SOUND["agents"]
    ]
    return sound(agents=agents, **changes)


@pytest.mark.parametrize(
    "instructions",
    [
        "Be kind. Then hand over to Reviewer.",
        "When it is done, hand the customer over to the reviewer, and rest.",
        "Transfer the whole case to “Reviewer”.",
        "Escalates to review at once",
        "Pass it on to\treviewer",
        "Send it back to `review`.",
    ],
)
def test_an_unreachable_target_in_instructions_is_a_warning(instructions: str) -> None:
    definition = told("triage", instructions)
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("prompt-way-missing", "warning")
    assert issue.where.keys == ("triage",)
    assert value_at(definition, issue.where.path) == instructions
    assert issue.message.lower().startswith(
        "the instructions of 'triage' tell it to hand over to 'review"
    )
    assert "from 'intake'" in issue.message


@pytest.mark.parametrize(
    "instructions",
    [
        "Hand over to Handler.",  # the next
        "Hand over to handling when the order is known.",
        "Ask for a review, and say that the reviewer is kind.",  # nobody is handed over
        "Send the invoice to the customer.",  # nobody of this pipeline
        "Escalate to the desk if all else fails.",  # a human may always be called
        "Pass the time. To reviewers we say nothing.",  # a sentence ends between the two
        "Hand over to Triage.",  # itself
    ],
)
def test_reachable_targets_and_other_sentences_are_valid(instructions: str) -> None:
    assert validate(told("triage", instructions)) == ()


def test_the_human_is_unreachable_without_direct_calls() -> None:
    issues = validate(told("triage", "Escalate to the desk.", allow_human=False))
    assert [issue.code for issue in issues] == ["prompt-way-missing"]
    assert "'desk'" in issues[0].message


def test_the_longest_matching_name_is_the_target() -> None:
    definition = sound(
        agents=[
            {"id": "triage", "name": "Triage", "instructions": "Hand over to Handler Two."},
            *(agent | {"instructions": "Be kind."} for agent in SOUND["agents"][1:]),
            {"id": "two", "name": "Handler Two", "instructions": "Be kind."},
        ],
        stages=[*SOUND["stages"], {"phase": "second", "agent_id": "two"}],
        transitions=[
            *SOUND["transitions"],
            {"source": "review", "target": "second", "kind": "return"},
        ],
    )
    assert "'Handler Two'" in only_issue(definition).message


def test_instructions_of_routed_agents_are_not_checked() -> None:
    assert validate(told("handler", "Hand over to Triage.")) == ()


def test_without_handoffs_instructions_are_not_checked() -> None:
    agents = [
        SOUND["agents"][0] | {"instructions": "Hand over to the reviewer."},
        *(agent | {"instructions": "Be kind."} for agent in SOUND["agents"][1:]),
    ]
    assert validate(workflow(agents=agents)) == ()

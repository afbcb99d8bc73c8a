"""Every issue is explained, has an example that shows it, and where it has a fix that mends it."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from orchestration import validation
from orchestration.definition import PipelineDefinition
from orchestration.loading import storage_faults
from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from orchestration.validation.issues import json_path, path_steps
from orchestration.validation.rule_list import HELP
from orchestration.validation.sketches import sketch
from tests.orchestration.sound_pipeline import SOUND, team
from tests.orchestration.strategies import definitions

EXAMPLES = {code: rule.example for code, rule in HELP.items()}

FOLDER = Path(validation.__file__).parent

# What a person has to decide, so that nothing is offered.
WITHOUT_A_FIX = {
    "agent-duplicate",
    "agent-reserved",
    "agent-twice",
    "comparison-invalid",
    "comparison-unknown",
    "condition-invalid",
    "dead-end",
    "filter-invalid",
    "http-address-wrong",
    "http-argument-unused",
    "http-key-shown",
    "input-schema-invalid",
    "loop-closed",
    "loop-endless",
    "mcp-server-missing",
    "rule-duplicate",
    "stage-agent-unknown",
    "stage-duplicate",
    "stages-missing",
    "subtask-unnamed",
    "team-leaderless",
    "team-worker-human",
    "tool-duplicate",
}


def codes_in_the_rules() -> set[str]:
    """The codes that the modules of rules write down."""
    told = {"examples.py", "explanations.py", "fixes.py"}
    sources = (path.read_text() for path in FOLDER.rglob("*.py") if path.name not in told)
    pattern = re.compile(r'(?:error|warning)"?[(,]\s*"([a-z]+(?:-[a-z]+)+)"')
    return {code for source in sources for code in pattern.findall(source)}


def test_every_code_has_an_explanation_and_an_example() -> None:
    found = codes_in_the_rules()
    assert len(found) > 50
    assert HELP.keys() == found


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_example_shows_the_issue_and_little_else(code: str) -> None:
    found = [issue.code for issue in validate(EXAMPLES[code])]
    assert code in found
    assert len(found) <= 2, found


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_fix_mends_the_example_and_breaks_nothing(code: str) -> None:
    example = EXAMPLES[code]
    issues = validate(example)
    issue = next(issue for issue in issues if issue.code == code)
    fix = find_fix(example, issue)
    assert (fix is None) == (code in WITHOUT_A_FIX)
    if fix is None:
        return
    assert fix.title
    others = {issue.code for issue in issues} - {code}
    assert {left.code for left in validate(apply_fix(example, fix))} <= others


def test_a_fix_changes_a_copy_and_only_what_the_issue_points_to() -> None:
    example = EXAMPLES["ping-pong"]
    (issue,) = validate(example)
    fix = find_fix(example, issue)
    assert fix is not None
    mended = apply_fix(example, fix)
    assert example == EXAMPLES["ping-pong"]
    changed = [
        (was.source, was.target, now.kind)
        for was, now in zip(example.transitions, mended.transitions, strict=True)
        if was != now
    ]
    assert changed == [("review", "intake", "return")]
    assert mended.model_copy(update={"transitions": example.transitions}) == example


def test_the_entry_offered_is_the_first_that_nothing_leads_to_wherever_it_stands() -> None:
    example = EXAMPLES["entry-missing"]
    places = {"intake": {"x": 500, "y": 0}, "review": {"x": 0, "y": 0}}
    data = example.model_dump() | {"layout": {"stages": places}}
    definition = PipelineDefinition.model_validate(data)
    (issue,) = validate(definition)
    fix = find_fix(definition, issue)
    assert fix is not None
    assert fix.title == "Begin at intake"


def test_no_way_is_offered_that_nobody_would_take() -> None:
    definition = sketch("write > check, check > write, other > check", topology="workflow")
    issue = next(one for one in validate(definition) if one.code == "stage-unreachable")
    assert find_fix(definition, issue) is None


def test_a_new_agent_gets_a_key_that_nobody_has() -> None:
    example = EXAMPLES["stage-agentless"]
    taken = {"id": "agent-review", "name": "Somebody"}
    data = example.model_dump() | {"agents": [*example.model_dump()["agents"], taken]}
    definition = PipelineDefinition.model_validate(data)
    issue = next(one for one in validate(definition) if one.code == "stage-agentless")
    fix = find_fix(definition, issue)
    assert fix is not None
    assert apply_fix(definition, fix).stages_by_phase["review"].agent_id == "agent-review-2"


@given(definitions())
def test_a_fix_of_anything_mends_it_or_says_why_not(definition: PipelineDefinition) -> None:
    for issue in validate(definition)[:5]:
        fix = find_fix(definition, issue)
        if fix is not None:
            try:
                mended = apply_fix(definition, fix)
            except ValidationError:
                continue
            assert mended != definition
            if not storage_faults(definition):  # no two parts have one name
                assert issue not in validate(mended)
                assert not storage_faults(mended)


def test_an_agent_that_is_deleted_takes_along_all_that_leads_to_it() -> None:
    bored = {"id": "bored", "name": "Bored"}
    rules = [
        {"id": f"to-{agent}-{number}", "agent_id": agent, "conditions": {"intents": ["refund"]}}
        for number, agent in enumerate(["bored", "bored", SOUND["agents"][0]["id"], "bored"])
    ]
    definition = team(
        agents=[*SOUND["agents"], bored],
        rules=rules,
        aliases={"lazy": "bored"},
        default_agent_id="bored",
        layout={"hues": {"bored": 200}},
    )
    issue = next(one for one in validate(definition) if one.code == "agent-idle")
    fix = find_fix(definition, issue)
    assert fix is not None
    mended = apply_fix(definition, fix)
    assert "bored" not in mended.model_dump_json().replace("to-bored", "")
    assert [rule.agent_id for rule in mended.rules] == [SOUND["agents"][0]["id"]]


@given(st.lists(st.text() | st.integers(min_value=0, max_value=99)))
def test_a_path_can_be_read_back(steps: list[str | int]) -> None:
    assert path_steps(json_path(*steps)) == tuple(steps)

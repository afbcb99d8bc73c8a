"""Fixes of issues."""

from hypothesis import given
from pydantic import ValidationError

from orchestration.definition import PipelineDefinition
from orchestration.loading import storage_faults
from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from orchestration.validation.rule_list import HELP
from tests.orchestration.sound_pipeline import SOUND, team
from tests.orchestration.strategies import definitions


def test_a_fix_changes_only_the_value_of_the_issue_in_a_copy() -> None:
    example = HELP["ping-pong"].example
    (issue,) = validate(example)
    fix = find_fix(example, issue)
    assert fix is not None
    mended = apply_fix(example, fix)
    assert example == HELP["ping-pong"].example
    changed = [
        (was.source, was.target, now.kind)
        for was, now in zip(example.transitions, mended.transitions, strict=True)
        if was != now
    ]
    assert changed == [("review", "intake", "return")]
    assert mended.model_copy(update={"transitions": example.transitions}) == example


def test_the_fix_of_a_missing_entry_ignores_the_layout() -> None:
    example = HELP["entry-missing"].example
    places = {"intake": {"x": 500, "y": 0}, "review": {"x": 0, "y": 0}}
    data = example.model_dump() | {"layout": {"stages": places}}
    definition = PipelineDefinition.model_validate(data)
    (issue,) = validate(definition)
    fix = find_fix(definition, issue)
    assert fix is not None
    assert fix.title == "Begin at intake"


def test_a_new_agent_has_an_unused_id() -> None:
    example = HELP["stage-agentless"].example
    taken = {"id": "agent-review", "name": "Somebody"}
    data = example.model_dump() | {"agents": [*example.model_dump()["agents"], taken]}
    definition = PipelineDefinition.model_validate(data)
    issue = next(one for one in validate(definition) if one.code == "stage-agentless")
    fix = find_fix(definition, issue)
    assert fix is not None
    assert apply_fix(definition, fix).stages_by_phase["review"].agent_id == "agent-review-2"


@given(definitions())
def test_a_fix_of_any_definition_removes_its_issue(definition: PipelineDefinition) -> None:
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


def test_deleting_an_idle_agent_removes_all_references() -> None:
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

"""Fixes of issues."""

from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from orchestration.definition import PipelineDefinition
from orchestration.loading import storage_faults
from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from orchestration.validation.rule_list import HELP
from tests.orchestration.sound_pipeline import SOUND, sound
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
            assert fix.is_repair == all(action != "remove" for action, _, _ in fix.steps)
            if not storage_faults(definition):  # no two parts have one name
                assert issue not in validate(mended)
                assert not storage_faults(mended)


def fixed(code: str, definition: PipelineDefinition) -> tuple[str, PipelineDefinition]:
    """Return the title of the fix of the first issue with this code, and the result."""
    issue = next(one for one in validate(definition) if one.code == code)
    fix = find_fix(definition, issue)
    assert fix is not None
    mended = apply_fix(definition, fix)
    assert code not in {one.code for one in validate(mended)}
    return fix.title, mended


def with_cue(**cue: object) -> PipelineDefinition:
    """Return a sound pipeline in which the agent of the first stage has a cue."""
    return with_cues(cue)


def with_cues(*cues: dict[str, object]) -> PipelineDefinition:
    """Return a sound pipeline in which the agent of the first stage has these cues."""
    first, *others = SOUND["agents"]
    return sound(agents=[first | {"cues": cues}, *others])


@pytest.mark.parametrize(
    ("code", "cue", "title"),
    [
        ("cue-target-unknown", {"hand_over": {"target": "handlr"}}, "Use “Handler”"),
        ("cue-target-unknown", {"hand_over": {"target": "handlin"}}, "Use “handling”"),
        ("cue-target-unknown", {"hand_over": {"target": "zebra"}}, "Delete the cue"),
        ("cue-tool-unknown", {"call": {"tool": "lookup"}}, "Give the agent the tool"),
        ("cue-tool-unknown", {"say": "Hi", "call": {"tool": "zebra"}}, "Remove the call"),
        ("cue-tool-unknown", {"call": {"tool": "zebra"}}, "Delete the cue"),
        ("cue-never", {"say": "Hi", "after_handoff_from": "reviewr"}, "Use “Reviewer”"),
        ("cue-never", {"say": "Hi", "after_handoff_from": "zebra"}, "Remove the condition"),
        ("cue-never", {"say": "Hi", "in_phase": "intak"}, "Use “intake”"),
    ],
)
def test_a_cue_is_repaired_before_it_is_deleted(code: str, cue: Any, title: str) -> None:
    assert fixed(code, with_cue(**cue))[0] == title


def test_a_cue_below_one_that_matches_every_message_moves_above_it() -> None:
    cues: list[dict[str, object]] = [
        {"say": "Hello", "when": ["hello"]},
        {"say": "What is it about?"},
        {"say": "Back again", "after_handoff_from": "reviewer"},
        {"say": "A refund", "when": ["refund"]},
    ]
    title, mended = fixed("cue-never", with_cues(*cues))
    assert title == "Move it above cue 2"
    said = [cue.say for cue in mended.agents_by_id[SOUND["agents"][0]["id"]].cues]
    assert said == ["Hello", "A refund", "What is it about?", "Back again"]
    assert validate(mended) == ()


def test_an_idle_agent_gives_its_stage_its_own_name() -> None:
    title, _ = fixed("agent-idle", sound(agents=[*SOUND["agents"], {"id": "a", "name": "A"}]))
    assert title == "Add the stage “a”"
    numbered = {"id": "agent-1", "name": "Agent 1"}
    title, _ = fixed("agent-idle", sound(agents=[*SOUND["agents"], numbered]))
    assert title == "Add the stage “stage”"


def test_an_agent_with_a_shared_name_gets_the_next_free_number() -> None:
    first, second, third = SOUND["agents"][:3]
    names = [first["name"], first["name"], f"{first['name']} 2"]
    agents = [
        agent | {"name": name} for agent, name in zip((first, second, third), names, strict=True)
    ]
    title, mended = fixed("agent-name-shared", sound(agents=agents + SOUND["agents"][3:]))
    assert title == f"Rename it to “{first['name']} 3”"
    assert len({agent.name for agent in mended.agents}) == len(mended.agents)


def test_an_idle_agent_gets_a_stage_after_the_entry() -> None:
    idle = {"id": "agent-spare", "name": "Spare"}
    title, mended = fixed("agent-idle", sound(agents=[*SOUND["agents"], idle]))
    assert title == "Add the stage “spare”"
    assert mended.stages_by_phase["spare"].agent_id == "agent-spare"
    assert ("intake", "spare", "return") in {
        (edge.source, edge.target, edge.kind) for edge in mended.transitions
    }


def test_a_shadowed_rule_moves_before_all_rules_that_hide_it() -> None:
    rules = [
        {"id": "all", "agent_id": "handler", "priority": 1},
        {
            "id": "bills",
            "agent_id": "handler",
            "conditions": {"intents": ["a", "b"]},
            "priority": 2,
        },
        {"id": "sms", "agent_id": "reviewer", "conditions": {"intents": ["a"]}, "priority": 3},
    ]
    definition = sound(rules=[rules[0], rules[2]])
    title, mended = fixed("rule-shadowed", definition)
    assert title == "Move it up"
    assert [rule.id for rule in mended.rules] == ["sms", "all"]
    issues = [one for one in validate(sound(rules=rules)) if one.where.keys == ("sms",)]
    fix = find_fix(sound(rules=rules), issues[0])
    assert fix is not None
    assert apply_fix(sound(rules=rules), fix).rules[0].id == "sms"


def test_one_of_two_equal_rules_is_deleted() -> None:
    rules = [{"id": name, "agent_id": "handler"} for name in ("one", "two")]
    title, mended = fixed("rule-shadowed", sound(rules=rules))
    assert (title, [rule.id for rule in mended.rules]) == ("Delete the rule", ["one"])


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("rule-agent-unknown", {"rules": [{"id": "r", "agent_id": "handlr"}]}),
        ("default-agent-unknown", {"default_agent_id": "handlr"}),
        ("alias-unknown", {"aliases": {"money": "handlr"}}),
        (
            "stage-agent-unknown",
            {"stages": [{"phase": "intake", "agent_id": "handlr"}, *SOUND["stages"][1:]]},
        ),
    ],
)
def test_an_unknown_agent_is_replaced_by_the_most_similar(
    code: str, changes: dict[str, Any]
) -> None:
    assert fixed(code, sound(**changes))[0] == "Use “Handler”"

"""Rules about the supervision of a pipeline."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.validation import validate
from orchestration.validation.fixes import apply_fix, find_fix
from tests.orchestration.sound_pipeline import SOUND, sound

USUAL = {"ask_at": ["handoff"], "may": ["note"]}


def issues_of(**changes: Any) -> list[tuple[str, str]]:
    return [(issue.code, issue.where.path) for issue in validate(sound(**changes))]


def test_the_usual_supervision_has_no_issue() -> None:
    assert issues_of(supervision=USUAL) == []


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        (
            {"supervision": USUAL, "supervisor_id": None, "agents": SOUND["agents"][:3]},
            "supervision-unused",
            "$.supervision",
        ),
        ({"supervision": {"may": ["note"]}}, "supervision-unused", "$.supervision.ask_at"),
        (
            {"supervision": {"ask_at": ["run_end"]}},
            "supervision-without-action",
            "$.supervision.may",
        ),
        (
            {"supervision": USUAL | {"max_calls": 9}, "limits": {"max_calls": 8}},
            "supervision-limit-high",
            "$.supervision.max_calls",
        ),
        (
            {"supervision": USUAL, "supervisor_id": "reviewer", "agents": SOUND["agents"][:3]},
            "supervisor-serves-stage",
            "$.supervisor_id",
        ),
    ],
)
def test_a_supervision_that_cannot_work_is_a_warning(
    changes: dict[str, Any], code: str, path: str
) -> None:
    assert issues_of(**changes) == [(code, path)]


def test_an_observer_that_serves_a_stage_is_allowed() -> None:
    agents = SOUND["agents"][:3]
    assert issues_of(supervisor_id="reviewer", supervision=None, agents=agents) == []


def test_the_fix_of_an_unknown_supervisor_also_ends_its_supervision() -> None:
    definition = sound(supervision=USUAL, supervisor_id="nobody", agents=SOUND["agents"][:3])
    (issue,) = validate(definition)
    fix = find_fix(definition, issue)
    assert fix is not None
    fixed = apply_fix(definition, fix)
    assert (fixed.supervisor_id, fixed.supervision) == (None, None)
    assert not validate(fixed)


def supervisor_with(cue: dict[str, Any]) -> list[dict[str, Any]]:
    *others, watcher = SOUND["agents"]
    return [*others, watcher | {"cues": [cue]}]


@pytest.mark.parametrize(
    "cue",
    [
        {"call": {"tool": "note", "arguments": {"text": "Be kind."}}},
        {"in_phase": "review", "say": "Fine."},
        {"hand_over": {"target": "human"}},
        {"hand_over": {"target": "handler"}},
    ],
)
@pytest.mark.parametrize("topology", ["pipeline", "swarm"])
def test_cues_of_a_supervisor_may_use_its_actions(cue: dict[str, Any], topology: str) -> None:
    supervision = {"ask_at": ["handoff"], "may": ["note", "redirect", "escalate"]}
    agents = supervisor_with(cue)
    assert issues_of(agents=agents, supervision=supervision, topology=topology) == []


@pytest.mark.parametrize(
    ("cue", "path"),
    [
        ({"call": {"tool": "pause"}}, "$.agents[3].cues[0].call.tool"),
        ({"hand_over": {"target": "human"}}, "$.agents[3].cues[0].hand_over"),
        ({"hand_over": {"target": "handler"}}, "$.agents[3].cues[0].hand_over"),
    ],
)
def test_a_cue_with_an_action_that_is_not_allowed_is_a_warning(
    cue: dict[str, Any], path: str
) -> None:
    issues = issues_of(agents=supervisor_with(cue), supervision=USUAL)
    assert issues == [("cue-tool-unknown", path)]

"""Stages of a pipeline, with one agent or the human for each."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.interchange.roomkit.stages import room_stages
from tests.orchestration.interchange.roomkit.exported import calls, kept
from tests.orchestration.sound_pipeline import SOUND, sound, with_transition


def test_stages_become_pipeline_stages() -> None:
    stages = {each["phase"]: each for each in calls(sound(), "PipelineStage")}
    assert stages["review"] == {
        "phase": "review",
        "agent_id": "reviewer",
        "next": "desk",
        "can_return_to": {"handling"},
    }
    assert stages["desk"] == {"phase": "desk", "agent_id": "human"}
    (pipeline,) = calls(sound(), "ConversationPipeline")
    assert pipeline["default_phase"] == "intake"


@pytest.mark.parametrize(
    ("keep", "memory"),
    [({"keep": "last", "count": 3}, "history(3)"), ({"keep": "summary"}, "history(1)")],
)
def test_a_filter_becomes_a_window(keep: dict[str, Any], memory: str) -> None:
    definition = with_transition("review", "handling", input_filter=keep)
    agents = {each["0"]: each["memory"] for each in calls(definition, "Agent")}
    assert agents["handler"] == "history()"  # another transition keeps all messages
    transitions = [
        each for each in definition.model_dump()["transitions"] if each["target"] != "handling"
    ]
    transitions += [{"source": "intake", "target": "handling", "input_filter": keep}]
    one = sound(transitions=transitions)
    assert {each["0"]: each["memory"] for each in calls(one, "Agent")}["handler"] == memory
    part = "Filter to a summary" if keep["keep"] == "summary" else "Filter of the last messages"
    assert kept(one)[part, "intake → handling"] == "code"
    assert kept(definition)[part, "review → handling"] == "lost"


def test_a_group_is_a_stage_of_its_first_member() -> None:
    stages = [{"phase": "intake", "kind": "group", "group": {"agents": ["gone", "triage"]}}]
    definition = sound(stages=stages, transitions=[], entry="intake")
    assert calls(definition, "PipelineStage") == [{"phase": "intake", "agent_id": "triage"}]
    assert kept(definition)["Groups", "intake"] == "comment"


@pytest.mark.parametrize(
    ("changes", "first", "default"),
    [
        ({}, "intake", "triage"),
        ({"default_agent_id": "reviewer"}, "review", "reviewer"),
        ({"default_agent_id": "watcher"}, "intake", "watcher"),  # it serves no stage
        ({"default_agent_id": "gone"}, "intake", "triage"),
        ({"entry": "handling"}, "handling", "handler"),
        ({"entry": "desk"}, "intake", None),  # the first phase of RoomKit
        ({"entry": "gone"}, "intake", None),
        ({"stages": [{"phase": "a", "agent_id": "gone"}]}, "intake", None),
    ],
)
def test_the_first_phase_is_that_of_the_agent_that_answers_first(
    changes: dict[str, Any], first: str, default: str | None
) -> None:
    stages = room_stages(sound(**changes))
    assert (stages.first_phase, stages.default_agent) == (first, default)


def test_a_stage_without_an_existing_agent_and_its_transitions_are_left_out() -> None:
    stages = [
        each | ({"agent_id": "gone"} if each["phase"] == "review" else {})
        for each in SOUND["stages"]
    ]
    found = room_stages(sound(stages=stages))
    assert {each["phase"] for each in found.values} == {"intake", "handling", "desk"}
    assert found.written == {("intake", "handling")}


def test_only_an_agent_of_one_stage_has_the_description_of_its_stage() -> None:
    described = [each | {"description": f"The {each['phase']}."} for each in SOUND["stages"]]
    once = room_stages(sound(stages=described))
    assert once.description_of("reviewer") == "The review."
    second = {"phase": "again", "agent_id": "reviewer", "description": "Again."}
    twice = room_stages(sound(stages=[*described, second]))
    assert twice.description_of("reviewer") is None
    assert twice.description_of("watcher") is None

"""Support of single parts in a project for the OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from orchestration.interchange.openai_agents.support import exceptions
from tests.orchestration.sound_pipeline import SOUND, sound, team


def kept(part: str, **changes: Any) -> dict[str, str]:
    """The forms of the features of a part that differ from the usual ones."""
    found = exceptions(sound(**changes))
    return {feature: each.kept for (feature, place), each in found.items() if place == part}


def test_every_part_of_a_sound_pipeline_has_the_usual_support() -> None:
    assert exceptions(sound()) == {}


def test_a_transition_to_a_missing_stage_is_lost_with_its_details() -> None:
    lost = kept("intake → gone", transitions=[{"source": "intake", "target": "gone"}])
    assert {"transition", "kind", "description", "typed", "filter_last"} <= lost.keys()
    assert set(lost.values()) == {"lost"}


def test_a_second_next_stage_is_a_handoff_but_not_next() -> None:
    transitions = [*SOUND["transitions"], {"source": "intake", "target": "review"}]
    assert kept("intake → review", transitions=transitions) == {"kind": "lost"}
    assert kept("intake → handling", transitions=transitions) == {}


def test_a_team_keeps_descriptions_of_delegations_only() -> None:
    transitions = [
        {"source": "intake", "target": "handling"},
        {"source": "handling", "target": "review"},
        {"source": "review", "target": "intake", "kind": "return"},
    ]
    found = exceptions(team(transitions=transitions))
    lost = {
        place: {feature for feature, each in found if each == place}
        for place in ("intake → handling", "handling → review", "review → intake")
    }
    assert {"typed", "filter_cel"} <= lost["intake → handling"]
    assert not {"transition", "description"} & lost["intake → handling"]
    assert "description" in lost["handling → review"]
    assert "transition" not in lost["handling → review"]
    assert {"transition", "kind", "description"} <= lost["review → intake"]


def test_a_transition_of_a_workflow_is_kept_without_its_details() -> None:
    lost = kept("intake → handling", topology="workflow")
    assert {"description", "typed", "filter_no_tools"} <= lost.keys()
    assert not {"transition", "kind"} & lost.keys()


def test_agents_and_tools_that_the_sdk_cannot_keep_whole_are_code_or_lost() -> None:
    agents = [
        {"id": "triage", "name": "Triage", "provider": "mistral"},
        {"id": "handler", "name": "Handler", "tools": ["lookup", "gone"]},
    ]
    tools = [
        {"name": "lookup", "kind": "mcp", "approval": True, "mcp": {"connection": "docs"}},
        {"name": "plain", "http": {"url": "/x"}},
    ]
    found = exceptions(sound(agents=agents, tools=tools))
    assert {place: each.kept for place, each in found.items()} == {
        ("shared_agent", "reviewer"): "lost",
        ("agent", "handler"): "code",
        ("model_settings", "triage"): "code",
        ("approval", "lookup"): "code",
        ("function_tool", "plain"): "code",
    }
    assert found["model_settings", "triage"].differs

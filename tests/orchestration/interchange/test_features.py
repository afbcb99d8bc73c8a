"""Features of a definition: the parts that have them."""

from __future__ import annotations

from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange import FEATURE_KEYS, FEATURES
from orchestration.interchange.features import is_supervised, pair
from tests.orchestration.sound_pipeline import sound, team, with_more, with_transition, workflow


def values(key: str, definition: PipelineDefinition) -> dict[str, object]:
    """The values of the feature with this key."""
    (feature,) = [each for each in FEATURES if each.key == key]
    return dict(feature.values(definition))


def test_an_empty_draft_has_no_feature() -> None:
    draft = PipelineDefinition(name="Empty")
    assert [each.key for each in FEATURES if each.places(draft)] == []
    assert len(set(FEATURE_KEYS)) == len(FEATURE_KEYS)


def test_each_transition_has_its_kind() -> None:
    branch = {"source": "intake", "target": "desk", "kind": "return"}
    assert values("kind", with_more("transitions", branch)) == {
        "intake → handling": "next",
        "intake → desk": "return",
        "handling → review": "next",
        "review → desk": "next",
        "review → handling": "return",
    }


def test_an_agent_of_a_stage_and_of_a_group_is_shared() -> None:
    group = {"phase": "checks", "kind": "group", "group": {"agents": ["triage", "watcher"]}}
    assert values("shared_agent", with_more("stages", group)) == {"triage": 2}
    assert values("shared_agent", sound()) == {}


@pytest.mark.parametrize(
    ("keep", "key"),
    [
        ({"keep": "no_tools"}, "filter_no_tools"),
        ({"keep": "last", "count": 3}, "filter_last"),
        ({"keep": "summary"}, "filter_summary"),
        ({"keep": "matching", "expression": "true"}, "filter_cel"),
    ],
)
def test_a_filter_is_one_feature_of_its_transition(keep: dict[str, Any], key: str) -> None:
    definition = with_transition("review", "desk", input_filter=keep)
    found = {each.key: each.places(definition) for each in FEATURES if "filter" in each.key}
    assert {name: places for name, places in found.items() if places} == {key: ["review → desk"]}
    assert pair(definition.transitions_from["review"][0]) == "review → desk"


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({}, set()),
        ({"temperature": 0.0}, {"model_settings"}),
        ({"tool_choice": "required"}, {"model_settings"}),
        ({"retries": 2}, {"reserve"}),
        ({"fallback_model": "small"}, {"reserve"}),
        ({"fallback": "openai"}, {"reserve"}),
        ({"time_limit": 5}, {"reserve"}),
    ],
)
def test_only_settings_other_than_the_defaults_are_features(
    settings: dict[str, Any], keys: set[str]
) -> None:
    definition = sound(agents=[{"id": "triage", "name": "T", **settings}])
    found = {key for key in ("model_settings", "reserve") if values(key, definition)}
    assert found == keys


def test_a_supervisor_is_called_only_if_it_exists_and_has_moments() -> None:
    asked = {"ask_at": ["handoff"]}
    assert is_supervised(sound(supervision=asked))
    assert not is_supervised(sound(supervision=asked, supervisor_id="gone"))
    assert not is_supervised(sound(supervision={"ask_at": []}))
    assert not is_supervised(sound())
    assert not is_supervised(sound(supervision=asked, supervisor_id=None))


def test_agents_call_the_human_only_where_they_hand_over() -> None:
    assert values("call_human", sound())
    assert not values("call_human", sound(allow_human=False))
    assert not values("call_human", sound(stages=[]))
    assert not values("call_human", workflow()) | values("call_human", team())

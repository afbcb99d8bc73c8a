"""Module `route.py`: the rules of a definition as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from orchestration.definition import PipelineDefinition
from orchestration.interchange.project import route_module, uses_routing
from tests.orchestration.sound_pipeline import sound, team, with_more, workflow


def router_of(definition: PipelineDefinition) -> Any:
    """The router of the module, which is run."""
    names: dict[str, Any] = {}
    exec(route_module(definition), names)  # noqa: S102
    return names["ROUTER"]


def test_a_rule_keeps_its_conditions() -> None:
    conditions = {
        "intents": ["bill"],
        "channel_types": [],
        "match": "any",
        "rows": [{"field": "event.text", "operator": "contains", "value": 'it"s'}],
        "custom": "true",
    }
    rule = {"id": "money", "agent_id": "handler", "priority": -3, "conditions": conditions}
    (found,) = router_of(sound(rules=[rule])).rules
    assert (found.id, found.agent, found.priority) == ("money", "handler", -3)
    assert (found.intents, found.channel_types, found.phases) == (["bill"], [], None)
    assert (found.match, found.expression) == ("any", "true")
    (row,) = found.rows
    assert (row.field, row.operator, row.value) == ("event.text", "contains", 'it"s')


def test_a_rule_that_baton_skips_is_a_comment() -> None:
    row = {"field": "state.handoff_count", "operator": "at_least", "value": "many"}
    broken = {"id": "broken", "agent_id": "handler", "conditions": {"rows": [row]}}
    definition = with_more("rules", broken, {"id": "lost", "agent_id": "nobody"})
    assert [each.id for each in router_of(definition).rules] == ["billing"]
    assert "# The rule broken is left out, because Baton skips it: " in route_module(definition)


@pytest.mark.parametrize("made", [workflow, team])
def test_every_message_to_a_workflow_or_a_team_begins_at_the_entry(
    made: Callable[..., PipelineDefinition],
) -> None:
    rules = [{"id": "money", "agent_id": "handler"}]
    definition = made(rules=rules, default_agent_id="reviewer")
    router = router_of(definition)
    assert (router.sticky, router.rules, router.default) == (False, [], "triage")
    assert not uses_routing(definition)


@pytest.mark.parametrize(
    ("changes", "default"),
    [
        ({}, "triage"),
        ({"default_agent_id": "watcher"}, "watcher"),
        ({"default_agent_id": "gone"}, None),
        ({"entry": "desk"}, None),
        ({"entry": "gone"}, None),
    ],
)
def test_the_default_is_the_named_agent_or_that_of_the_entry(
    changes: dict[str, Any], default: str | None
) -> None:
    router = router_of(sound(**changes))
    assert (router.default, router.sticky) == (default, True)


def test_a_stage_with_a_group_is_served_by_itself_and_a_human_stage_by_nobody() -> None:
    group = {"phase": "checks", "kind": "group", "group": {"agents": ["triage"]}}
    second = {"phase": "again", "agent_id": "triage"}
    assert router_of(with_more("stages", group, second)).stages == {
        "triage": ["again", "intake"],
        "checks": ["checks"],
        "handler": ["handling"],
        "reviewer": ["review"],
    }


def test_a_pipeline_without_rules_and_default_agent_needs_no_routing() -> None:
    assert uses_routing(sound())
    assert uses_routing(sound(rules=[], default_agent_id="reviewer"))
    assert not uses_routing(sound(rules=[]))

"""Rule about hidden routing rules."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.definition import PipelineDefinition
from orchestration.messages import InboundMessage
from orchestration.routing import ConversationRouter, RoutingConditions, RoutingRule
from orchestration.state import ConversationState
from orchestration.validation import validate
from tests.orchestration.sound_pipeline import only_issue, sound, value_at, workflow

ROW = {"field": "event.text", "operator": "contains", "value": "refund"}
OTHER_ROW = {"field": "state.channel", "operator": "is", "value": "sms"}


def ruled(*conditions: dict[str, Any]) -> PipelineDefinition:
    """Return a valid definition with routing rules with these conditions, in this order."""
    return sound(
        rules=[
            {"id": f"rule-{place}", "agent_id": "handler", "priority": place, "conditions": asked}
            for place, asked in enumerate(conditions, start=1)
        ]
    )


def hidden(definition: PipelineDefinition) -> list[str]:
    issues = validate(definition)
    return [issue.where.keys[0] for issue in issues if issue.code == "rule-shadowed"]


def test_a_rule_without_conditions_hides_all_later_rules() -> None:
    definition = ruled({}, {"intents": ["billing"]})
    issue = only_issue(definition)
    assert (issue.code, issue.severity) == ("rule-shadowed", "warning")
    assert value_at(definition, issue.where.path)["id"] == "rule-2"
    assert "'rule-2' is never used, because 'rule-1' comes before it" in issue.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"intents": ["a", "b"]}, {"intents": ["a"]}),
        ({"intents": ["a"]}, {"intents": ["a"], "channel_types": ["sms"]}),
        ({"phases": ["intake", "review"]}, {"phases": ["review"], "custom": "true"}),
        ({"custom": "true"}, {"custom": "true", "intents": ["a"]}),
        ({"rows": [ROW]}, {"rows": [ROW, OTHER_ROW]}),
    ],
)
def test_a_rule_with_fewer_conditions_hides_a_later_rule(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert hidden(ruled(first, second)) == ["rule-2"]
    assert hidden(ruled(second, first)) == []


def test_the_second_of_two_equal_rules_is_hidden() -> None:
    rows = [ROW, OTHER_ROW]
    pair = ({"match": "any", "rows": rows}, {"match": "any", "rows": rows[::-1]})
    assert hidden(ruled(*pair)) == ["rule-2"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"intents": ["a"]}, {"intents": ["a", "b"]}),
        ({"intents": ["a"]}, {"channel_types": ["sms"]}),
        ({"custom": "true"}, {"custom": "1 == 1"}),
        ({"rows": [ROW]}, {"match": "any", "rows": [ROW, OTHER_ROW]}),
        ({"intents": []}, {"intents": ["a"]}),
    ],
)
def test_rules_with_other_conditions_are_not_hidden(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert hidden(ruled(first, second)) == []


def test_a_lower_priority_comes_first_in_any_order() -> None:
    first = {"id": "z", "agent_id": "handler", "priority": -1}
    second = {"id": "a", "agent_id": "handler", "conditions": {"intents": ["x"]}}
    assert hidden(sound(rules=[second, first])) == ["a"]


def test_unused_rules_are_not_hidden() -> None:
    rule = {"id": "a", "agent_id": "handler"}
    assert hidden(workflow(rules=[rule, rule | {"id": "b"}])) == []


words = st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True)
asked = st.fixed_dictionaries({}, optional={"intents": words, "channel_types": words})


@given(st.lists(asked, max_size=4), st.sampled_from("abc"), st.sampled_from("abc"))
def test_the_router_never_chooses_a_hidden_rule(
    conditions: list[dict[str, Any]], intent: str, channel: str
) -> None:
    definition = ruled(*conditions)
    router = ConversationRouter(
        rules=[
            RoutingRule(
                rule.agent_id,
                RoutingConditions.from_definition(rule.conditions),
                rule.priority,
                rule.id,
            )
            for rule in definition.rules
        ]
    )
    message = InboundMessage(id="1", text="x", intent=intent, channel_type=channel)
    assert router.select(message, ConversationState()).rule_id not in hidden(definition)

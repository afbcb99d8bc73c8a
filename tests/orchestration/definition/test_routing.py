"""Routing rules and comparisons."""

import pytest
from pydantic import ValidationError

from orchestration.definition import Comparison, Conditions, Rule


@pytest.mark.parametrize(
    ("value", "stored"), [("web", "web"), (3, 3), (["web", "sms", "web"], ("sms", "web"))]
)
def test_a_comparison_has_a_text_a_whole_number_or_a_list(value, stored):
    comparison = Comparison.model_validate({"field": "event.text", "value": value})
    assert (comparison.operator, comparison.value) == ("is", stored)


@pytest.mark.parametrize("value", [None, True, 1.5, {}, [3]])
def test_another_value_of_a_comparison_is_one_error(value):
    with pytest.raises(ValidationError) as raised:
        Comparison.model_validate({"field": "event.text", "value": value})
    assert raised.value.error_count() == 1


def test_sets_of_conditions_are_distinct_and_sorted():
    conditions = Conditions(phases=("b", "a", "b"), intents=())
    assert (conditions.phases, conditions.intents) == (("a", "b"), ())
    assert Rule(id="r", agent_id="a").conditions == Conditions()

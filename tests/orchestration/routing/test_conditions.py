"""Conditions of routing rules."""

import pytest

from orchestration.definition import Comparison, Conditions
from orchestration.exceptions import ConditionError
from orchestration.messages import InboundMessage
from orchestration.routing import (
    CONDITION_VARIABLES,
    RoutingContext,
    cel_condition,
    compile_conditions,
    compile_row,
)
from orchestration.state import ConversationState

EVENT = InboundMessage(
    id="m1",
    text="My Invoice is wrong",
    channel_type="sms",
    intent="Billing",
    metadata={"tier": "gold", "visits": 3},
)
CONTEXT = RoutingContext("s1", messages=4)
STATE = ConversationState(
    phase="handling",
    active_agent_id="agent-billing",
    handoff_count=2,
    variables={"plan": "pro", "customer.name": "Ada"},
)


def row(field: str, operator: str, value: object) -> Comparison:
    return Comparison.model_validate({"field": field, "operator": operator, "value": value})


def holds(**conditions: object) -> bool:
    predicate = compile_conditions(Conditions.model_validate(conditions))
    assert predicate is not None
    return predicate(EVENT, CONTEXT, STATE)


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("event.text", "is", "my INVOICE is wrong", True),
        ("event.text", "is", "my invoice", False),
        ("event.text", "is_not", "my invoice", True),
        ("event.text", "contains", "INVOICE", True),
        ("event.text", "contains", "refund", False),
        ("event.text", "starts_with", "my ", True),
        ("event.text", "starts_with", "invoice", False),
        ("event.text", "ends_with", "WRONG", True),
        ("event.text", "ends_with", "invoice", False),
        ("event.channel_type", "one_of", ["SMS", "voice"], True),
        ("event.channel_type", "one_of", ["web"], False),
        ("event.channel_type", "one_of", [], False),
        ("event.intent", "is", "billing", True),
        ("state.phase", "is", "Handling", True),
        ("state.active_agent_id", "is_not", "agent-triage", True),
        ("state.channel", "is", "same", True),
        ("variables.plan", "one_of", ["Pro", "gold"], True),
        ("variables.unknown", "is", "", True),
        ("state.handoff_count", "is", 2, True),
        ("state.handoff_count", "is", 3, False),
        ("state.handoff_count", "is_not", 3, True),
        ("state.handoff_count", "at_least", 2, True),
        ("state.handoff_count", "at_least", 3, False),
        ("state.handoff_count", "at_most", 2, True),
        ("state.handoff_count", "at_most", 1, False),
        ("conversation.messages", "at_least", "4", True),
        ("conversation.messages", "at_least", "10", False),
        ("conversation.messages", "one_of", ["3", "4"], True),
        ("conversation.messages", "one_of", ["40"], False),
    ],
)
def test_a_row_compares_words_without_their_case_and_numbers_as_numbers(
    field, operator, value, expected
):
    """Contract O-4."""
    assert compile_row(row(field, operator, value))(EVENT, CONTEXT, STATE) is expected


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("is", "", True),
        ("is", "billing", False),
        ("is_not", "billing", True),
        ("contains", "b", False),
        ("starts_with", "b", False),
        ("one_of", ["billing"], False),
    ],
)
@pytest.mark.parametrize("field", ["event.intent", "state.active_agent_id"])
def test_a_missing_value_is_compared_as_an_empty_text(field, operator, value, expected):
    """Contract O-4."""
    predicate = compile_row(row(field, operator, value))
    message = InboundMessage(id="1", text="hi")
    assert predicate(message, RoutingContext(), ConversationState()) is expected


@pytest.mark.parametrize(
    ("field", "operator", "value", "words"),
    [
        ("event.text", "at_least", 3, "event.text is a text: 'at_least' is for numbers"),
        ("state.handoff_count", "contains", "2", "is a number: 'contains' is for texts"),
        ("state.handoff_count", "is", "two", "it cannot be compared with 'two'"),
        ("state.handoff_count", "one_of", ["1", "two"], "it cannot be compared with 'two'"),
        ("state.handoff_count", "at_most", ["1"], "it cannot be compared with"),
        ("event.text", "contains", ["a"], "a list is for 'one_of'"),
    ],
)
def test_an_invalid_row_is_an_error_with_the_reason(field, operator, value, words):
    """Contract O-4."""
    with pytest.raises(ConditionError, match=words):
        compile_row(row(field, operator, value))


TRUE = {"field": "event.text", "operator": "contains", "value": "invoice"}
ALSO_TRUE = {"field": "state.phase", "value": "handling"}
FALSE = {"field": "event.channel_type", "value": "web"}


@pytest.mark.parametrize(
    ("match", "rows", "expected"),
    [
        ("all", [TRUE, ALSO_TRUE], True),
        ("all", [TRUE, FALSE], False),
        ("any", [FALSE, TRUE], True),
        ("any", [FALSE, FALSE], False),
        ("not", [FALSE, FALSE], True),
        ("not", [FALSE, TRUE], False),
    ],
)
def test_all_rows_hold_or_any_or_none(match, rows, expected):
    """Contract O-4."""
    assert holds(match=match, rows=rows) is expected


@pytest.mark.parametrize("match", ["all", "any", "not"])
def test_conditions_without_rows_and_expression_compile_to_nothing(match):
    """Contract O-4."""
    assert compile_conditions(Conditions(match=match)) is None


@pytest.mark.parametrize(
    ("rows", "custom", "expected"),
    [
        ([], "event.metadata.visits == 3", True),
        ([TRUE], "event.metadata.visits == 3", True),
        ([TRUE], "event.metadata.visits == 4", False),
        ([FALSE], "event.metadata.visits == 3", False),
        ([FALSE], "event.metadata.missing == 3", False),
    ],
)
def test_the_expression_is_anded_with_the_rows_and_evaluated_last(rows, custom, expected):
    """Contract O-4."""
    assert holds(rows=rows, custom=custom) is expected


@pytest.mark.parametrize(
    "conditions",
    [
        {"custom": "event.textt == 'x'"},
        {"custom": "event.metadata.missing == 3"},
        {"rows": [TRUE], "custom": "1 +"},
        {"rows": [{"field": "event.text", "operator": "at_least", "value": 3}]},
    ],
)
def test_invalid_conditions_raise_when_they_are_evaluated_not_before(conditions):
    """Contract O-4: a routing error, never a lost message."""
    predicate = compile_conditions(Conditions.model_validate(conditions))
    assert predicate is not None
    with pytest.raises(ConditionError):
        predicate(EVENT, CONTEXT, STATE)


@pytest.mark.parametrize("variable", CONDITION_VARIABLES)
def test_an_expression_reads_every_declared_variable(variable):
    """Contract O-4."""
    expected = {
        "event.id": "'m1'",
        "event.text": "'My Invoice is wrong'",
        "event.channel_type": "'sms'",
        "event.intent": "'Billing'",
        "event.source_channel_id": "null",
        "event.from_agent": "null",
        "event.metadata": "{'tier': dyn('gold'), 'visits': 3}",
        "conversation.id": "'s1'",
        "conversation.messages": "4",
        "state.phase": "'handling'",
        "state.active_agent_id": "'agent-billing'",
        "state.handoff_count": "2",
        "state.channel": "'same'",
        "variables": "{'plan': dyn('pro'), 'customer.name': 'Ada', 'customer': {'name': 'Ada'}}",
    }[variable.name]
    assert cel_condition(f"{variable.name} == {expected}")(EVENT, CONTEXT, STATE)

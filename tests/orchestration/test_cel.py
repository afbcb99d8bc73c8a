"""Conditions as CEL expressions."""

import pytest

from orchestration.cel import MAX_LENGTH, compile_expression
from orchestration.exceptions import ConditionError

VARIABLES = {
    "event": {"text": "hello", "intent": None, "metadata": {"tier": "gold"}},
    "conversation": {"id": "s1", "messages": 2},
    "state": {"phase": "intake", "handoff_count": 0},
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("event.text == 'hello'", True),
        ("event.text.startsWith('x') || state.phase == 'intake'", True),
        ("event.intent == 'billing'", False),
        ("event.metadata.tier in ['gold', 'silver']", True),
        ("has(event.metadata.missing)", False),
        ("conversation.messages > 2", False),
    ],
)
def test_an_expression_holds_or_does_not(text, holds):
    """O-4."""
    assert compile_expression(text)(VARIABLES) is holds


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("event.", 7, "Syntax error"),
        ("mood == 'good'", 1, "undeclared reference to 'mood'"),
        ("true && mood", 9, "undeclared"),
        ("1 + 1", None, "must be true or false; this one gives INT"),
        ("", 1, "empty"),
        ("x" * (MAX_LENGTH + 1), MAX_LENGTH, "longer than"),
        ("(" * 33 + "true" + ")" * 33, 33, "nests deeper"),
    ],
)
def test_a_wrong_expression_says_where_it_is_wrong(text, column, words):
    """O-4."""
    with pytest.raises(ConditionError, match=words) as wrong:
        compile_expression(text)
    assert wrong.value.column == column


@pytest.mark.parametrize("text", ["event.metadata.missing == 1", "event.text", "1 / 0 == 1"])
def test_an_expression_that_fails_on_its_variables_raises(text):
    """O-4."""
    with pytest.raises(ConditionError):
        compile_expression(text)(VARIABLES)


def test_an_expression_is_cut_off_when_it_takes_too_long():
    inner = "[0,1,2,3,4,5,6,7,8,9]"
    text = "true"
    for name in "abcdef":
        text = f"{inner}.all({name}, {text})"
    with pytest.raises(ConditionError):
        compile_expression(text)(VARIABLES)

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


def nested(macro: str) -> str:
    text = "true"
    for name in "abcdef":
        text = f"[0,1,2,3,4,5,6,7,8,9].{macro}({name}, {text})"
    return text


DOUBLED = "[event.text].map(a, a + a).map(a, a + a)[0] == event.text"


@pytest.mark.parametrize(
    "text",
    [
        nested("all"),
        nested("exists"),
        DOUBLED,
        DOUBLED.replace(".map(", " . map // (\n\t("),
        "[event.text + event.text].exists(a, [a + a].exists(b, b == a))",
        "[1, 2].all(n, event.text.matches('(x?){500}y'))",
        "event.text.matches('(x?){500}y') || event.text.matches('(x?){500}z')",
    ],
)
def test_an_expression_whose_cost_multiplies_is_refused(text):
    """Sixfold copying of a message of 8,000 characters took 15 seconds and 260 MB."""
    with pytest.raises(ConditionError, match="one list or match one pattern"):
        compile_expression(text)


def test_an_expression_that_copies_the_message_many_times_is_refused():
    with pytest.raises(ConditionError, match="more than 8 plus signs"):
        compile_expression("+".join(["event.text"] * 10) + " == ''")


@pytest.mark.parametrize(
    "text",
    [
        "['hello', 'good morning'].exists(word, event.text.contains(word))",
        "event.text.matches('^hel+o$') && state.phase == 'intake'",
        "has(event.metadata.tier) && size(event.text + event.metadata.tier) == 9",
    ],
)
def test_one_list_or_one_pattern_is_enough(text):
    assert compile_expression(text)(VARIABLES)

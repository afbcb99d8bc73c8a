"""Conditions and filters as CEL expressions."""

import doctest

import pytest

from orchestration.exceptions import ConditionError
from orchestration.routing import (
    CONDITION_VARIABLES,
    FILTER_VARIABLES,
    FUNCTIONS,
    MAX_LENGTH,
    cel,
    compile_expression,
    compile_filter,
)

EVENT = {
    "event.id": "m1",
    "event.text": "hello",
    "event.channel_type": "web",
    "event.intent": None,
    "event.source_channel_id": "web-1",
    "event.from_agent": None,
    "event.metadata": {"tier": "gold", "visits": 3, "tags": ["new", "trial"], "note": None},
    "conversation.id": "s1",
    "conversation.messages": 2,
    "state.phase": "intake",
    "state.active_agent_id": None,
    "state.handoff_count": 0,
    "state.channel": "same",
    "variables": {"plan": "pro"},
}

MESSAGE = {
    "message.role": "assistant",
    "message.text": "Your refund is on its way.",
    "message.agent_id": "agent-billing",
    "payload": {"topic": "refund", "order": {"lines": [{"sku": "a1"}]}},
    "state.phase": "handling",
    "state.active_agent_id": "agent-billing",
    "state.handoff_count": 1,
    "state.channel": "voice",
    "variables": {"plan": "pro"},
}


def test_the_examples_run():
    assert doctest.testmod(cel).failed == 0


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("event.text == 'hello'", True),
        ("event.text.startsWith('x') || state.phase == 'intake'", True),
        ("event . text // the text\n == 'hello'", True),
        ("event.intent == 'billing'", False),
        ("event.intent == null && event.source_channel_id != null", True),
        ("event.intent != null && event.intent.startsWith('b')", False),
        ("event.source_channel_id in ['web-1', 'web-2']", True),
        ("event.metadata.tier in ['gold', 'silver']", True),
        ("event.metadata.visits >= 3 && event.metadata['note'] == null", True),
        ("event.metadata.tags.exists(tag, tag == 'trial')", True),
        ("has(event.metadata.missing)", False),
        ("conversation.messages > 2", False),
        ("event.text.matches(r'^h\\w+$')", True),
        ("['event'].exists(event, event == 'event')", True),
    ],
)
def test_an_expression_is_evaluated_to_true_or_false(text, holds):
    """Contract O-4."""
    assert compile_expression(text)(EVENT) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("message.role == 'user'", False),
        ("message.text.contains(payload.topic)", True),
        ("message.agent_id == 'agent-billing' && state.channel == 'voice'", True),
        ("payload.order.lines[0].sku == 'a1'", True),
        ("has(payload.customer) && payload.customer == 'Ann'", False),
    ],
)
def test_a_filter_can_use_the_message_the_payload_and_the_state(text, holds):
    """Contract S-4."""
    assert compile_filter(text)(MESSAGE) is holds


@pytest.mark.parametrize("variable", CONDITION_VARIABLES)
def test_every_variable_of_a_condition_is_declared(variable):
    """Contract O-4."""
    assert compile_expression(f"dyn({variable.name}) == {variable.name}")(EVENT)


@pytest.mark.parametrize("variable", FILTER_VARIABLES)
def test_every_variable_of_a_filter_is_declared(variable):
    """Contract S-4."""
    assert compile_filter(f"dyn({variable.name}) == {variable.name}")(MESSAGE)


def test_an_expression_lists_its_variables():
    text = "event.text == 'x' && event . metadata.tier == 'gold'"
    variables = {"event.text", "event.metadata"}
    assert compile_expression(text).variables == variables
    assert not compile_expression(text)({name: EVENT[name] for name in variables})


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("event.", 7, "“.” is not allowed here."),
        ("event.text ==", 14, "The expression ends too early."),
        ("event.text == 'a", 15, "A quote is not closed."),
        ("true and false", 6, "“and” is not allowed here: use “&&”."),
        ("event.text.contains('a'", 24, r"A “\)” is missing\."),
        ("mood == 'good'", 1, "nothing called 'mood'.*can use event, conversation, state"),
        ("true && mood", 9, "nothing called 'mood'"),
        ("event.textt == 'x'", 6, "no 'event.textt': event has channel_type, .*, text"),
        ("true &&\n state.fase == 'x'", 15, "no 'state.fase': state has active_agent_id"),
        ("'é😀' == event.txt", 14, "no 'event.txt'"),
        ("event == 'x'", 1, "Choose a field: event has"),
        ("message.text == 'x'", 8, "nothing called 'message.text'"),
        ("event.text.lowerAscii() == 'x'", 22, "nothing called 'lowerAscii'"),
        ("state.handoff_count == 'x'", 21, r"== cannot be applied to \(whole number, text\)"),
        ("state.handoff_count > 1.5", 21, r"\(whole number, decimal number\)"),
        ("event.intent == 3", 14, r"\(text or null, whole number\)"),
        ("event.text.contains(1)", 20, r"contains cannot be applied to \(text, whole number\)"),
        ("event.text.length == 1", 11, "cannot be the operand of a select"),
        (
            "true && has(event.intent)",
            9,
            "event.intent always exists: compare it with a value or with null",
        ),
        ("event.text.matches('(x')", 20, "missing"),
        ('matches(event.text, "(?=x)")', 21, "invalid perl operator"),
        ("1 + 1", 1, "The result is of type whole number: it must be true or false"),
        ("event.text", 1, "The result is of type text"),
        ("", 1, "empty"),
        ("x" * (MAX_LENGTH + 1), MAX_LENGTH, "longer than"),
        ("(" * 33 + "true" + ")" * 33, 33, "nests deeper"),
    ],
)
def test_an_invalid_expression_raises_with_the_column(text, column, words):
    """Contract O-4."""
    with pytest.raises(ConditionError, match=words) as raised:
        compile_expression(text)
    assert raised.value.column == column


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("message.txt == 'x'", 8, "no 'message.txt': message has agent_id, role, text"),
        ("event.text == 'x'", 6, "can use message, payload, state"),
        ("message.role == 1", 14, r"== cannot be applied to \(text, whole number\)"),
    ],
)
def test_an_invalid_filter_raises_with_the_column(text, column, words):
    """Contract S-4."""
    with pytest.raises(ConditionError, match=words) as raised:
        compile_filter(text)
    assert raised.value.column == column


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("event.metadata.missing == 1", 'Key not found in map : "missing"'),
        ("event.metadata.tier", "The result is gold: it must be true or false"),
        ("event.metadata.tier > 1", "No matching overloads"),
        ("1 / 0 == 1", "divide by zero"),
        ("event.intent.startsWith('x')", "No matching overloads"),
    ],
)
def test_an_expression_that_fails_on_its_variables_raises(text, words):
    """Contract O-4."""
    with pytest.raises(ConditionError, match=words):
        compile_expression(text)(EVENT)


@pytest.mark.parametrize("text", ["\ud800", b"bytes", 10**30])
def test_a_value_without_a_cel_type_is_an_error(text):
    """Contract O-4."""
    with pytest.raises(ConditionError):
        compile_expression("event.metadata.x == 1")({"event.metadata": {"x": text, 1: text}})


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
    with pytest.raises(ConditionError, match="can use only one of all") as raised:
        compile_expression(text)
    assert raised.value.column


@pytest.mark.parametrize(
    "pattern",
    [
        "((((a?b?){0,10}){0,10}){0,9})c",
        "[ab]*a[ab]{900}c",
        "((a{0,30}b){0,30}){0,1}c",
        r"\\p{L}{1,50}",
        r"\\Q[\\E{900}",
        r"a\x7b900\x7d",
        "(a[])]{2}b){200}",
    ],
)
def test_a_pattern_with_many_states_is_refused(pattern):
    """One of 900 states took a second and a half for a text of 32,000 characters."""
    with pytest.raises(ConditionError, match="The pattern is too large") as raised:
        compile_expression(f"event.text.matches('{pattern}')")
    assert raised.value.column == 20


@pytest.mark.parametrize(
    "pattern",
    [
        r"^\\d{4}-\\d{2}-\\d{2}$",
        r"^[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+$",
        "^([0-9]([a-z0-9-]{0,61}[a-z0-9])?)$",
        r"^\\pL{2}[]a-z[:digit:]]{2,9}\\{3\\}$",
    ],
)
def test_a_pattern_with_few_states_is_accepted(pattern):
    assert compile_expression(f"event.text.matches('{pattern}')")(EVENT) is False


@pytest.mark.parametrize(
    "text",
    [
        "event.text.matches(event.metadata.tier)",
        "event.text.matches('a' + event.text)",
        "matches('a', event.text)",
        "event.text.matches // so\n (event.metadata.tier)",
        "event.text.matches('''a''')",
    ],
)
def test_a_pattern_that_is_no_quoted_text_is_refused(text):
    with pytest.raises(ConditionError, match="must be a quoted text") as raised:
        compile_expression(text)
    assert raised.value.column


def test_an_expression_that_copies_the_message_many_times_is_refused():
    with pytest.raises(ConditionError, match="more than 8 plus signs") as raised:
        compile_expression("+".join(["event.text"] * 10) + " == ''")
    assert raised.value.column == 99


@pytest.mark.parametrize(
    "text",
    [
        "['hello', 'good morning'].exists(word, event.text.contains(word))",
        "event.text.matches('^hel+o$') && state.phase == 'intake'",
        "has(event.metadata.tier) && size(event.text + event.metadata.tier) == 9",
    ],
)
def test_one_list_or_one_pattern_is_allowed(text):
    assert compile_expression(text)(EVENT)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.example)
def test_every_suggested_function_can_be_used(function):
    assert function.name in function.example
    assert function.signature.startswith(f"{function.name}(")
    state = {"state.phase": "intake", "state.channel": "email", "state.handoff_count": 2}
    assert compile_expression(function.example)(state) in (True, False)


def test_every_variable_and_function_has_one_line_of_help():
    variables = [variable.description for variable in (*CONDITION_VARIABLES, *FILTER_VARIABLES)]
    for description in [*variables, *(function.description for function in FUNCTIONS)]:
        assert description.endswith(".")
        assert "\n" not in description

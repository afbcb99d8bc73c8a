"""Selection of the messages that the target of a handoff sees."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.conversation import MAX_CHARACTERS, MessageFilter, View
from orchestration.definition import InputFilter
from orchestration.exceptions import FilterError
from orchestration.messages import Message, ToolCall
from orchestration.providers.provider import PromptMessage
from orchestration.state import ConversationState
from tests.orchestration.conversations import HANDLER, NOON, TRIAGE

STATE = ConversationState(phase="intake", active_agent_id=TRIAGE, handoff_count=1)


def user(text: str) -> Message:
    return Message(role="user", text=text, at=NOON)


def agent_message(text: str, agent_id: str, *calls: str) -> Message:
    made = tuple(ToolCall(id=call, name="look", arguments="{}") for call in calls)
    return Message(role="assistant", text=text, at=NOON, agent_id=agent_id, tool_calls=made)


def result(call_id: str, agent_id: str) -> Message:
    return Message(
        role="tool", text=f"found {call_id}", at=NOON, agent_id=agent_id, tool_call_id=call_id
    )


HISTORY = (
    user("hello"),
    agent_message("Hi, how can I help?", HANDLER),
    user("where is my order?"),
    agent_message("Let me see.", HANDLER, "c1", "c2"),
    result("c1", HANDLER),
    result("c2", HANDLER),
    agent_message("It is lost.", HANDLER),
    user("then I want my money"),
    agent_message("One moment.", TRIAGE, "c3"),
    result("c3", TRIAGE),
    agent_message("My colleague helps you.", TRIAGE),
)
"""As the handler sees it, who gets the conversation back: eleven messages, four of tools."""


def view(*history: Message) -> list[PromptMessage]:
    seen = View(HANDLER)
    seen.catch_up(history)
    return seen.messages


def selected(
    *history: Message, payload: Mapping[str, object] | None = None, **wanted: object
) -> list[str]:
    compiled = MessageFilter.of(InputFilter.model_validate(wanted))
    return [message.text for message in compiled.select(view(*history), payload, STATE)]


def test_full_keeps_all_messages_unchanged():
    """Contract S-4."""
    messages = view(*HISTORY)
    assert MessageFilter.of(InputFilter()).select(messages, None, STATE) == messages


def test_a_filter_does_not_change_the_view():
    """Contract S-4: pure."""
    messages = view(*HISTORY)
    before = list(messages)
    MessageFilter.of(InputFilter(keep="no_tools")).select(messages, None, STATE)
    assert messages == before
    assert messages[3].tool_calls


@pytest.mark.parametrize(
    ("count", "texts"),
    [
        (
            4,
            [
                "then I want my money",
                "[agent-triage]: One moment.",
                "[agent-triage called look {}]: found c3",
                "[agent-triage]: My colleague helps you.",
            ],
        ),
        (1, ["then I want my money", "[agent-triage]: My colleague helps you."]),
    ],
)
def test_last_keeps_the_last_messages_and_the_question(count, texts):
    """Contract S-4, S-6."""
    assert selected(*HISTORY, keep="last", count=count) == texts


@pytest.mark.parametrize("count", range(5, 10))
def test_last_never_begins_with_a_result_or_a_message_of_the_target(count):
    """Contract S-4: the messages before the question are all the target's own here."""
    texts = selected(*HISTORY, keep="last", count=count)
    assert texts[0] == ("where is my order?" if count == 9 else "then I want my money")


def test_last_drops_a_result_without_its_call():
    """Contract S-4."""
    history = (
        user("find it"),
        agent_message("", HANDLER, "c1"),
        result("c1", HANDLER),
        result("c2", HANDLER),
    )
    assert selected(*history, keep="last", count=1) == ["find it"]


def test_last_keeps_all_of_fewer_messages():
    """Contract S-4."""
    assert len(selected(*HISTORY, keep="last", count=1_000)) == len(HISTORY)


def test_summary_keeps_only_the_last_question():
    """Contract S-6."""
    assert selected(*HISTORY, keep="summary") == ["then I want my money"]


def test_no_tools_keeps_the_text_beside_a_call_without_the_call():
    """Contract S-4."""
    compiled = MessageFilter.of(InputFilter(keep="no_tools"))
    shown = compiled.select(view(*HISTORY), None, STATE)
    assert [message.text for message in shown] == [
        "hello",
        "Hi, how can I help?",
        "where is my order?",
        "Let me see.",
        "It is lost.",
        "then I want my money",
        "[agent-triage]: One moment.",
        "[agent-triage]: My colleague helps you.",
    ]
    assert not any(message.tool_calls or message.role == "tool" for message in shown)


def test_no_tools_drops_a_call_without_text():
    """Contract S-4."""
    history = (
        user("find it"),
        agent_message("", HANDLER, "c1"),
        result("c1", HANDLER),
        user("well?"),
    )
    assert selected(*history, keep="no_tools") == ["find it", "well?"]


def test_a_reduced_message_is_encoded_and_counted_again():
    """Contract T-5."""
    messages = view(*HISTORY)
    messages[3].wire = ("dialect", "with its calls")
    [left] = [
        message
        for message in MessageFilter.of(InputFilter(keep="no_tools")).select(messages, None, STATE)
        if message.text == "Let me see."
    ]
    assert left.wire is None
    assert 0 < left.tokens < messages[3].tokens


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        ("message.role == 'user'", ["hello", "where is my order?", "then I want my money"]),
        ("message.text.contains('order')", ["where is my order?", "then I want my money"]),
        (
            "message.agent_id == 'agent-triage' && message.role == 'assistant'",
            [
                "then I want my money",
                "[agent-triage]: One moment.",
                "[agent-triage]: My colleague helps you.",
            ],
        ),
        (
            "message.agent_id != null && message.role == 'tool'",
            ["then I want my money", "[agent-triage called look {}]: found c3"],
        ),
        (
            "message.text.startsWith('My colleague')",
            ["then I want my money", "[agent-triage]: My colleague helps you."],
        ),
        (
            "message.text.contains(payload.topic) && state.phase == 'intake'",
            ["then I want my money", "[agent-triage]: One moment."],
        ),
        ("state.handoff_count > 1", ["then I want my money"]),
        ("false", ["then I want my money"]),
    ],
)
def test_matching_keeps_the_messages_that_fulfil_the_expression(expression, texts):
    """Contract S-4, S-6."""
    payload = {"topic": "One"}
    assert selected(*HISTORY, keep="matching", expression=expression, payload=payload) == texts


def test_matching_a_call_without_its_result_keeps_its_text():
    """Contract S-4."""
    expression = "message.role != 'tool' || message.text == 'found c1'"
    compiled = MessageFilter.of(InputFilter(keep="matching", expression=expression))
    shown = compiled.select(view(*HISTORY[:8]), None, STATE)
    assert [call.id for message in shown for call in message.tool_calls] == ["c1"]
    assert [message.text for message in shown if message.role == "tool"] == ["found c1"]


def test_an_expression_can_check_for_a_missing_payload():
    """Contract S-4."""
    expression = "has(payload.topic)"
    assert selected(user("hi"), keep="matching", expression=expression) == ["hi"]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("message.text ==", "ends too early"),
        ("message.txt == 'x'", "no 'message.txt'"),
        ("payload.topic == 'x'", 'Key not found in map : "topic"'),
        (None, "empty"),
    ],
)
def test_a_failing_expression_is_an_error_with_its_reason(expression, words):
    """Contract S-4: a filter that raises refuses the handoff with that reason."""
    compiled = MessageFilter.of(InputFilter(keep="matching", expression=expression))
    with pytest.raises(FilterError, match=words):
        compiled.select(view(*HISTORY), {}, STATE)


def test_an_expression_checks_the_last_messages_up_to_a_bound():
    long = user("x" * (MAX_CHARACTERS // 2))
    texts = selected(user("first"), long, user("then"), long, keep="matching", expression="true")
    assert texts == ["then", long.text]


def test_the_last_message_is_never_the_targets_own():
    """Contract S-4: a model does not continue its own message."""
    history = (user("hi"), agent_message("Hello.", HANDLER), agent_message("Over to you.", TRIAGE))
    expression = "message.agent_id == null"
    assert selected(*history, keep="matching", expression=expression) == ["hi"]


def test_a_filter_works_without_a_message_of_the_user():
    """Contract S-4."""
    assert selected(keep="summary") == []
    assert selected(agent_message("Over to you.", TRIAGE), keep="last", count=3) == [
        "[agent-triage]: Over to you."
    ]


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    history = [user("hello")]
    for turn in range(draw(st.integers(0, 6))):
        agent = draw(st.sampled_from([TRIAGE, HANDLER]))
        calls = [f"c{turn}-{number}" for number in range(draw(st.integers(0, 3)))]
        history += [agent_message(draw(st.sampled_from(["", "words"])), agent, *calls)]
        history += [result(call, agent) for call in calls]
        history += draw(st.sampled_from([[], [user(f"question {turn}")]]))
    return history


WANTED = st.one_of(
    st.sampled_from([InputFilter(keep="summary"), InputFilter(keep="no_tools")]),
    st.builds(InputFilter, keep=st.just("last"), count=st.integers(1, 12)),
    st.builds(
        InputFilter,
        keep=st.just("matching"),
        expression=st.sampled_from(
            [
                "message.role == 'tool'",
                "message.role == 'assistant'",
                "message.agent_id == null",
                "message.text == 'words'",
                "!message.text.contains('c1-1')",
            ]
        ),
    ),
)


@given(history=histories(), wanted=WANTED)
def test_chat_completions_servers_accept_every_selection(history, wanted):
    """Contract S-4, S-6 and D-3: the user's question is never lost."""
    shown = MessageFilter.of(wanted).select(view(*history), {}, STATE)
    assert shown[0].role == "user"
    assert shown[-1].role != "assistant"
    question = next(message.text for message in reversed(history) if message.role == "user")
    assert [m.text for m in shown if m.role == "user" and m.speaker is None][-1] == question
    unanswered: set[str] = set()
    for message in shown:
        if message.role == "tool":
            unanswered.remove(message.tool_call_id or "")
        else:
            assert not unanswered
            unanswered = {call.id for call in message.tool_calls}
    assert not unanswered

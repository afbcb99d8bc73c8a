"""Questions of agents to the user, and their answers."""

from __future__ import annotations

import asyncio
from typing import Any

from orchestration.definition import Tool
from orchestration.events import (
    InputReceived,
    InputRequested,
    MessageCompleted,
    RunCompleted,
    ToolReturned,
)
from orchestration.runtime import Session
from tests.orchestration.conversations import (
    PlayedModel,
    calling,
    every,
    only,
    say,
    session_with,
    with_tools,
)
from tests.orchestration.topologies import agents, chain, model_of, once

ASK = Tool(name="ask", kind="user_input")
ASKING = chain("a", tools=[ASK]).model_copy(update={"agents": agents("a", tools=("ask",))})


async def test_the_users_answer_is_the_calls_result():
    """Contract T-10."""

    async def answer(request):
        return f"{request.question} Yes."

    model = model_of({"a": once(calling("ask", question="Sure?"))})
    session = session_with(model, ASKING, ask_user=answer)
    events = await say(session, "hi")
    assert only(InputRequested, events).question == "Sure?"
    assert only(InputReceived, events).text == "Sure? Yes."
    assert every(MessageCompleted, events)[-1].text == "a says: Sure? Yes."


async def test_the_next_message_answers_an_open_question():
    """Contract T-10."""

    async def later(request):
        return None

    model = model_of({"a": once(calling("ask", question="Sure?"))})
    session = session_with(model, ASKING, ask_user=later)
    assert only(RunCompleted, await say(session, "hi")).reason == "waiting_for_user"
    assert question_open(session)
    events = await say(session, "Yes")
    assert only(InputReceived, events).text == "Yes"
    assert only(MessageCompleted, events).text == "a says: Yes"
    assert not question_open(session)
    assert [message.role for message in session.history] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def question_open(session: Session) -> bool:
    return session.open_question is not None


async def test_a_question_without_a_user_is_an_error():
    """Contract T-10."""
    model = model_of({"a": once(calling("ask", question="Sure?"))})
    events = await say(session_with(model, ASKING), "hi")
    assert "No user is connected" in (only(ToolReturned, events).result.error or "")


async def test_a_cancellation_inside_a_question_is_an_error_of_the_call():
    """Contract T-10."""

    async def ask(request: object) -> str:
        raise asyncio.CancelledError

    model = model_of({"a": once(calling("ask", question="Sure?"))})
    events = await say(session_with(model, ASKING, ask_user=ask), "hi")
    assert "The question to the user failed" in (only(ToolReturned, events).result.error or "")
    assert every(RunCompleted, events)[-1].reason == "replied"


async def test_an_answer_of_any_type_becomes_text():
    """Contract T-10."""

    async def ask(request: object) -> Any:
        return 42

    model = model_of({"a": once(calling("ask", question="How many?"))})
    events = await say(session_with(model, ASKING, ask_user=ask), "hi")
    assert every(MessageCompleted, events)[-1].text == "a says: 42"


async def test_a_plain_function_can_answer_a_question():
    model = PlayedModel([[calling("ask", question="Which one?")], ["Thanks."]])
    session = session_with(model, with_tools(ASK), ask_user=lambda request: "The red one")
    events = await say(session, "hi")
    assert only(InputReceived, events).text == "The red one"

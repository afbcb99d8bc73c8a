"""Questions to the user that continue from a journal or in a task."""

from __future__ import annotations

from collections.abc import Sequence

from orchestration.events import Event, InputRequested, decode, encode
from orchestration.library import TaskHandler, TaskStatus
from orchestration.runtime import Session
from tests.orchestration.conversations import PlayedModel, collect, say, session_with, types
from tests.orchestration.user_question import ASKING, asks_once, later

# From a journal


async def test_a_question_continues_from_any_point_of_a_journal():
    """Contract T-10, S-7: a recorded answer is not requested again."""
    answers: list[str] = []

    async def answer(request: InputRequested) -> str:
        answers.append(request.question)
        return "order 7"

    whole = await say(session_with(PlayedModel(asks_once), ASKING, ask_user=answer), "where?")
    for cut in range(1, len(whole)):
        answers.clear()
        before = whole[:cut]
        session = session_with(PlayedModel(asks_once), ASKING, events=kept(before), ask_user=answer)
        rest = await collect(session.resume())
        assert types(rest) == types(whole[cut:]), cut
        assert session.history[-1].text == "You said order 7.", cut
        assert len(answers) == 1 - types(before).count("input.received"), cut


async def test_a_waiting_question_continues_from_any_point_of_a_journal():
    """Contract T-10, S-7: by the process that receives the answer."""
    session = session_with(PlayedModel(asks_once), ASKING, ask_user=later)
    whole = [*await say(session, "where?"), *await say(session, "order 7")]
    ended = types(whole).index("run.completed") + 1
    for cut in range(1, len(whole)):
        again = session_with(
            PlayedModel(asks_once), ASKING, events=kept(whole[:cut]), ask_user=later
        )
        rest = await collect(again.resume())
        if cut <= ended:
            assert again.open_question is not None, cut
            rest += await say(again, "order 7")
        assert types(rest) == types(whole[cut:]), cut
        assert again.history == session.history, cut


async def test_a_question_of_a_journal_is_answered_without_a_callback():
    """Contract T-10: a process without a callback can continue the question of another."""
    session = session_with(PlayedModel(asks_once), ASKING, ask_user=later)
    events = await say(session, "where?")
    again = Session(
        ASKING, kept(events), session_id="s1", providers={"default": PlayedModel(asks_once)}
    )
    await say(again, "order 7")
    assert again.history[-1].text == "You said order 7."


def kept(events: Sequence[Event]) -> list[Event]:
    """Encode and decode the events as a journal does."""
    return [decode(encode(event)) for event in events]


# In a task


async def test_a_question_of_a_task_is_resumed_by_the_answer():
    """Contract T-10: `resume`, or the next prompt, is the answer."""
    for resumed in (TaskHandler.resume, TaskHandler.execute_prompt):
        handler = TaskHandler(provider=PlayedModel(asks_once), ask_user=later)
        handler.register_user_input_tool()
        waits = await handler.execute_prompt("Where is it?")
        assert waits.status is TaskStatus.CONTINUATION
        assert waits.notes["input_request"] == {"call_id": "c1", "question": "Which order?"}
        assert waits.notes["reason"] == "waiting_for_user"
        result = await resumed(handler, "order 7")
        assert (result.status, result.content) == (TaskStatus.COMPLETE, "You said order 7.")


async def test_a_task_without_a_callback_reports_the_failed_tool():
    """Contract T-10, T-12."""
    handler = TaskHandler(provider=PlayedModel(asks_once))
    handler.register_user_input_tool("ask_user")
    result = await handler.execute_prompt("Where is it?")
    (error,) = result.notes["tool_errors"]
    assert error["details"] == {"tool": "ask_user", "call_id": "c1"}

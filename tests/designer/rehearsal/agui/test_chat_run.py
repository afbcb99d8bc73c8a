"""Run of the protocol that answers one request of a front end."""

from __future__ import annotations

from typing import Any

from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    TextMessageContentEvent,
    UserMessage,
)

from designer.rehearsal.agui.chat_run import ChatRun
from orchestration import events as e
from tests.designer.rehearsal.run_events import received, run_started
from tests.orchestration.conversations import NOON

IDS: dict[str, Any] = {"thread_id": "conversation-1", "run_id": "run-1"}
TEXT = TextMessageContentEvent(message_id="m", delta="Hi")
NOTE = CustomEvent(name="note", value="Be brief.")


def noted(run_id: str = "run-1") -> e.SupervisorNoted:
    return e.SupervisorNoted(9, NOON, "conversation-1", run_id, "intake", text="Be brief.")


def running() -> ChatRun:
    """Return the run of a message whose run of the engine has started."""
    run = ChatRun("thread-x", "run-a", message_id="message-1")
    run.select(run_started(), [])
    return run


def kinds(messages: list[BaseEvent]) -> list[str]:
    return [str(message.type.value) for message in messages]


def test_the_run_of_another_message_is_left_out():
    run = ChatRun("thread-x", "run-a", message_id="message-2")
    assert run.select(run_started(number=1), [RunStartedEvent(**IDS), NOTE]) == []
    assert run.select(noted(), [NOTE]) == []
    assert not run.is_running
    assert run.select(run_started(number=2), [RunStartedEvent(**IDS), NOTE]) == [NOTE]
    assert run.is_running


def test_the_front_end_gets_its_own_ids_and_one_end():
    run = running()
    [started] = run.begin()
    assert isinstance(started, RunStartedEvent)
    assert (started.thread_id, started.run_id) == ("thread-x", "run-a")
    [finished] = run.select(noted(), [RunFinishedEvent(**IDS)])
    assert isinstance(finished, RunFinishedEvent)
    assert (finished.thread_id, finished.run_id) == ("thread-x", "run-a")
    assert run.is_over
    assert not run.is_running
    assert run.select(noted(), [NOTE]) == []


def test_the_message_of_the_front_end_is_not_sent_back():
    run = running()
    assert run.select(received(2), [TEXT, NOTE]) == [NOTE]
    assert run.select(noted(), [TEXT]) == [TEXT]


def test_an_event_between_two_runs_ends_nothing():
    run = running()
    around = [RunStartedEvent(**IDS), NOTE, RunFinishedEvent(**IDS)]
    assert run.select(noted(run_id=""), around) == [NOTE]
    assert run.is_running


def test_a_failure_ends_the_run():
    run = running()
    assert kinds(run.select(noted(), [RunErrorEvent(message="It failed.")])) == ["RUN_ERROR"]
    assert run.is_over


def test_a_run_that_continues_another_begins_with_the_messages_of_the_front_end():
    message = UserMessage(id="m1", content="Hello")
    run = ChatRun("thread-x", "run-b", engine_run_id="run-1", history=(message,))
    assert run.is_running
    started, snapshot = run.begin()
    assert kinds([started, snapshot]) == ["RUN_STARTED", "MESSAGES_SNAPSHOT"]
    assert snapshot.model_dump()["messages"][0]["id"] == "m1"

"""Requests of front ends that chat: their message, their decisions, and refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from designer.rehearsal.agui.chat_request import (
    MAX_HISTORY,
    ChatRefusedError,
    ChatRequest,
    parse_chat_request,
    stable_id,
)
from orchestration.control import AnyCommand, ApproveCall, ChangeCall, RefuseCall
from tests.designer.rehearsal.agui.chat_bodies import entry, resuming


def parsed(body: dict[str, Any]) -> ChatRequest:
    return parse_chat_request(json.dumps(body).encode())


def command(body: dict[str, Any]) -> AnyCommand:
    [only] = parsed(body).commands("ada")
    return only


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"threadId": "t"}, 422, "runId: Field required"),
        ({"threadId": "", "runId": "r", "messages": []}, 422, "threadId: use 1 to 500"),
        ({"threadId": "t", "runId": "r" * 501, "messages": []}, 422, "runId: use 1 to 500"),
        ({"threadId": "t", "runId": "r", "messages": []}, 422, "last message must be one of the"),
        (entry("  "), 422, "Write something first."),
        (entry("x" * 9_000), 422, "8,000 are allowed"),
        (entry("a\0b"), 400, "NUL"),
        (entry([{"type": "image", "source": {"type": "url", "value": "x"}}]), 422, "only texts"),  # type: ignore[arg-type]
        (resuming("other", "x"), 409, "ids of the open interrupts"),
        (resuming("question-7", 3), 422, "answer the question with a text"),
        (resuming("question-7", "No", status="cancelled"), 422, "cannot be cancelled"),
        (resuming("approval-7", {}), 422, '{"approved": true}'),
        (resuming("approval-x", {"approved": True}), 409, "ids of the open interrupts"),
        (resuming("approval-" + "7" * 10, True), 409, "ids of the open interrupts"),
    ],
)
def test_an_invalid_request_is_refused_with_the_next_step(body, status, text):
    with pytest.raises(ChatRefusedError) as refused:
        parsed(body).commands("ada")
    assert text in str(refused.value)
    assert refused.value.status == status


def test_only_the_last_message_counts_and_a_repeated_one_has_the_same_id():
    body = entry("Hello")
    body["messages"].insert(0, {"id": "m0", "role": "assistant", "content": "Welcome"})
    first = parsed(body)
    assert first.message is not None
    assert (first.message.id, first.message.text) == (stable_id("thread-x", "m1"), "Hello")
    assert (first.thread_id, first.run_id, first.decisions) == ("thread-x", "run-a", ())
    assert parsed(entry("Hello", run="another")).message == first.message
    assert parsed(entry("Hello", message="m2")).message != first.message


def test_the_texts_of_a_message_with_several_parts_are_joined():
    parts: Any = [{"type": "text", "text": text} for text in ("One", "", "two")]
    message = parsed(entry(parts)).message
    assert message is not None
    assert message.text == "One\ntwo"


def test_each_part_of_an_id_counts():
    assert stable_id("ab", "c") != stable_id("a", "bc")
    assert stable_id("ab", "c") == stable_id("ab", "c")


def test_the_answers_of_a_front_end_are_commands_of_a_person():
    approved = command(resuming("approval-7", {"approved": True}))
    assert isinstance(approved, ApproveCall)
    assert (approved.asked, approved.by) == (7, "ada")
    assert isinstance(command(resuming("approval-7", True)), ApproveCall)
    changed = command(resuming("approval-7", {"approved": True, "arguments": {"to": "Ä"}}))
    assert isinstance(changed, ChangeCall)
    assert changed.arguments == '{"to": "Ä"}'
    refused = command(resuming("approval-7", {"approved": False, "reason": "n" * 2_001}))
    assert isinstance(refused, RefuseCall)
    assert refused.reason == "n" * 2_000
    assert isinstance(command(resuming("approval-7", None, status="cancelled")), RefuseCall)
    assert len({one.id for one in (approved, changed, refused)}) == 1, "a repeated answer"


def test_an_answer_to_a_question_is_a_message_with_the_history_of_the_front_end():
    body = resuming("question-7", "Two of us.")
    request = parsed(body)
    assert request.message is not None
    assert request.message.text == "Two of us."
    assert [one.id for one in request.history] == ["m1"]
    body["messages"][0]["content"] = "x" * MAX_HISTORY
    assert parsed(body).history == (), "too much to send back"

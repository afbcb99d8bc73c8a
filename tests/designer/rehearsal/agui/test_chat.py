"""Chat of another front end: messages, questions, approvals, refusals and repeated requests."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import AsyncClient, Client
from django.urls import reverse

from designer.core.database import in_database
from designer.models import Conversation, ShareLink
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import create_share_link, revoke_share_link
from tests.designer.live_conversations import make_conversation, make_pipeline, provide, sample
from tests.designer.live_waits import is_over, until
from tests.designer.rehearsal.agui.agui_client import Stream
from tests.designer.rehearsal.agui.chat_bodies import entry, resuming
from tests.designer.rehearsal.agui.protocol_checks import answer_text, assert_follows_the_protocol
from tests.designer.rehearsal.live.approvals import ask_to_pay, asked, paying
from tests.orchestration.conversations import calling

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("shut_down_runs")]


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user)


def address(conversation: Conversation, *, may_chat: bool = True) -> str:
    user: Any = conversation.started_by
    token = create_share_link(conversation=conversation, user=user, may_chat=may_chat)
    return reverse("watch_agui", args=[token])


async def chat(path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    stream = Stream(Client(), path, body=body)
    headers = await stream.open()
    assert headers[b"Access-Control-Allow-Origin"] == b"*"
    events = await stream.rest()
    assert_follows_the_protocol(events, continues="resume" in body)
    return events


async def refused(path: str, body: object, **headers: Any) -> tuple[int, str]:
    response = await AsyncClient().post(path, body, content_type="application/json", **headers)
    assert response["Access-Control-Allow-Origin"] == "*"
    return response.status_code, response.json()["error"]


async def test_a_message_gets_the_events_of_its_run_with_the_ids_of_the_front_end(conversation):
    path = await in_database(address, conversation)
    provide("Good ", "day.").release(2)
    events = await chat(path, entry())
    assert (events[0]["type"], events[-1]["type"]) == ("RUN_STARTED", "RUN_FINISHED")
    for event in (events[0], events[-1]):
        assert (event["threadId"], event["runId"]) == ("thread-x", "run-a")
    assert answer_text(events) == "Good day."
    texts = [one for one in events if one["type"] == "TEXT_MESSAGE_START"]
    assert [one["role"] for one in texts] == ["assistant"]  # not its own message again


async def test_a_repeated_request_gets_the_same_run_and_sends_nothing_again(conversation):
    path = await in_database(address, conversation)
    provide("Good ", "day.").release(2)
    first = await chat(path, entry())
    again = await chat(path, entry())
    assert answer_text(again) == answer_text(first) == "Good day."
    rows = conversation.recorded_events.filter(type="message.received")
    assert await rows.acount() == 1


async def test_a_question_is_an_interrupt_that_the_front_end_answers(user):
    await in_database(make_pipeline, user, sample("city-guide"))
    conversation = await in_database(make_conversation, user, sample("weekend-trip"))
    path = await in_database(address, conversation)
    [*_, end] = await chat(path, entry("Plan a weekend in Lisbon."))
    [interrupt] = end["outcome"]["interrupts"]
    assert interrupt["responseSchema"] == {"type": "string"}
    events = await chat(path, resuming(interrupt["id"], "There are two of us."))
    results = [one for one in events if one["type"] == "TOOL_CALL_RESULT"]
    assert results[0]["toolCallId"] == interrupt["toolCallId"]
    assert results[0]["content"] == "There are two of us."
    assert events[-1]["runId"] == "run-b"


@pytest.mark.parametrize(
    ("payload", "result"),
    [
        ({"approved": True}, "It is paid."),
        (True, "It is paid."),
        ({"approved": False, "reason": "No."}, "Error: A person refused this call: No."),
        ({"approved": True, "arguments": {"amount": 3}}, "It is paid."),
    ],
)
async def test_a_call_is_approved_changed_or_refused_by_an_answer(user, payload, result):
    conversation = await in_database(make_conversation, user, paying())
    path = await in_database(address, conversation)
    await ask_to_pay(conversation, [calling("pay", call_id="c1", amount=7)], ["Done."])
    [seq] = await asked(conversation)
    status, text = await refused(path, entry("And now?", message="m2"))
    assert (status, text) == (409, f"resume: answer the open interrupts: approval-{seq}.")
    events = await chat(path, resuming(f"approval-{seq}", payload))
    [told] = [one for one in events if one["type"] == "TOOL_CALL_RESULT"]
    assert told["content"] == result
    assert answer_text(events) == "Done."
    assert await chat(path, resuming(f"approval-{seq}", payload)) != []  # the same request again


async def test_a_cancelled_approval_refuses_the_call(user):
    conversation = await in_database(make_conversation, user, paying())
    path = await in_database(address, conversation)
    await ask_to_pay(conversation, [calling("pay", call_id="c1", amount=7)], ["Done."])
    [seq] = await asked(conversation)
    await chat(path, resuming(f"approval-{seq}", None, status="cancelled"))
    [given] = [one async for one in conversation.recorded_events.filter(type="approval.given")]
    link = await ShareLink.objects.aget()
    assert (given.body["decision"], given.body["by"]) == ("refused", f"link {link.pk}")


async def test_a_run_of_another_person_is_not_part_of_the_answer(conversation):
    path = await in_database(address, conversation)
    held = provide("One. ", "Two.")
    stream = Stream(Client(), path, body=entry("First"))
    await stream.open()
    other = Stream(Client(), path, body=entry("Second", run="run-b", message="m2"))
    await other.open()
    held.release(4)
    first, second = await stream.rest(), await other.rest()
    for events in (first, second):
        assert_follows_the_protocol(events)
        assert answer_text(events) == "One. Two."
    assert second[-1]["runId"] == "run-b"


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ("{", 400, "This is not JSON"),
        (resuming("approval-7", {"approved": True}), 409, "none is open"),
    ],
)
async def test_an_invalid_request_is_refused_as_json_and_changes_nothing(
    conversation, body, status, text
):
    path = await in_database(address, conversation)
    assert text in (answer := await refused(path, body))[1]
    assert answer[0] == status
    assert await conversation.recorded_events.acount() == 0


async def test_a_browser_may_ask_first_from_any_origin(conversation):
    path = await in_database(address, conversation)
    response = await AsyncClient().options(path, headers={"Origin": "http://localhost:3000"})
    assert (response.status_code, response["Access-Control-Allow-Origin"]) == (204, "*")
    assert "POST" in response["Access-Control-Allow-Methods"]
    assert response["Access-Control-Allow-Headers"] == "*"


async def test_only_a_link_with_chat_may_send(conversation):
    path = await in_database(lambda: address(conversation, may_chat=False))
    assert await refused(path, entry()) == (
        403,
        "This link is for reading only: create one for chat.",
    )
    assert (await refused(reverse("watch_agui", args=["none"]), entry()))[0] == 404
    path = await in_database(address, conversation)
    link = await ShareLink.objects.select_related("conversation").aget(may_chat=True)
    await in_database(lambda: revoke_share_link(link=link, by=link.created_by))
    assert (await refused(path, entry()))[0] == 404


async def test_a_full_queue_and_a_trace_from_a_file_refuse(conversation, settings):
    path = await in_database(address, conversation)
    await Conversation.objects.filter(pk=conversation.pk).aupdate(pipeline=None)
    status, text = await refused(path, entry())
    assert (status, text) == (403, "This trace was opened from a file: it can only be read.")


async def test_an_open_stream_of_the_watchers_is_not_disturbed(conversation):
    path = await in_database(address, conversation)
    provide("Good ", "day.").release(2)
    await chat(path, entry())
    await until(is_over(conversation))
    watcher = Stream(Client(), path)
    await watcher.open()
    await watcher.until("RUN_FINISHED")
    assert_follows_the_protocol(watcher.events)
    await watcher.leave()
    assert live.streams_of(conversation.pk) == []

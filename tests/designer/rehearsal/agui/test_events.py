"""The AG-UI stream: what other front ends hear of a conversation, and who may hear it."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx
import pytest
from ag_ui.core import Event as ProtocolEvent
from channels.layers import get_channel_layer
from django.test import Client
from django.urls import reverse
from pydantic import TypeAdapter

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.share_links import create_watch_link, revoke_watch_link
from designer.rehearsal.agui.agui_text import AnswerPart
from designer.rehearsal.agui.event_forms import custom
from designer.rehearsal.agui.events import protocol_events
from designer.rehearsal.agui.thread import AguiThread
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.event_table import TABLE
from orchestration import events as e
from orchestration.messages import InboundMessage, Usage
from tests.designer.live_conversations import PATIENCE, make_conversation, provide, sample
from tests.designer.recorded_conversations import QUESTION, had
from tests.designer.rehearsal.agui.agui_client import Stream
from tests.serving import BatonServer
from tests.websocket_client import WebsocketClient

pytestmark = pytest.mark.django_db(transaction=True)

PROTOCOL: TypeAdapter[Any] = TypeAdapter(ProtocolEvent)


def thread_of(conversation: Conversation) -> AguiThread:
    return AguiThread("thread", Names.of(conversation.snapshot()))


def heard(conversation: Conversation) -> list[dict[str, Any]]:
    """All that a front end hears of a conversation that is over, as it is sent."""
    thread = thread_of(conversation)
    told = [one for event in conversation.events() for one in protocol_events(event, thread)]
    return [json.loads(one.model_dump_json(by_alias=True)) for one in told]


def assert_follows_the_protocol(events: Iterable[dict[str, Any]]) -> None:
    """Each is an event of the protocol's own types, and stands where the protocol lets it.

    Everything is within a run; what begins ends, within the run, and once; contents and results
    belong to what has begun.
    """
    run: str | None = None
    begun: dict[str, set[str]] = {"TEXT_MESSAGE": set(), "STEP": set(), "SUBAGENT": set()}
    calls: set[str] = set()
    for event in events:
        PROTOCOL.validate_json(json.dumps(event), strict=True)
        kind, _, how = event["type"].rpartition("_")
        assert (run is None) == (event["type"] == "RUN_STARTED"), event
        if event["type"] == "RUN_STARTED":
            run = event["runId"]
        elif kind == "RUN":
            assert not any(begun.values()), begun
            assert event.get("runId", run) == run
            run = None
        elif kind == "TOOL_CALL":
            calls |= {event["toolCallId"]} if how == "START" else set()
            assert event["toolCallId"] in calls
        elif kind in begun:
            name = event[NAMED_BY[kind]]
            if how in {"START", "STARTED"}:
                assert name not in begun[kind]
                begun[kind].add(name)
            assert name in begun[kind]
            if how in {"END", "FINISHED", "ERROR"}:
                begun[kind].remove(name)


NAMED_BY = {"TEXT_MESSAGE": "messageId", "STEP": "stepName", "SUBAGENT": "subagentRunId"}


def test_only_these_events_have_no_counterpart_in_the_protocol():
    assert {event_type for event_type, entry in TABLE.items() if entry.agui is custom} == {
        e.MessageRouted,
        e.RoutingFailed,
        e.TurnRetried,
        e.HandoffRequested,
        e.CycleDetected,
        e.ContextWarned,
        e.LimitReached,
        e.RunResumed,
        e.SupervisorNoted,
        e.HumanJoined,
        e.HumanLeft,
        e.HookFailed,
    }


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("support", (QUESTION, "Yes, please.")),
        ("support-desk", ("I was billed twice in March, my account is 7731.", "Yes")),
        ("coding", ("Write a function that parses dates.",)),
        ("weekend-trip", ("Plan me a weekend in Lisbon.", "Two people")),
        ("bike-shop", ("My chain is broken.", "Tomorrow")),
    ],
)
def test_the_trace_of_a_sample_follows_the_protocol(user, name, texts):
    events = heard(had(user, *texts, name=name))
    assert_follows_the_protocol(events)
    assert [event["type"] for event in events].count("RUN_STARTED") == len(texts)


def test_a_handoff_is_told_with_its_reason_its_result_and_the_new_state(user):
    events = heard(had(user))
    [accepted, *_] = [event for event in events if event.get("name") == "handoff.accepted"]
    assert accepted["value"]["reason"] == "It is about an order or a payment."
    states = [event["snapshot"] for event in events if event["type"] == "STATE_SNAPSHOT"]
    assert {"phase": "handling", "agent": "agent-handler"} in states
    results = [event["content"] for event in events if event["type"] == "TOOL_CALL_RESULT"]
    assert "Handed over to agent-handler." in results


def test_what_happens_between_runs_gets_a_run_of_its_own(user):
    conversation = had(user)
    head: dict[str, Any] = {
        "seq": 99,
        "at": conversation.events()[-1].at,
        "session_id": conversation.session_id,
    }
    noted = e.SupervisorNoted(**head, run_id="", phase="review", text="Be brief.", by="ada")
    told = protocol_events(noted, thread_of(conversation))
    events = [json.loads(one.model_dump_json(by_alias=True)) for one in told]
    assert_follows_the_protocol(events)
    assert [event["type"] for event in events] == ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]


def test_a_run_that_is_cut_off_leaves_nothing_open(user):
    conversation = had(user)
    turn = next(event for event in conversation.events() if isinstance(event, e.TurnStarted))
    thread = thread_of(conversation)
    told = [
        one
        for event in conversation.events(at_most=turn.seq)
        for one in protocol_events(event, thread)
    ]
    told += thread.answer_part(AnswerPart(turn.run_id, turn.turn, 1, 0, "I am so"))
    head: dict[str, Any] = {
        "at": turn.at,
        "session_id": turn.session_id,
        "run_id": turn.run_id,
        "phase": "intake",
    }
    ended = e.RunCompleted(
        seq=turn.seq + 1,
        **head,
        reason=e.StopReason.CANCELLED,
        usage=Usage(),
        turns=1,
        handoffs=0,
        cut_off="I am so",
    )
    told += protocol_events(ended, thread)
    events = [json.loads(one.model_dump_json(by_alias=True)) for one in told]
    assert_follows_the_protocol(events)
    assert events[-1]["outcome"] == {"type": "cancelled"}


def test_an_answer_that_another_worker_begins_anew_is_another_message(user):
    conversation = had(user)
    turn = next(event for event in conversation.events() if isinstance(event, e.TurnStarted))
    thread = thread_of(conversation)
    for event in conversation.events(at_most=turn.seq):
        protocol_events(event, thread)
    place = (turn.run_id, turn.turn)
    told = thread.answer_part(AnswerPart(*place, 1, 0, "I am so"))
    told += thread.answer_part(AnswerPart(*place, 2, 4, "lost its beginning"))
    told += thread.answer_part(AnswerPart(*place, 2, 0, "We are"))
    told += thread.answer_part(AnswerPart(*place, 1, 7, " sorry"))
    assert [(one.type.value, getattr(one, "delta", "")) for one in told] == [
        ("TEXT_MESSAGE_START", ""),
        ("TEXT_MESSAGE_CONTENT", "I am so"),
        ("TEXT_MESSAGE_END", ""),
        ("TEXT_MESSAGE_START", ""),
        ("TEXT_MESSAGE_CONTENT", "We are"),
    ]
    ids = [one.model_dump()["message_id"] for one in told]
    assert (ids[:3], ids[3:]) == ([ids[0]] * 3, [ids[3]] * 2)
    assert ids[0] != ids[3]


# Who may read it


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, sample("support"))


def test_who_is_not_signed_in_is_sent_to_sign_in(anonymous_client, conversation):
    response = anonymous_client.get(reverse("conversation_agui", args=[conversation.pk]))
    assert response.status_code == 302


def test_someone_elses_conversation_is_not_there(other_client, conversation):
    response = other_client.get(reverse("conversation_agui", args=[conversation.pk]))
    assert response.status_code == 404


def test_a_place_that_is_none_is_refused(client, conversation):
    path = reverse("conversation_agui", args=[conversation.pk])
    for place in ("x", "-1", "1;", "1;a=b", "1" * 20, "7;a.1=1:1;" + "b" * 500):
        response = client.get(path, headers={"Last-Event-ID": place})
        assert (response.status_code, response.content) == (
            400,
            b"Last-Event-ID is not an id of this stream. Omit it.",
        )


def test_a_link_that_is_none_or_was_taken_back_opens_nothing(anonymous_client, user, conversation):
    token = create_watch_link(conversation=conversation, user=user)
    [link] = conversation.watch_links.all()
    assert token not in link.token_hash
    assert anonymous_client.get(reverse("watch_agui", args=["guessed"])).status_code == 404
    revoke_watch_link(link=link)
    assert anonymous_client.get(reverse("watch_agui", args=[token])).status_code == 404


def test_a_link_of_someone_who_may_no_longer_open_it_opens_nothing(
    anonymous_client, user, other_user, conversation
):
    token = create_watch_link(conversation=conversation, user=other_user)
    assert anonymous_client.get(reverse("watch_agui", args=[token])).status_code == 404


# While it happens


def said(events: Iterable[dict[str, Any]]) -> str:
    """What agents have said."""
    content = [one for one in events if one["type"] == "TEXT_MESSAGE_CONTENT"]
    return "".join(one["delta"] for one in content if not one["messageId"].startswith("user-"))


@pytest.fixture
async def over() -> AsyncIterator[None]:
    """Nothing is driven on after the test."""
    yield
    await live.shut_down()


async def test_an_answer_is_heard_as_it_streams_and_gone_on_with_where_it_broke_off(
    client, user, over
):
    provider = provide("Hello ", "dear ", "customer.")
    conversation = await in_database(make_conversation, user)
    path = reverse("conversation_agui", args=[conversation.pk])
    first = Stream(client, path)
    headers = await first.open()
    assert headers[b"Content-Type"] == b"text/event-stream"
    assert b"Content-Encoding" not in headers
    await live.say(conversation.pk, InboundMessage(id="message-1", text="Hello"))
    provider.let(1)
    await first.until("Hello ")
    provider.let(1)
    await first.until("dear ")
    await first.leave()

    second = Stream(client, path, after=first.last_id)
    await second.open()
    provider.let(10)
    await second.until("RUN_FINISHED")
    await second.leave()
    whole = [*first.events, *second.events]
    assert_follows_the_protocol(whole)
    assert said(whole) == "Hello dear customer."


async def test_a_stream_ends_with_its_reader(client, user, over):
    conversation = await in_database(make_conversation, user)
    stream = Stream(client, reverse("conversation_agui", args=[conversation.pk]))
    await stream.open()
    await stream.until("retry:")
    layer = get_channel_layer()
    group = live.group_of(conversation.pk)
    assert len(layer.groups[group]) == 1
    await stream.leave()
    assert not layer.groups.get(group)


async def test_a_stream_ends_when_its_link_is_taken_back(settings, user, over):
    settings.READER_CHECK_SECONDS = 0.01
    conversation = await in_database(make_conversation, user)
    token = await in_database(lambda: create_watch_link(conversation=conversation, user=user))
    stream = Stream(Client(), reverse("watch_agui", args=[token]))
    headers = await stream.open()
    assert headers[b"Access-Control-Allow-Origin"] == b"*"
    await stream.until("still here")
    link = await in_database(conversation.watch_links.get)
    await in_database(lambda: revoke_watch_link(link=link))
    await stream.response.wait(timeout=PATIENCE)


# Through a real server


def read(url: str, until: str, after: str = "", **options: Any) -> tuple[list[Any], str]:
    """The events of a stream up to one of a type, and the last id."""
    events: list[Any] = []
    last = after
    headers = {"Last-Event-ID": after} if after else {}
    with httpx.stream("GET", url, headers=headers, timeout=PATIENCE, **options) as response:
        assert response.status_code == 200
        for line in response.iter_lines():
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
            elif line.startswith("id: "):
                last = line[4:]
                if events and events[-1]["type"] == until:
                    break
    return events, last


def test_through_a_real_server_a_front_end_hears_what_a_person_says(start_server):
    server: BatonServer = start_server(samples=True, environment={"BATON_TOKENS_PER_SECOND": "200"})
    code = (
        "from django.contrib.auth.models import User;"
        "from designer.rehearsal.actions.conversations import start_conversation;"
        "from designer.rehearsal.actions.share_links import create_watch_link;"
        "from designer.models import Pipeline;"
        f"user = User.objects.get(username={server.username!r});"
        "made = start_conversation("
        "pipeline=Pipeline.objects.get(owner=user, name='Customer support'), user=user);"
        "print(made.pk, create_watch_link(conversation=made, user=user))"
    )
    pk, token = server.manage("shell", "--no-imports", "-c", code).split()[-2:]
    session = sign_in(server)
    headers = [("Origin", server.origin), ("Cookie", f"sessionid={session}")]
    with WebsocketClient(f"{server.websocket_url}/ws/conversations/{pk}/", headers) as socket:
        say = {"op": "say", "id": uuid.uuid4().hex, "text": QUESTION}
        socket.send(json.dumps(say))
        url = f"{server.url}/conversations/{pk}/ag-ui/"
        half, place = read(url, "TEXT_MESSAGE_CONTENT", cookies={"sessionid": session})
        rest, end = read(url, "RUN_FINISHED", after=place, cookies={"sessionid": session})
    assert_follows_the_protocol([*half, *rest])

    watched, _ = read(f"{server.url}/watch/{token}/ag-ui/", "RUN_FINISHED")
    assert_follows_the_protocol(watched)
    assert said(watched) == said([*half, *rest])
    assert "Order A-1043 is one desk lamp" in said(watched)
    [finished] = [one for one in watched if one["type"] == "RUN_FINISHED"]
    assert finished["outcome"] == {"type": "success"}
    assert end.isdecimal()
    # By the time of the answer the server knows that its readers have left, and may stop.
    assert httpx.get(f"{server.url}/sign-in/", timeout=PATIENCE).status_code == 200


def sign_in(server: BatonServer) -> str:
    """Sign in as a browser does; the session's cookie."""
    with httpx.Client(follow_redirects=True, timeout=PATIENCE) as browser:
        page = browser.get(server.sign_in_url())
        [token] = re.findall(r'csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert browser.post(page.url, data={"csrfmiddlewaretoken": token}).status_code == 200
        return browser.cookies["sessionid"]

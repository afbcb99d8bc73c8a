"""Events of the AG-UI protocol for a trace, and a stream of a real server."""

from __future__ import annotations

import json
import re
import uuid
from typing import Any

import httpx
import pytest

from designer.models import Conversation
from designer.rehearsal.agui.event_stream import protocol_events
from orchestration import events as e
from tests.designer.live_conversations import MAX_WAIT, make_conversation, sample
from tests.designer.recorded_conversations import QUESTION, record_rehearsal
from tests.designer.rehearsal.agui.protocol_checks import (
    answer_text,
    assert_follows_the_protocol,
    protocol_messages,
    thread_of,
)
from tests.serving import BatonServer
from tests.websocket_client import WebsocketClient

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("support", (QUESTION, "Yes, please.")),
        ("support-desk", ("I was billed twice in March, my account is 7731.", "Yes")),
        ("city-guide", ("A guide to Lisbon, please.",)),
        ("coding", ("Write a function that parses dates.",)),
        ("weekend-trip", ("Plan me a weekend in Lisbon.", "Two people")),
        ("bike-shop", ("My chain is broken.", "Tomorrow")),
    ],
)
def test_the_trace_of_a_sample_follows_the_protocol(user, name, texts):
    events = protocol_messages(record_rehearsal(user, *texts, name=name))
    assert_follows_the_protocol(events)
    assert [event["type"] for event in events].count("RUN_STARTED") == len(texts)


def test_calls_of_the_supervisor_are_not_sent(user):
    conversation = record_rehearsal(
        user, "Good morning", "I am furious: nothing works!", name="support-desk"
    )
    supervised = [event for event in conversation.events() if "__supervisor_" in event.session_id]
    assert any(isinstance(event, e.MessageCompleted) and event.text for event in supervised)
    messages = protocol_messages(conversation)
    assert_follows_the_protocol(messages)
    sent = json.dumps(messages)
    assert not any("SUBAGENT" in message["type"] for message in messages)
    assert "Nothing to do." not in sent
    assert "I have told the agents" not in sent
    assert "take them as information" not in sent.lower()
    assert "Good morning" in sent


def test_events_between_runs_get_a_run_of_their_own(user):
    conversation = record_rehearsal(user)
    head: dict[str, Any] = {
        "seq": 99,
        "at": conversation.events()[-1].at,
        "session_id": conversation.session_id,
    }
    noted = e.SupervisorNoted(**head, run_id="", phase="review", text="Be brief.", by="ada")
    messages = protocol_events(noted, thread_of(conversation))
    events = [json.loads(one.model_dump_json(by_alias=True)) for one in messages]
    assert_follows_the_protocol(events)
    assert [event["type"] for event in events] == ["RUN_STARTED", "CUSTOM", "RUN_FINISHED"]


@pytest.fixture
def conversation(user) -> Conversation:
    return make_conversation(user, sample("support"))


def read(url: str, until: str, after: str = "", **options: Any) -> tuple[list[Any], str]:
    """Return the events of a stream up to one of a type, and the last id."""
    events: list[Any] = []
    last = after
    headers = {"Last-Event-ID": after} if after else {}
    with httpx.stream("GET", url, headers=headers, timeout=MAX_WAIT, **options) as response:
        assert response.status_code == 200
        for line in response.iter_lines():
            if line.startswith("data: "):
                events.append(json.loads(line[6:]))
            elif line.startswith("id: "):
                last = line[4:]
                if events and events[-1]["type"] == until:
                    break
    return events, last


def test_a_real_server_streams_a_persons_answer_to_a_front_end(start_server):
    server: BatonServer = start_server(samples=True, environment={"BATON_TOKENS_PER_SECOND": "200"})
    code = (
        "from django.contrib.auth.models import User;"
        "from designer.rehearsal.actions.conversations import start_conversation;"
        "from designer.rehearsal.actions.share_links import create_share_link;"
        "from designer.models import Pipeline;"
        f"user = User.objects.get(username={server.username!r});"
        "made = start_conversation("
        "pipeline=Pipeline.objects.get(owner=user, name='Customer support'), user=user);"
        "print(made.pk, create_share_link(conversation=made, user=user))"
    )
    pk, token = server.manage("shell", "--no-imports", "-c", code).split()[-2:]
    session = sign_in(server)
    headers = [("Origin", server.origin), ("Cookie", f"sessionid={session}")]
    with WebsocketClient(f"{server.websocket_url}/ws/conversations/{pk}/", headers) as socket:
        say = {"op": "say", "id": uuid.uuid4().hex, "text": QUESTION}
        socket.send(json.dumps(say))
        url = f"{server.url}/conversations/{pk}/ag-ui/"
        half, find_seq = read(url, "TEXT_MESSAGE_CONTENT", cookies={"sessionid": session})
        rest, end = read(url, "RUN_FINISHED", after=find_seq, cookies={"sessionid": session})
    assert_follows_the_protocol([*half, *rest])

    watched, _ = read(f"{server.url}/watch/{token}/ag-ui/", "RUN_FINISHED")
    assert_follows_the_protocol(watched)
    assert answer_text(watched) == answer_text([*half, *rest])
    assert "Order A-1043 is one desk lamp" in answer_text(watched)
    [finished] = [one for one in watched if one["type"] == "RUN_FINISHED"]
    assert finished["outcome"] == {"type": "success"}
    assert end.isdecimal()
    # By the time of the answer the server knows that its readers have left, and may stop.
    assert httpx.get(f"{server.url}/sign-in/", timeout=MAX_WAIT).status_code == 200


def sign_in(server: BatonServer) -> str:
    """Sign in as a browser does, and return the session's cookie."""
    with httpx.Client(follow_redirects=True, timeout=MAX_WAIT) as browser:
        page = browser.get(server.sign_in_url())
        [token] = re.findall(r'csrfmiddlewaretoken" value="([^"]+)"', page.text)
        assert browser.post(page.url, data={"csrfmiddlewaretoken": token}).status_code == 200
        return browser.cookies["sessionid"]

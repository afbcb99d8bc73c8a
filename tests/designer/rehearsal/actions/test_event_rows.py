"""Rows of events: the requests that caused them, and the report of their recording."""

import pytest

from designer.instrumentation import RequestContext, event_recorded, in_request
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.conversations import record_event, take_steps
from orchestration.control import Pause
from orchestration.events import RunPaused
from orchestration.messages import InboundMessage
from tests.designer.leases import begin_run
from tests.designer.rehearsal.run_events import received, run_started
from tests.orchestration.conversations import NOON

pytestmark = pytest.mark.django_db


def test_events_have_the_request_of_their_command(conversation):
    message = InboundMessage(id="message-1", text="Hello")
    with in_request(RequestContext("request-1")):
        command = put_command(conversation_id=conversation.pk, command=message)
    lease = begin_run(conversation_id=conversation.pk, event=run_started(), command=command)
    record_event(lease=lease, event=received(2))
    with in_request(RequestContext("request-2")):
        put_command(conversation_id=conversation.pk, command=Pause(id="pause-1", by="ada"))
    head = (3, NOON, conversation.session_id, "run-1", "intake")
    pause = RunPaused(*head, why="asked", ahead="turn", target="triage", command_id="pause-1")
    record_event(lease=lease, event=pause)
    rows = conversation.recorded_events.values_list("type", "request_id")
    assert list(rows) == [
        ("run.started", "request-1"),
        ("message.received", None),
        ("run.paused", "request-2"),
    ]


def test_an_event_is_reported_when_it_is_committed(
    conversation, django_capture_on_commit_callbacks
):
    reported = []

    def receive(*, conversation_id, session_id, event, **_):
        reported.append((conversation_id, session_id, event))
        raise RuntimeError("a failing receiver has no effect")

    event_recorded.connect(receive)
    try:
        event = run_started()
        with django_capture_on_commit_callbacks(execute=True):
            take_steps(conversation_id=conversation.pk, events=[event])
            assert reported == []
    finally:
        event_recorded.disconnect(receive)
    assert reported == [(conversation.pk, conversation.session_id, event)]

"""The thread of an AG-UI client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from designer.rehearsal.agui.agui_text import AnswerPart
from designer.rehearsal.agui.event_stream import protocol_events
from orchestration import events as e
from orchestration.messages import Usage
from tests.designer.recorded_conversations import record_rehearsal
from tests.designer.rehearsal.agui.protocol_checks import assert_follows_the_protocol, thread_of

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_run_that_is_cut_off_leaves_nothing_open(user):
    conversation = record_rehearsal(user)
    turn = next(event for event in conversation.events() if isinstance(event, e.TurnStarted))
    thread = thread_of(conversation)
    messages = [
        one
        for event in conversation.events(at_most=turn.seq)
        for one in protocol_events(event, thread)
    ]
    messages += thread.answer_part(AnswerPart(turn.run_id, turn.turn, 1, 0, "I am so"))
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
    messages += protocol_events(ended, thread)
    events = [json.loads(one.model_dump_json(by_alias=True)) for one in messages]
    assert_follows_the_protocol(events)
    assert events[-1]["outcome"] == {"type": "cancelled"}


def test_an_answer_that_another_worker_begins_anew_is_another_message(user):
    conversation = record_rehearsal(user)
    turn = next(event for event in conversation.events() if isinstance(event, e.TurnStarted))
    thread = thread_of(conversation)
    for event in conversation.events(at_most=turn.seq):
        protocol_events(event, thread)
    place = (turn.run_id, turn.turn)
    messages = thread.answer_part(AnswerPart(*place, 1, 0, "I am so"))
    messages += thread.answer_part(AnswerPart(*place, 2, 4, "lost its beginning"))
    messages += thread.answer_part(AnswerPart(*place, 2, 0, "We are"))
    messages += thread.answer_part(AnswerPart(*place, 1, 7, " sorry"))
    assert [(one.type.value, getattr(one, "delta", "")) for one in messages] == [
        ("TEXT_MESSAGE_START", ""),
        ("TEXT_MESSAGE_CONTENT", "I am so"),
        ("TEXT_MESSAGE_END", ""),
        ("TEXT_MESSAGE_START", ""),
        ("TEXT_MESSAGE_CONTENT", "We are"),
    ]
    ids = [one.model_dump()["message_id"] for one in messages]
    assert (ids[:3], ids[3:]) == ([ids[0]] * 3, [ids[3]] * 2)
    assert ids[0] != ids[3]

"""A supervised conversation in the chat and in the trace (contract O-5)."""

import re

import pytest
from django.urls import reverse

from designer.canvas import SUPERVISOR_CARD
from designer.models import Conversation
from designer.rehearsal.trace.canvas_highlight import Canvas, highlights
from orchestration import events as e
from tests.designer.htmx_page import find, page_of, text_of
from tests.designer.recorded_conversations import find_seq, record_rehearsal
from tests.designer.rehearsal.trace.event_stories import head, rendered
from tests.designer.rehearsal.trace.supervised_pages import (
    PRICE,
    detail,
    match,
    opened,
    part,
    record_supervised,
    reloaded,
    rows,
    trace_state,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation(user) -> Conversation:
    return record_supervised(user)


@pytest.mark.parametrize("page_of_conversation", [opened, reloaded])
def test_the_supervisors_words_are_in_the_trace_and_not_in_the_chat(
    conversation, page_of_conversation
):
    page = page_of_conversation(conversation)
    chat, trace = (text_of(find(page, pane)[1][2]) for pane in ("chat-log", "trace"))
    assert "I am furious" in chat
    assert "Nothing to do." not in chat
    assert "I have told the agents" not in chat
    assert "Supervisor called before the end of the run" in trace
    assert "Supervisor done" in trace


def test_the_effects_of_its_commands_are_recorded_once(conversation):
    events = conversation.events()
    noted = [event for event in events if isinstance(event, e.SupervisorNoted)]
    assert [event.by for event in noted] == ["Supervisor"]
    assert conversation.waits_for_human


def test_the_totals_of_the_conversation_include_the_supervisors_turns(conversation):
    events = conversation.events()
    answers = [event for event in events if isinstance(event, e.MessageCompleted)]
    by_supervisor = [event for event in answers if event.agent_id == "agent-supervisor"]
    page = page_of(events, trace_state(conversation, prices=PRICE))
    sums = match(r'id="sums".*?</p>', page)[0]
    tokens = sum(event.usage.input_tokens for event in answers)
    assert len(by_supervisor) > 2
    assert f"{len(answers)} turns" in sums
    assert f"{tokens:,} in" in sums
    cost = sum(
        (event.usage.input_tokens * 10 + event.usage.output_tokens * 20) / 1_000_000
        for event in answers
    )
    assert f"${cost:.4f}" in sums
    last_run = [event.run_id for event in events if event.session_id == conversation.session_id][-1]
    begin = next(n for n, event in enumerate(events) if event.run_id == last_run)
    calls = sum(isinstance(event, e.TurnStarted) for event in events[begin:])
    assert f"{calls} of 200 calls" in sums


def test_an_escalation_and_a_note_name_the_supervisor(conversation):
    page = opened(conversation)
    chat, trace = (text_of(find(page, pane)[1][2]) for pane in ("chat-log", "trace"))
    assert "Note to the next agent by Supervisor" in chat
    assert "requested by Supervisor" in chat
    assert "by Supervisor · hop 2 of 6 · The customer is angry." in " ".join(trace.split())


def test_a_pause_by_the_supervisor_has_its_reason_in_the_chat_and_the_trace(user):
    texts = (
        "I need a function that tells leap years from others",
        "Only Gregorian, and an error please",
        "Yes, and refuse years after 9999 too",
        "Yes, once more please",
    )
    conversation = record_rehearsal(user, *texts, name="coding")
    for page in (opened(conversation), reloaded(conversation)):
        chat, trace = (text_of(find(page, pane)[1][2]) for pane in ("chat-log", "trace"))
        reason = "This is the third round of the review: look at the task before it goes on."
        assert "Paused by Supervisor before Group checks is asked" in " ".join(chat.split())
        assert reason in chat
        assert f"asked by Supervisor · {reason}" in " ".join(trace.split())
    assert detail(part(rows(conversation), "end")[-1]).startswith("paused the run · ")


def test_the_supervisors_own_limit_has_a_readable_row():
    html = rendered(e.SupervisionLimited(**head(7), used=20, limit=20))
    text = " ".join(re.sub("<[^>]+>", " ", html).split())
    assert "supervision the supervisor has used its calls 20 of 20 calls" in text
    assert "the run continues without the supervisor" in text


def test_the_card_works_during_a_call_beside_the_active_stage(conversation):
    state, canvas = trace_state(conversation), Canvas()
    active_during = set()
    for event, highlight in highlights(conversation.events(), state):
        before = canvas.active
        canvas.apply(highlight)
        match event:
            case e.SubtaskStarted(kind="supervision"):
                assert canvas.working[SUPERVISOR_CARD, ""]
                assert canvas.active == before
                active_during.add(canvas.active)
            case e.SubtaskCompleted(kind="supervision"):
                assert not canvas.working[SUPERVISOR_CARD, ""]
    assert len(active_during) > 0
    assert all(stage.startswith("stage-") for stage in active_during)
    assert {"ends": SUPERVISOR_CARD} in list(canvas.highlights())


def test_a_turn_of_the_supervisor_shows_the_request_to_the_model(conversation, client):
    supervised = find_seq(conversation, "subtask.started")
    turn = next(
        event
        for event in conversation.events()
        if isinstance(event, e.TurnStarted) and event.seq > supervised
    )
    assert turn.agent_id == "agent-supervisor"
    html = client.get(reverse("conversation_event", args=[conversation.pk, turn.seq])).text
    assert "You supervise a conversation between a user and other agents" in html
    assert "These are the events since your last call." in html
    assert "Hand the conversation over to a person." in html

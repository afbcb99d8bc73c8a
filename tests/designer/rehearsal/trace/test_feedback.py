"""Feedback on answers in the trace, in the chat and in trace files."""

import re

import pytest
from django.urls import reverse

from designer.pipelines.traces import open_trace
from orchestration.control import GiveFeedback
from orchestration.events import FeedbackGiven
from orchestration.runtime import read_trace
from tests.designer.recorded_conversations import converse, find_seq, steer
from tests.designer.rehearsal.agui.protocol_checks import (
    assert_follows_the_protocol,
    protocol_messages,
)
from tests.designer.rehearsal.trace.trace_pages import numbers

pytestmark = pytest.mark.django_db


@pytest.fixture
def answers(conversation):
    """Return the numbers of two answers: the first is rated as bad, the second as good."""
    seqs = [find_seq(conversation, "message.completed", which) for which in (0, -1)]
    for seq, rating, comment in zip(seqs, ("down", "up"), ("Too <slow>.", ""), strict=True):
        rate(conversation, seq, rating, comment)
    return seqs


def rate(conversation, about, rating="", comment=""):
    command = GiveFeedback(
        id=f"feedback-{about}-{rating}", by="ada", about=about, rating=rating, comment=comment
    )
    steer(conversation, command)


def test_the_trace_finds_feedback_by_its_kind_and_rating(ask, conversation, answers):
    rated = [find_seq(conversation, "feedback.given", which) for which in (0, 1)]
    assert numbers(ask("conversation_events", kind="feedback")) == rated
    assert numbers(ask("conversation_events", text="feedback: down")) == rated[:1]
    row = ask("conversation_events", text="feedback: down")
    assert "thumbs <b>down</b>" in row
    assert f"event {answers[0]}" in row
    assert "Too &lt;slow&gt;." in row


def test_an_answer_names_itself_and_the_page_holds_its_feedback(ask, answers):
    html = ask("conversation")
    shown = re.findall(r'data-about="(\d+)" data-rating="(\w*)" data-by="ada"\s*>([^<]*)<', html)
    assert shown == [(str(answers[0]), "down", "Too &lt;slow&gt;."), (str(answers[1]), "up", "")]
    assert f'data-answer="{answers[0]}"' in html


def test_feedback_before_the_shown_events_is_on_the_page(ask, conversation, answers, settings):
    rate(conversation, answers[0], "up")
    settings.TRACE_PAGE = 3
    converse(conversation, "Thank you.")
    html = ask("conversation")
    assert html.count(f'data-about="{answers[0]}" data-rating="up"') == 1
    assert f'data-about="{answers[0]}" data-rating="down"' not in html


def test_a_trace_file_keeps_feedback(client, conversation, answers):
    data = client.get(reverse("trace_export", args=[conversation.pk])).content
    opened = open_trace(user=conversation.started_by, trace=read_trace(data))
    kept = [event for event in opened.events() if isinstance(event, FeedbackGiven)]
    assert [(event.about, event.rating) for event in kept] == [
        (answers[0], "down"),
        (answers[1], "up"),
    ]
    page = client.get(reverse("conversation", args=[opened.pk])).text
    assert f'data-about="{answers[0]}" data-rating="down"' in page
    assert "data-remark" not in page, "a trace from a file can only be read"


def test_an_ag_ui_client_receives_feedback(conversation, answers):
    messages = protocol_messages(conversation)
    assert_follows_the_protocol(messages)
    given = [message["value"] for message in messages if message.get("name") == "feedback.given"]
    assert [(value["about"], value["rating"]) for value in given] == [
        (answers[0], "down"),
        (answers[1], "up"),
    ]

"""The inspection of an event."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from designer.rehearsal.views.events import trace_event
from tests.designer.recorded_conversations import QUESTION, find_seq

pytestmark = pytest.mark.django_db


def opened(client, conversation, kind: str, which: int = 0) -> str:
    seq = find_seq(conversation, kind, which)
    response = client.get(reverse("conversation_event", args=[conversation.pk, seq]))
    return str(response.content.decode())


@pytest.mark.parametrize("kind", ["turn.started", "message.completed"])
def test_a_turn_opens_to_the_request_that_its_model_got(client, conversation, kind):
    html = opened(client, conversation, kind, 1)
    handler = conversation.snapshot().agents_by_id["agent-handler"]
    assert escape(handler.instructions.strip()[:60]) in html
    assert escape(QUESTION) in html
    assert "lookup_order" in html
    assert "handoff_conversation" in html
    assert "from Triage" in html


def test_an_opened_handoff_shows_the_context_of_both_sides(client, conversation):
    html = opened(client, conversation, "handoff.accepted")
    assert "Triage had" in html
    assert "Handler got" in html
    assert escape(QUESTION) in html
    assert "[Context from previous agent (agent-triage)]" in html


def test_a_holder_of_a_share_link_sees_no_instructions(rf, conversation):
    conversation.is_watched = True
    seq = find_seq(conversation, "turn.started")
    html = trace_event(rf.get("/"), conversation, seq).content.decode()
    assert "System prompt" not in html

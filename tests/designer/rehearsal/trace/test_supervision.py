"""A supervised conversation in the chat and in the trace (contract O-5)."""

import pytest

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.events import render_event
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e
from tests.designer.htmx_page import Page, find, page_of, swap, text_of
from tests.designer.recorded_conversations import record_rehearsal

pytestmark = pytest.mark.django_db


@pytest.fixture
def conversation(user):
    texts = ("Good morning", "I am furious: nothing works for the third time!")
    return record_rehearsal(user, *texts, name="support-desk")


def trace_state(conversation):
    return TraceState.of(Names.of(conversation.snapshot()), conversation.pipeline_for)


def opened(conversation):
    """Return a page that was open from the first event."""
    state = trace_state(conversation)
    page = Page(page_of([], state)).root
    for event in conversation.events():
        swap(page, render_event(event, state))
    return page


def reloaded(conversation):
    """Return a page that was loaded after the last event."""
    return Page(page_of(conversation.events(), trace_state(conversation))).root


@pytest.mark.parametrize("page_of_conversation", [opened, reloaded])
def test_the_supervisors_words_are_in_the_trace_and_not_in_the_chat(
    conversation, page_of_conversation
):
    page = page_of_conversation(conversation)
    chat, trace = (text_of(find(page, pane)[1][2]) for pane in ("chat-log", "trace"))
    assert "I am furious" in chat
    assert "Nothing to do." not in chat
    assert "I have told the agents" not in chat
    assert "Supervisor supervises" in trace
    assert "Supervisor done" in trace


def test_the_effects_of_its_commands_are_recorded_once(conversation):
    events = conversation.events()
    noted = [event for event in events if isinstance(event, e.SupervisorNoted)]
    assert [event.by for event in noted] == ["Supervisor"]
    assert conversation.waits_for_human

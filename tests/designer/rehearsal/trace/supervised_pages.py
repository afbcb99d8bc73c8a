"""A supervised conversation, and its pages and rows."""

import re

from django.contrib.auth.models import User

from designer.models import Conversation
from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.events import render_event
from designer.rehearsal.trace.trace_state import TraceState
from tests.designer.htmx_page import Page, page_of, swap
from tests.designer.recorded_conversations import record_rehearsal

PRICE = {"scripted": (10.0, 20.0)}


def record_supervised(user: User) -> Conversation:
    """Record a conversation that the supervisor hands over to a person."""
    texts = ("Good morning", "I am furious: nothing works for the third time!")
    return record_rehearsal(user, *texts, name="support-desk")


def trace_state(conversation, **options):
    names = Names.of(conversation.snapshot())
    return TraceState.of(names, conversation.pipeline_for, **options)


def rows(conversation, **options):
    """Return the rows of a trace as HTML, one after the other."""
    trace = page_of(conversation.events(), trace_state(conversation, **options))
    return re.findall(r'<li id="event-.*?</li>', trace, re.DOTALL)


def match(pattern, html):
    found = re.search(pattern, html, re.DOTALL)
    assert found, pattern
    return found


def detail(row):
    return " ".join(match(r'event__detail">(.*?)</span>', row)[1].split())


def part(found, name):
    """Return the first or the last rows of the supervisor's calls."""
    return [row for row in found if f'data-call-part="{name}"' in row]


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

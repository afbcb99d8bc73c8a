"""The supervisor pane: pages of rows, the track of the canvas, and a page far behind."""

import json

import pytest

from designer.rehearsal.trace.event_fragments import HIGHLIGHTS, PANES
from designer.rehearsal.trace.events import render_panes
from designer.rehearsal.trace.trace import highlighted_canvas, pane_context, render_all_panes
from designer.rehearsal.trace.trace_window import trace_state_at
from orchestration import events as e
from tests.designer.htmx_page import Page, find, swap, text_of
from tests.designer.rehearsal.trace.trace_pages import before, numbers

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("size", [1, 7, 200])
def test_page_by_page_every_event_is_shown_once(ask, conversation, settings, size):
    settings.TRACE_PAGE = size
    html = ask("conversation")
    shown = numbers(html)
    while first := before(html):
        assert first == shown[0]
        html = ask("conversation_events", before=first)
        shown = [*numbers(html), *shown]
    assert shown == list(range(1, conversation.last_seq + 1))


def test_before_the_first_event_there_is_nothing(ask, conversation):
    assert ask("conversation_events", before=1) == ""
    assert ask("earlier_chat", before=1) == ""


def test_the_rows_around_an_event_hold_it(ask, conversation, settings):
    settings.TRACE_PAGE = 8
    assert 11 in numbers(ask("conversation_events", around=11))


def test_the_sums_until_an_event_are_those_the_page_showed_after_it(ask, conversation):
    events = conversation.events()
    counts = [n for n, event in enumerate(events, 1) if isinstance(event, e.MessageCompleted)]
    for count in (counts[0], counts[2], counts[-1]):
        shown = render_panes(events[:count], trace_state_at(conversation, 0))
        now = text_of(Page(shown["supervisor_sums"]).root)
        then = Page(ask("conversation_sums", at=count)).root
        sums, context = (text_of([find(then, name)[1]]) for name in ("sums-then", "context-then"))
        assert sums == now.replace("Whole conversation", f"Until event {count}")
        assert context == text_of(Page(shown["context_meter"]).root)
    assert "Until event 0" in ask("conversation_sums", at=0)
    assert "0 turns" in ask("conversation_sums", at=1)


def test_the_track_leads_up_to_the_highlighted_canvas(ask, conversation):
    steps = json.loads(ask("conversation_track"))
    assert [step[0] for step in steps][-1] == conversation.last_seq
    canvas = highlighted_canvas(conversation, conversation.snapshot())
    assert canvas.active == steps_active(steps)
    assert sum(count for count, _ in canvas.traversed.values()) == sum(
        "traversed" in light for _, _, light in steps
    )


def steps_active(steps) -> str:
    return str([light["active"] for _, _, light in steps if "active" in light][-1])


def test_a_page_far_behind_is_replaced_by_a_new_one(conversation):
    shown = pane_context(conversation, conversation.snapshot())
    old = "".join(f'<div id="{pane}"><i>old</i></div>' for pane in PANES)
    page = Page(old).root
    swap(page, render_all_panes(conversation))
    for pane in set(PANES) - {"composer-question", HIGHLIGHTS}:
        loaded = Page(str(shown[pane.replace("-", "_")])).root
        assert find(page, pane)[1][2] == loaded
    anew, *lit_again = find(page, HIGHLIGHTS)[1][2]
    assert anew[1] == {"data-anew": "yes"}
    assert lit_again == Page(str(shown["lights"])).root

"""Events as HTML: one table for the page and for the socket."""

import msgspec
import pytest

from designer.rehearsal.trace.events import render_event, render_text
from orchestration import events as e
from tests.designer.htmx_page import Page, find, swap, text_of, without_space
from tests.designer.rehearsal.trace.event_stories import (
    UNION,
    panes,
    rendered,
    trace_state,
    what_asks_first,
    whole_story,
)


def test_the_story_holds_every_recorded_type():
    assert {type(event) for event in whole_story()} == set(UNION) - {e.MessageDelta}


@pytest.mark.parametrize("seen", range(53))
def test_a_reload_shows_the_same_as_the_socket(seen):
    """A page that is loaded in the middle and follows the events equals one loaded at the end."""
    story = whole_story()
    page, state = Page(panes(story[:seen])).root, trace_state(story[:seen])
    for event in story[seen:]:
        swap(page, render_event(event, state))

    assert without_space(page) == without_space(Page(panes(story)).root)


def test_the_reason_of_a_repeated_call_stands_before_its_answer():
    story = whole_story()
    turn = next(event for event in story if isinstance(event, e.TurnStarted))
    failed = next(event for event in story if isinstance(event, e.TurnRetried))
    retried = msgspec.structs.replace(failed, seq=99, run_id=turn.run_id, turn=turn.turn)
    for page in (Page(panes(story[:6])).root, Page(panes([*story[:6], retried])).root):
        if not find(page, "chat-99"):
            swap(page, rendered(retried, after=story[:6]))
        siblings, tried = find(page, "chat-99")
        ids = [one[1].get("id") for one in siblings if isinstance(one, tuple)]
        assert ids[ids.index("chat-99") + 1] == f"turn-{turn.run_id}-{turn.turn}"
        assert "try 1 of" in text_of([tried])


def test_the_text_of_an_answer_grows_in_place_and_the_completed_message_replaces_it():
    story = whole_story()[:7]
    page = Page(panes(story[:6])).root
    swap(page, render_text("r1", 1, "Hello, ", is_whole=True))
    swap(page, render_text("r1", 1, "<b>you</b>", is_whole=False))
    text = find(page, "turn-r1-1-text")[1][2]
    assert "".join(text) == "Hello, &lt;b&gt;you&lt;/b&gt;"

    swap(page, rendered(story[6], after=story[:6]))
    assert text_of(find(page, "turn-r1-1-text")[1][2]).startswith("&lt;script")


def test_an_answer_that_was_cut_off_stays_as_far_as_it_came():
    story = whole_story()
    page = Page(panes(story[:17])).root
    assert "data-streaming" in find(page, "turn-r1-3")[1][1]
    swap(page, rendered(story[17], after=story[:17]))
    turn = find(page, "turn-r1-3")[1]
    assert "data-streaming" not in turn[1]
    assert "".join(find(page, "turn-r1-3-text")[1][2]).startswith("&lt;script")
    assert turn[2][-1][2] == ["cut off"]


def test_no_text_becomes_markup():
    html = panes(whole_story())
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 6


def test_an_approval_request_stays_in_chat_and_pane_until_it_is_decided():
    story = what_asks_first(42)
    page = Page(panes(story[:4])).root
    waiting = [one for one in find(page, "approvals")[1][2] if isinstance(one, tuple)]
    assert len(waiting) == 3
    assert "wants to call pay" in text_of(waiting[0][2])
    assert "&lt;b&gt;" in text_of(waiting[0][2])
    assert "waits for approval" in text_of(find(page, "chat-log")[1][2])
    state = trace_state(story[:4])
    swap(page, render_event(story[4], state))
    still = [one for one in find(page, "approvals")[1][2] if isinstance(one, tuple)]
    assert ["hidden" in one[1] for one in still] == [True, False, False]
    assert "changed the call to" in text_of(find(page, "chat-log")[1][2])
    for event in story[5:]:
        swap(page, render_event(event, state))
    assert find(page, "approvals")[1][2] == []


def test_a_run_that_waits_for_approval_cannot_just_go_on():
    page = Page(panes(what_asks_first(42)[:4])).root
    assert find(page, "steering")[1][1]["data-standing"] == "asking"
    assert find(page, "steer-go-on") is None
    assert "Waiting" in text_of(find(page, "composer-actions")[1][2])


def test_a_handoff_is_a_line_across_the_chat_with_phases_and_reason():
    html = rendered(whole_story()[11])
    assert "Triage → Handler" in html
    assert "intake → handling" in html
    assert 'data-traversed="edge-intake--handling"' in html

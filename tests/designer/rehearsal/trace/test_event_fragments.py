"""The fragments of an event, and their ids."""

import re

import msgspec
import pytest

from designer.rehearsal.trace.event_fragments import CHAT
from designer.rehearsal.trace.events import render_fragments
from orchestration import events as e
from orchestration.messages import ToolResult
from tests.designer.htmx_page import Page, find
from tests.designer.rehearsal.trace.event_stories import (
    changed,
    head,
    panes,
    rendered,
    trace_state,
    whole_story,
)


def test_an_answer_that_had_not_begun_leaves_no_empty_line():
    story = whole_story()
    ended = changed(story[17], cut_off="")
    html = rendered(ended, after=story[:17])
    assert 'data-silent><span id="turn-r1-3-text" dir="auto"></span></div>' in html


def test_an_id_that_a_model_wrote_never_reaches_the_page_as_it_is():
    html = panes(whole_story())
    assert re.search(r'<details id="call-[0-9a-f]{16}" data-event="8" class="tool-call">', html)
    assert "call &quot;" not in html


def test_a_tool_s_result_and_time_stand_in_its_call():
    _, (_, _, content) = find(Page(panes(whole_story()[:9])).root, "chat-log")
    [call] = [one for one in content if isinstance(one, tuple) and one[0] == "details"]
    assert find(call[2], call[1]["id"] + "-time")[1][1]["class"] == "tool-call__time"
    assert find(call[2], call[1]["id"] + "-result") is not None


@pytest.mark.parametrize(("error", "is_example"), [(None, True), ("It has no examples.", False)])
def test_only_a_call_that_an_example_answered_says_so(error, is_example):
    returned = whole_story()[8]
    assert isinstance(returned, e.ToolReturned)
    result = msgspec.structs.replace(returned.result, error=error, stood_in=True)
    html = rendered(changed(returned, result=result), after=whole_story()[:8])
    assert ("example used" in html) is is_example
    assert ("example ·" in html) is is_example
    assert ("failed ·" in html) is not is_example


def test_a_handoff_that_could_not_be_read_is_told_in_the_trace_alone():
    result = ToolResult(call_id="c9", name="handoff_conversation", error="no target")
    event = e.ToolReturned(**head(9), result=result)
    assert [one.slot.container for one in render_fragments(event, trace_state())] == [
        "trace",
        "next-step-state",
    ]


def test_every_entry_of_the_chat_has_the_number_of_its_event():
    state = trace_state()
    entries = [
        (event.seq, fragment.html)
        for event in whole_story()
        for fragment in render_fragments(event, state)
        if fragment.slot.fragment.pane == CHAT
    ]
    assert len(entries) > 20
    assert all(f'data-event="{seq}"' in html for seq, html in entries)

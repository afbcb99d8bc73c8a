"""Windows of a trace."""

from collections.abc import Mapping

import pytest

from designer.rehearsal.trace.events import render_panes
from designer.rehearsal.trace.trace_window import new_trace_state, trace_state_at, window

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("size", [1, 7, 200])
def test_chat_and_trace_are_the_same_page_by_page_as_at_once(conversation, settings, size):
    definition = conversation.snapshot()
    whole = render_panes(conversation.events(), new_trace_state(conversation, definition))
    settings.TRACE_PAGE = size
    parts: list[Mapping[str, str]] = []
    upto = None
    while upto != 1:
        found = window(conversation, upto)
        parts.insert(0, render_panes(found.events, found.trace_state.copy()))
        upto = found.first
    for pane in ("chat_log", "trace"):
        assert "".join(part[pane] for part in parts) == whole[pane]


def test_a_page_that_is_followed_by_the_socket_is_the_one_loaded_at_the_end(conversation):
    """Totals, context and costs continue after the last event of the page."""
    for seen in range(0, conversation.last_seq, 5):
        trace_state = trace_state_at(conversation, seen)
        all_at_once = new_trace_state(conversation, conversation.snapshot())
        render_panes(conversation.events(at_most=seen), all_at_once)
        assert (trace_state.spent, trace_state.open) == (all_at_once.spent, all_at_once.open)

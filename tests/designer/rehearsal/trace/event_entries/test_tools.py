"""Entries of the events of tools: calls, approvals, and questions to the user."""

from html import unescape

import pytest

from orchestration import events as e
from orchestration.messages import ToolCall
from tests.designer.rehearsal.trace.drawn_spans import drawn, first, spans
from tests.designer.rehearsal.trace.event_stories import (
    head,
    rendered,
)


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"a": "\\ud800"}', "7" * 5_000])
def test_arguments_that_are_no_unambiguous_json_are_shown_unchanged(arguments):
    call = ToolCall(id="call-1", name="look_up", arguments=arguments)
    fragments = rendered(e.ToolCalled(**head(1), call=call))
    assert arguments in unescape(str(fragments))


def test_an_approval_is_waited_for_until_it_is_decided():
    requested, decided = first(e.ApprovalRequested), first(e.ApprovalGiven)
    [span] = spans(drawn(requested, decided))
    assert (span.kind, span.label, span.end is None) == ("wait", "pay", False)

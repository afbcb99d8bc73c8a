"""The details of an event in its row and in the chat."""

from html import unescape

import pytest

from designer.rehearsal.trace.events import render_fragments
from orchestration import events as e
from tests.designer.rehearsal.trace.event_stories import (
    changed,
    panes,
    rendered,
    trace_state,
    what_asks_first,
    whole_story,
)


@pytest.mark.parametrize(("by", "said"), [("ada", "Stopped by ada"), (None, "Stopped on request")])
def test_a_run_that_was_stopped_says_who_did_it_where_that_was_recorded(by, said):
    *_, ended = what_asks_first(1)
    body = {name: value for name, value in e.dump(ended).items() if name != "by"}
    shown = panes([e.load(body | ({"by": by} if by else {}))])
    assert said in shown
    assert shown.count("by ada") == (2 if by else 0), "in the chat, and in the trace"


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("agent-triage has the conversation.", "Triage has the conversation."),
        (
            "There is no transition from stage 'agent-triage' to stage 'b' (agent-handler).",
            "There is no transition from stage 'agent-triage' to stage 'b' (Handler).",
        ),
        (
            "You can hand over to: agent-nobody, human.",
            "You can hand over to: agent-nobody, human.",
        ),
    ],
)
def test_the_engine_s_sentences_name_agents_by_their_names(sentence, shown):
    routed = changed(whole_story()[3], reason=sentence)
    refused = changed(whole_story()[10], why=sentence)
    for event, times in ((routed, 1), (refused, 2)):
        assert unescape(rendered(event)).count(shown) == times


@pytest.mark.parametrize("reason", list(e.StopReason))
def test_every_end_of_a_run_is_visible_but_a_reply(reason):
    event = changed(whole_story()[15], reason=reason)
    chat = render_fragments(event, trace_state())[0].html
    assert ('class="remark' in chat) == (reason is not e.StopReason.REPLIED)


def test_a_handoff_to_the_human_names_the_human():
    event = changed(whole_story()[11], to_agent=None, to_phase="escalation")
    assert "Triage → Human" in rendered(event)

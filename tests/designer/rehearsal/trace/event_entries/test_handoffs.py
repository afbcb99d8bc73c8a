"""Entries of the events of handoffs and changes of the stage."""

from html import unescape

import pytest

from orchestration import events as e
from tests.designer.rehearsal.trace.drawn_spans import drawn, first
from tests.designer.rehearsal.trace.event_stories import (
    changed,
    rendered,
    whole_story,
)


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


def test_a_handoff_to_the_human_names_the_human():
    event = changed(whole_story()[11], to_agent=None, to_phase="escalation")
    assert "Triage → Human" in rendered(event)


def test_a_refused_handoff_says_why_and_flashes_its_edge():
    html = rendered(whole_story()[10])
    assert "refused · <bdi>no way</bdi>" in html
    assert 'data-refused="edge-intake--resolution"' in html


def test_a_rejection_without_a_known_target_is_not_drawn():
    rejected = changed(first(e.HandoffRejected), to_agent=None)
    assert not drawn(rejected).handoffs
    [line] = drawn(changed(rejected, to_agent="agent-resolver")).handoffs
    assert line.refused

"""Search in a trace."""

import json
import re
from html import unescape

import pytest

from designer.rehearsal.fragments.markdown import render_markdown
from tests.designer.recorded_conversations import find_seq, types
from tests.designer.rehearsal.trace.trace_pages import numbers

pytestmark = pytest.mark.django_db


def test_rows_are_filtered_by_kind_agent_and_words(ask, conversation):
    kinds = types(conversation)
    handoffs = [seq for seq, kind in enumerate(kinds, 1) if kind.startswith("handoff.")]
    assert numbers(ask("conversation_events", kind="handoff")) == handoffs
    events = {event.seq: event for event in conversation.events()}
    by_handler = numbers(ask("conversation_events", agent="Handler"))
    assert by_handler
    assert {events[seq].agent_id for seq in by_handler} == {"agent-handler"}
    found = numbers(ask("conversation_events", text="ending 4242", kind="message"))
    assert [events[seq].message.text for seq in found] == ["It was the card ending in 4242."]
    assert numbers(ask("conversation_events", text="nowhere-to-be-found")) == []


def test_new_events_match_by_words_that_their_rows_do_not_show(ask, conversation):
    said = find_seq(conversation, "message.completed")
    words = conversation.events()[said - 1].text.split()[-2:]
    wanted = {"text": " ".join(words), "kind": "model"}
    assert words[0] not in rows_of(ask("conversation_events"))[said]
    state = json.loads(unescape(ask("conversation_events", after=0, **wanted)))
    assert state["upto"] == conversation.last_seq
    [(name, text)] = state["found"][str(said)]
    assert name == "text"
    assert words[0] in text
    after = json.loads(unescape(ask("conversation_events", after=said, **wanted)))
    assert str(said) not in after["found"]
    none = json.loads(unescape(ask("conversation_events", after=state["upto"], **wanted)))
    assert none == {"upto": state["upto"], "found": {}}


def test_a_row_names_the_field_of_a_match_that_it_does_not_show(ask, conversation):
    called = find_seq(conversation, "turn.started")
    by_tool = rows_of(ask("conversation_events", text="lookup_order Handler"))
    assert by_tool
    hits = {re.search(r"in <b>([^<]+)</b>: [^<]*lookup_order", row) for row in by_tool.values()}
    assert None in hits, "a row that says the word itself says nothing more"
    assert {hit[1] for hit in hits if hit} >= {"tools"}
    assert called in numbers(ask("conversation_events", text="context_tokens"))


def test_the_number_of_all_matches_comes_with_each_page(ask, conversation, settings):
    in_all = len(numbers(ask("conversation_events", kind="model")))
    assert f'data-count="{in_all}"' in ask("conversation_events", kind="model")
    settings.TRACE_PAGE = 2
    assert f'data-count="{in_all}"' in ask("conversation_events", kind="model")
    assert f'data-count="{in_all}"' in ask("conversation_events", kind="model", around=1)
    assert "data-count" not in ask("conversation_events", kind="model", before=9)
    assert "data-count" not in ask("conversation_events")


def test_the_selected_event_is_among_the_matches(ask, conversation):
    handoffs = numbers(ask("conversation_events", kind="handoff"))
    last = conversation.last_seq
    assert numbers(ask("conversation_events", kind="handoff", around=last)) == [*handoffs, last]


def test_a_search_renders_no_markdown(ask, conversation):
    render_markdown.clear()
    ask("conversation_events", text="nowhere-to-be-found")
    assert len(render_markdown) == 0


def test_a_filtered_row_is_the_same_row(ask, conversation):
    whole = rows_of(ask("conversation_events"))
    for kind in ("model", "handoff", "run"):
        filtered = rows_of(ask("conversation_events", kind=kind))
        assert filtered
        assert all(whole[number] == row for number, row in filtered.items())


def test_a_search_text_is_never_markup(ask, conversation):
    assert "<script>" not in ask("conversation_events", text="<script>")


def rows_of(html: str) -> dict[int, str]:
    rows = re.findall(r'<li id="event-(\d+)".*?</details></li>', html, re.DOTALL)
    texts = re.findall(r'<li id="event-\d+".*?</details></li>', html, re.DOTALL)
    return dict(zip(map(int, rows), texts, strict=True))

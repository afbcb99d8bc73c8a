"""Entries of the events of runs: start, limits and end."""

import pytest

from designer.rehearsal.trace.events import render_fragments
from orchestration import events as e
from tests.designer.rehearsal.trace.drawn_spans import drawn, first, spans
from tests.designer.rehearsal.trace.event_stories import (
    changed,
    head,
    panes,
    rendered,
    trace_state,
    what_asks_first,
    whole_story,
)


@pytest.mark.parametrize(("by", "said"), [("ada", "Stopped by ada"), (None, "Stopped on request")])
def test_a_stopped_run_names_the_person_if_recorded(by, said):
    *_, ended = what_asks_first(1)
    body = {name: value for name, value in e.dump(ended).items() if name != "by"}
    shown = panes([e.load(body | ({"by": by} if by else {}))])
    assert said in shown
    assert shown.count("by ada") == (2 if by else 0), "in the chat, and in the trace"


@pytest.mark.parametrize("reason", list(e.StopReason))
def test_every_end_of_a_run_is_visible_but_a_reply(reason):
    event = changed(whole_story()[15], reason=reason)
    chat = render_fragments(event, trace_state())[0].html
    assert ('class="remark' in chat) == (reason is not e.StopReason.REPLIED)


@pytest.mark.parametrize(
    ("resource", "used", "limit", "words"),
    [
        ("calls", 200, 200, "200 of 200"),
        ("tokens", 1_000_204, 1_000_000, "1,000,204 of 1,000,000"),
        ("cost", 0.3, 0.25, "$0.3000 of $0.2500"),
        ("time", 900.0, 900.0, "900 of 900 seconds"),
        ("turns", 24, 24, "24 of 24"),
    ],
)
def test_a_reached_limit_shows_its_amount_and_unit(resource, used, limit, words):
    event = e.LimitReached(**head(15), resource=resource, used=used, limit=limit)
    assert f"<b>{resource}</b> is reached" in rendered(event)
    assert words in rendered(event)


def test_the_end_of_a_run_ends_its_open_spans():
    started, failed = first(e.TurnStarted), first(e.RunFailed)
    [span] = spans(drawn(started, failed))
    assert span.failed

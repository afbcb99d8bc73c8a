"""The supervisor pane: rows a page at a time, filtered, opened, to scale; and the chat."""

import json
import re
from collections.abc import Mapping
from html import unescape

import pytest
from django.urls import reverse
from django.utils.html import escape

from designer.models import Conversation
from designer.rehearsal.actions.break_points import mark_point
from designer.rehearsal.fragments.break_points import render_break_points
from designer.rehearsal.fragments.markdown import render_markdown
from designer.rehearsal.trace.contexts import contexts_of
from designer.rehearsal.trace.event_fragments import HIGHLIGHTS, PANES
from designer.rehearsal.trace.events import render_panes
from designer.rehearsal.trace.timeline import timeline_of
from designer.rehearsal.trace.trace import highlighted_canvas, pane_context, render_all_panes
from designer.rehearsal.trace.trace_window import new_trace_state, trace_state_at, window
from designer.rehearsal.views.events import trace_event
from orchestration import events as e
from tests.designer.htmx_page import Page, find, swap
from tests.designer.recorded_conversations import QUESTION, had, place, types

pytestmark = pytest.mark.django_db

TEXTS = (QUESTION, "Yes, please do.", "It was the card ending in 4242.")


@pytest.fixture
def conversation(user) -> Conversation:
    return had(user, *TEXTS)


@pytest.fixture
def ask(client, conversation):
    """Ask for something of the conversation; the answer's text."""

    def get(name: str, **wanted) -> str:
        response = client.get(reverse(name, args=[conversation.pk]), wanted)
        assert response.status_code == 200
        return str(response.content.decode())

    return get


def numbers(html: str) -> list[int]:
    return [int(one) for one in re.findall(r'id="event-(\d+)"', html)]


def before(html: str, what: str = "trace") -> int:
    """From which event on the way to earlier ones leads back; 0 where there is none."""
    found = re.search(rf'data-earlier="{what}".*?name="before" value="(\d+)"', html)
    return int(found[1]) if found else 0


# A page of rows


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


@pytest.mark.parametrize("size", [1, 7, 200])
def test_page_by_page_chat_and_trace_are_what_they_are_at_once(conversation, settings, size):
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
    """The sums, the context and the costs go on where the page left off."""
    for seen in range(0, conversation.last_seq, 5):
        trace_state = trace_state_at(conversation, seen)
        all_at_once = new_trace_state(conversation, conversation.snapshot())
        render_panes(conversation.events(at_most=seen), all_at_once)
        assert (trace_state.spent, trace_state.open) == (all_at_once.spent, all_at_once.open)


def test_before_the_first_event_there_is_nothing(ask, conversation):
    assert ask("conversation_events", before=1) == ""
    assert ask("earlier_chat", before=1) == ""


def test_the_rows_around_an_event_hold_it(ask, conversation, settings):
    settings.TRACE_PAGE = 8
    assert 11 in numbers(ask("conversation_events", around=11))


@pytest.mark.parametrize(
    "wanted", [{"before": "0"}, {"before": "x"}, {"around": "-3"}, {"text": "x" * 201}]
)
def test_what_makes_no_sense_is_not_there(client, conversation, wanted):
    response = client.get(reverse("conversation_events", args=[conversation.pk]), wanted)
    assert response.status_code == 404


# The filter


def test_rows_are_filtered_by_kind_agent_and_words(ask, conversation):
    kinds = types(conversation)
    handoffs = [seq for seq, kind in enumerate(kinds, 1) if kind.startswith("handoff.")]
    assert numbers(ask("conversation_events", kind="handoff")) == handoffs
    events = {event.seq: event for event in conversation.events()}
    by_handler = numbers(ask("conversation_events", agent="Handler"))
    assert by_handler
    assert {events[seq].agent_id for seq in by_handler} == {"agent-handler"}
    found = numbers(ask("conversation_events", text="ending 4242", kind="message"))
    assert [events[seq].message.text for seq in found] == [TEXTS[2]]
    assert numbers(ask("conversation_events", text="nowhere-to-be-found")) == []


def test_of_what_came_those_are_told_that_hold_the_words_though_no_row_shows_them(
    ask, conversation
):
    said = place(conversation, "message.completed")
    words = conversation.events()[said - 1].text.split()[-2:]
    wanted = {"text": " ".join(words), "kind": "model"}
    assert words[0] not in rows_of(ask("conversation_events"))[said]
    told = json.loads(unescape(ask("conversation_events", after=0, **wanted)))
    assert told["upto"] == conversation.last_seq
    [(name, text)] = told["found"][str(said)]
    assert name == "text"
    assert words[0] in text
    after = json.loads(unescape(ask("conversation_events", after=said, **wanted)))
    assert str(said) not in after["found"]
    none = json.loads(unescape(ask("conversation_events", after=told["upto"], **wanted)))
    assert none == {"upto": told["upto"], "found": {}}


def test_a_row_that_does_not_show_what_is_looked_for_says_where_it_is_found(ask, conversation):
    called = place(conversation, "turn.started")
    by_tool = rows_of(ask("conversation_events", text="lookup_order Handler"))
    assert by_tool
    hits = {re.search(r"in <b>([^<]+)</b>: [^<]*lookup_order", row) for row in by_tool.values()}
    assert None in hits, "a row that says the word itself says nothing more"
    assert {hit[1] for hit in hits if hit} >= {"tools"}
    assert called in numbers(ask("conversation_events", text="context_tokens"))


def test_how_many_events_are_found_is_told_however_few_of_them_are_sent(
    ask, conversation, settings
):
    in_all = len(numbers(ask("conversation_events", kind="model")))
    assert f'data-count="{in_all}"' in ask("conversation_events", kind="model")
    settings.TRACE_PAGE = 2
    assert f'data-count="{in_all}"' in ask("conversation_events", kind="model")
    assert f'data-count="{in_all}"' in ask("conversation_events", kind="model", around=1)
    assert "data-count" not in ask("conversation_events", kind="model", before=9)
    assert "data-count" not in ask("conversation_events")


def test_an_event_that_is_gone_to_stands_among_those_that_are_wanted(ask, conversation):
    handoffs = numbers(ask("conversation_events", kind="handoff"))
    last = conversation.last_seq
    assert numbers(ask("conversation_events", kind="handoff", around=last)) == [*handoffs, last]


def test_what_was_said_is_made_html_only_where_it_is_shown(ask, conversation):
    render_markdown.clear()
    ask("conversation_events", text="nowhere-to-be-found")
    assert len(render_markdown) == 0


def test_a_filtered_row_is_the_same_row(ask, conversation):
    whole = rows_of(ask("conversation_events"))
    for kind in ("model", "handoff", "run"):
        filtered = rows_of(ask("conversation_events", kind=kind))
        assert filtered
        assert all(whole[number] == row for number, row in filtered.items())


def test_what_is_looked_for_is_never_markup(ask, conversation):
    assert "<script>" not in ask("conversation_events", text="<script>")


def rows_of(html: str) -> dict[int, str]:
    rows = re.findall(r'<li id="event-(\d+)".*?</details></li>', html, re.DOTALL)
    texts = re.findall(r'<li id="event-\d+".*?</details></li>', html, re.DOTALL)
    return dict(zip(map(int, rows), texts, strict=True))


# One that is opened


def opened(client, conversation, kind: str, which: int = 0) -> str:
    seq = place(conversation, kind, which)
    response = client.get(reverse("conversation_event", args=[conversation.pk, seq]))
    return str(response.content.decode())


@pytest.mark.parametrize("kind", ["turn.started", "message.completed"])
def test_a_turn_opens_to_the_request_that_its_model_got(client, conversation, kind):
    html = opened(client, conversation, kind, 1)
    handler = conversation.snapshot().agents_by_id["agent-handler"]
    assert escape(handler.instructions.strip()[:60]) in html
    assert escape(QUESTION) in html
    assert "lookup_order" in html
    assert "handoff_conversation" in html
    assert "from Triage" in html


def test_a_handoff_opens_to_what_both_sides_had(client, conversation):
    html = opened(client, conversation, "handoff.accepted")
    assert "Triage had" in html
    assert "Handler got" in html
    assert escape(QUESTION) in html
    assert "[Context from previous agent (agent-triage)]" in html


def test_who_only_watches_sees_no_instructions(rf, conversation):
    conversation.is_watched = True
    seq = place(conversation, "turn.started")
    html = trace_event(rf.get("/"), conversation, seq).content.decode()
    assert "System prompt" not in html


# To scale


def test_a_run_is_drawn_to_scale_with_a_lane_for_each_agent(ask, conversation):
    timeline = timeline_of(conversation, 1)
    assert timeline is not None
    assert [lane.speaker.name for lane in timeline.lanes] == ["User", "Triage", "Handler"]
    events = {event.seq: event for event in conversation.events()}
    started_at = events[1].at
    for lane in timeline.lanes:
        for span in lane.spans:
            at = (events[span.seq].at - started_at).total_seconds() * 1000
            assert span.begin == int(at)
            assert span.end is not None
            assert span.begin <= span.end <= timeline.length
    assert [(one.source, one.target, one.refused) for one in timeline.handoffs] == [(1, 2, False)]
    turns = [span for lane in timeline.lanes for span in lane.spans if span.kind == "turn"]
    asked = conversation.events(at_most=timeline.runs[1].seq - 1)
    assert len(turns) == sum(isinstance(event, e.TurnStarted) for event in asked)
    assert f'data-length="{timeline.length}"' in ask("timeline", run=1)
    assert ask("timeline") == ask("timeline", run=timeline.runs[-1].seq)


def test_a_conversation_without_a_run_has_no_timeline_and_no_contexts(client, user):
    empty = had(user, "Hello")
    empty.recorded_events.all().delete()
    Conversation.objects.filter(pk=empty.pk).update(last_seq=0)
    empty.refresh_from_db()
    assert timeline_of(empty) is None
    for name in ("timeline", "contexts", "conversation_track", "conversation_events"):
        assert client.get(reverse(name, args=[empty.pk])).status_code == 200


def test_the_context_of_each_agent_is_that_of_its_last_turn(ask, conversation):
    asked = [one for one in conversation.events() if isinstance(one, e.TurnStarted)]
    last = {one.agent_id: one.context_tokens for one in asked}
    shown = contexts_of(conversation)
    assert [one.now.used for one in shown] == list(last.values())
    assert sum(one.turns for one in shown) == len(asked)
    assert "four fifths" in ask("contexts")


# What it costs


def test_costs_are_shown_where_the_price_of_the_model_is_known(client, user, settings):
    settings.PRICES = {"script": (2.0, 8.0)}
    conversation = had(user)
    used = [one.usage for one in conversation.events() if isinstance(one, e.MessageCompleted)]
    cost = sum(one.input_tokens * 2 + one.output_tokens * 8 for one in used) / 1_000_000
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert f"${cost:.4f}" in page
    settings.PRICES = {}
    page = client.get(reverse("conversation", args=[conversation.pk])).content.decode()
    assert "$" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


# The canvas, and a page that is far behind


def test_the_track_leads_up_to_how_the_canvas_is_lit(ask, conversation):
    steps = json.loads(ask("conversation_track"))
    assert [step[0] for step in steps][-1] == conversation.last_seq
    canvas = highlighted_canvas(conversation, conversation.snapshot())
    assert canvas.active == steps_active(steps)
    assert sum(count for count, _ in canvas.traversed.values()) == sum(
        "traversed" in light for _, _, light in steps
    )


def steps_active(steps) -> str:
    return str([light["active"] for _, _, light in steps if "active" in light][-1])


def test_a_page_far_behind_is_sent_anew_as_it_would_be_loaded(conversation):
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


# Break points


def test_break_points_are_on_the_page_and_sent_when_they_change(ask, conversation):
    for point in ("review", ("intake", "handling")):
        assert mark_point(conversation_id=conversation.pk, point=point, on=True) == ""
    conversation.refresh_from_db()
    for html in (ask("conversation"), render_break_points(conversation)):
        assert 'data-element="stage-review"' in html
        assert 'data-element="edge-intake--handling"' in html
        assert "before handoffs intake → handling" in html

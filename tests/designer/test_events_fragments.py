"""Events as HTML: one table for the page and for the socket."""

import re
import typing
from datetime import timedelta
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest

from designer.fragments import events as fragments
from designer.fragments.events import Names, render_event, render_panes, render_text
from orchestration import events as e
from orchestration.messages import InboundMessage, ToolCall, ToolResult, Usage
from tests.orchestration.conversations import NOON, four_stages

HOSTILE = "<script>alert('&')</script>"
UNION = typing.get_args(typing.get_args(e.Event)[0])


def names() -> Names:
    return Names.of(four_stages(), began=NOON, trace_url="/conversations/1/events/")


def head(seq, agent="agent-triage", **changes):
    return {
        "seq": seq,
        "at": NOON + timedelta(milliseconds=100 * (seq - 1)),
        "session_id": "conversation-1",
        "run_id": "r1",
        "phase": "intake",
        "agent_id": agent,
        **changes,
    }


def whole_story() -> list[e.Event]:
    """A run with one event of every recorded type."""
    message = InboundMessage(id="message-1", text=HOSTILE, channel_type="sms", intent="billing")
    call = ToolCall(id="call \"1'", name="lookup", arguments='{"order": "A-1043"}')
    usage = Usage(input_tokens=182, output_tokens=41, calls=1, milliseconds=398)
    handoff = {"call_id": "c2", "reason": HOSTILE}
    sums = {"usage": usage, "turns": 2, "handoffs": 1}
    return [
        e.RunStarted(**head(1, None), message=message),
        e.MessageReceived(**head(2, None), message=message),
        e.RoutingFailed(**head(3, None), rule_id="rule-1", error="no such field"),
        e.MessageRouted(**head(4), by="default", reason="no rule matched"),
        e.ContextWarned(**head(5), used=80, limit=100),
        e.TurnStarted(**head(6), turn=1, provider="p", model="m", context_tokens=9, tools=("t",)),
        e.MessageCompleted(**head(7), turn=1, text=HOSTILE, tool_calls=(call,), usage=usage),
        e.ToolCalled(**head(8), call=call),
        e.ToolReturned(
            **head(9), result=ToolResult(call_id=call.id, name="lookup", content=HOSTILE)
        ),
        e.HandoffRequested(**head(10), **handoff, target="agent-handler", summary="s"),
        e.HandoffRejected(
            **head(11), **handoff, target="agent-resolver", to_phase="resolution", why="no way"
        ),
        e.HandoffAccepted(
            **head(12),
            **handoff,
            from_agent="agent-triage",
            to_agent="agent-handler",
            from_phase="intake",
            to_phase="handling",
            summary="s",
            hop=1,
            hop_limit=8,
        ),
        e.PhaseChanged(
            **head(13, phase="handling"), from_phase="intake", to_phase="handling", reason="r"
        ),
        e.HookFailed(**head(14), trigger="on_handoff", error="boom"),
        e.LimitReached(**head(15), resource="turns", used=2, limit=2),
        e.RunCompleted(**head(16), reason=e.StopReason.TURN_LIMIT, **sums),
        e.TurnStarted(**head(17), turn=3, provider="p", model="m", context_tokens=9),
        e.RunFailed(
            **head(18),
            error="ProviderError",
            message=HOSTILE,
            cut_off=HOSTILE,
            **sums | {"turns": 3},
        ),
    ]


class Page(HTMLParser):
    """What htmx makes of fragments: a tree of elements, by id, that out-of-band swaps change."""

    VOID = frozenset({"input", "br", "meta"})

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.root: list[Any] = []
        self.open: list[tuple[str, dict[str, Any], list[Any]]] = [("root", {}, self.root)]
        self.feed(html)
        assert len(self.open) == 1, "every element is closed"

    def handle_starttag(self, tag, attributes):
        element: tuple[str, dict[str, Any], list[Any]] = (tag, dict(attributes), [])
        self.open[-1][2].append(element)
        if tag not in self.VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.open[-1][2].append(data)

    def handle_entityref(self, name):
        self.open[-1][2].append(f"&{name};")

    def handle_charref(self, name):
        self.open[-1][2].append(f"&#{name};")


def find(elements, dom_id):
    for element in elements:
        if isinstance(element, tuple):
            if element[1].get("id") == dom_id:
                return elements, element
            if found := find(element[2], dom_id):
                return found
    return None


def swap(page, html):
    """Do what htmx does with one message of a socket."""
    for tag, attributes, children in Page(html).root:
        how, _, selector = attributes.pop("hx-swap-oob").partition(":")
        if how == "true":
            siblings, old = find(page, attributes["id"])
            siblings[siblings.index(old)] = (tag, attributes, children)
        else:
            _, (_, _, content) = find(page, selector.removeprefix("#"))
            content[:] = children if how == "innerHTML" else content + children


def panes(events):
    idle = {"composer_state": '<div id="composer-actions"></div>'}
    rendered = idle | {pane: html for pane, html in render_panes(events, names()).items() if html}
    return "".join(
        f'<div id="{pane}">{rendered.get(pane.replace("-", "_"), "")}</div>'
        for pane in fragments.PANES
    )


def without_space(elements):
    return [
        (one[0], one[1], without_space(one[2])) if isinstance(one, tuple) else one
        for one in elements
        if isinstance(one, tuple) or one.strip()
    ]


def test_every_event_of_the_union_is_in_the_table():
    assert set(fragments.TABLE) == set(UNION)


def test_every_recorded_event_has_a_row_in_the_trace():
    for event_type, found in fragments.TABLE.items():
        traced = [one for one in found if one.pane == fragments.TRACE]
        assert len(traced) == (event_type is not e.MessageDelta), event_type


def test_the_story_holds_every_recorded_type():
    assert {type(event) for event in whole_story()} == set(UNION) - {e.MessageDelta}


@pytest.mark.parametrize("seen", range(19))
def test_a_reload_shows_what_the_socket_showed(seen):
    """Loaded in the middle and followed from there, the page is the one loaded at the end."""
    story = whole_story()
    page = Page(panes(story[:seen])).root
    for event in story[seen:]:
        swap(page, render_event(event, names()))

    assert without_space(page) == without_space(Page(panes(story)).root)


def test_the_text_of_an_answer_grows_in_place_and_the_completed_message_replaces_it():
    story = whole_story()[:7]
    page = Page(panes(story[:6])).root
    swap(page, render_text("r1", 1, "Hello, ", is_whole=True))
    swap(page, render_text("r1", 1, "<b>you</b>", is_whole=False))
    text = find(page, "turn-r1-1-text")[1][2]
    assert "".join(text) == "Hello, &lt;b&gt;you&lt;/b&gt;"

    swap(page, render_event(story[6], names()))
    assert "".join(find(page, "turn-r1-1-text")[1][2]).startswith("&lt;script")


def test_an_answer_that_was_cut_off_stays_as_far_as_it_came():
    story = whole_story()
    page = Page(panes(story[:17])).root
    assert "data-streaming" in find(page, "turn-r1-3")[1][1]
    swap(page, render_event(story[17], names()))
    turn = find(page, "turn-r1-3")[1]
    assert "data-streaming" not in turn[1]
    assert "".join(find(page, "turn-r1-3-text")[1][2]).startswith("&lt;script")
    assert turn[2][-1][2] == ["cut off"]


def test_an_answer_that_had_not_begun_leaves_no_empty_line():
    ended = whole_story()[17].model_copy(update={"cut_off": ""})
    assert 'data-silent><span id="turn-r1-3-text"></span></div>' in render_event(ended, names())


def test_no_text_becomes_markup():
    html = panes(whole_story())
    assert "<script" not in html
    assert html.count("&lt;script&gt;") >= 6


def test_an_id_that_a_model_wrote_never_reaches_the_page_as_it_is():
    html = panes(whole_story())
    assert re.search(r'<details id="call-[0-9a-f]{16}" class="tool-call">', html)
    assert "call &quot;" not in html


def test_a_tool_s_result_and_time_stand_in_its_call():
    _, (_, _, content) = find(Page(panes(whole_story()[:9])).root, "chat-log")
    [call] = [one for one in content if isinstance(one, tuple) and one[0] == "details"]
    assert find(call[2], call[1]["id"] + "-time")[1][1]["class"] == "tool-call__time"
    assert find(call[2], call[1]["id"] + "-result") is not None


def test_a_handoff_is_a_line_across_the_chat_with_phases_and_reason():
    html = render_event(whole_story()[11], names())
    assert "Triage → Handler" in html
    assert "intake → handling" in html
    assert 'data-traversed="edge-intake--handling"' in html


def test_a_refused_handoff_says_why_and_flashes_its_edge():
    html = render_event(whole_story()[10], names())
    assert "refused · no way" in html
    assert 'data-refused="edge-intake--resolution"' in html


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("agent-triage has the conversation.", "Triage has the conversation."),
        (
            "From stage 'agent-triage' there is no way to stage 'b' (agent-handler).",
            "From stage 'agent-triage' there is no way to stage 'b' (Handler).",
        ),
        (
            "You can hand over to: agent-nobody, human.",
            "You can hand over to: agent-nobody, human.",
        ),
    ],
)
def test_the_engine_s_sentences_name_agents_by_their_names(sentence, shown):
    routed = whole_story()[3].model_copy(update={"reason": sentence})
    refused = whole_story()[10].model_copy(update={"why": sentence})
    for event, times in ((routed, 1), (refused, 2)):
        assert unescape(render_event(event, names())).count(shown) == times


@pytest.mark.parametrize("reason", list(e.StopReason))
def test_every_end_of_a_run_is_visible_but_a_reply(reason):
    event = whole_story()[15].model_copy(update={"reason": reason})
    chat = fragments.pieces_of(event, names())[0].html
    assert ('class="remark' in chat) == (reason is not e.StopReason.REPLIED)


def test_a_handoff_to_the_human_names_the_human():
    event = whole_story()[11].model_copy(update={"to_agent": None, "to_phase": "escalation"})
    assert "Triage → Human" in render_event(event, names())


def test_a_handoff_that_could_not_be_read_is_told_in_the_trace_alone():
    result = ToolResult(call_id="c9", name="handoff_conversation", error="no target")
    event = e.ToolReturned(**head(9), result=result)
    assert [one.fragment.pane for one in fragments.pieces_of(event, names())] == ["trace"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0.000"), (0.4129, "0.413"), (59.9, "59.900"), (127.94, "2:07.9"), (3607, "1:00:07")],
)
def test_the_time_since_the_beginning(seconds, shown):
    assert names().elapsed(NOON + timedelta(seconds=seconds)) == shown

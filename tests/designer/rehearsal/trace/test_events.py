"""Events as HTML: one table for the page and for the socket."""

import re
import typing
from datetime import timedelta
from html import unescape
from itertools import count
from typing import Any

import msgspec
import pytest

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.trace.event_fragments import TRACE
from designer.rehearsal.trace.event_table import TABLE
from designer.rehearsal.trace.events import render_event, render_fragments, render_text, skip_event
from designer.rehearsal.trace.trace_state import TraceState
from orchestration import events as e
from orchestration.messages import InboundMessage, ToolCall, ToolResult, Usage
from tests.designer.htmx_page import Page, find, page_of, swap, text_of, without_space
from tests.orchestration.conversations import NOON, four_stages

HOSTILE = "<script>alert('&')</script>"
UNION = typing.get_args(e.Event)


def names() -> Names:
    return Names.of(four_stages(), started_at=NOON, trace_url="/conversations/1/events/")


def trace_state(shown=()) -> TraceState:
    """How far a trace is told where these events are shown already."""
    told = TraceState.of(names())
    for event in shown:
        skip_event(event, told)
    return told


def rendered(event, after=()):
    return render_event(event, trace_state(after))


def changed(event, **fields):
    return msgspec.structs.replace(event, **fields)


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
    """Runs with one event of every recorded type."""
    message = InboundMessage(id="message-1", text=HOSTILE, channel_type="sms", intent="billing")
    call = ToolCall(id="call \"1'", name="lookup", arguments='{"order": "A-1043"}')
    usage = Usage(input_tokens=182, output_tokens=41, calls=1, milliseconds=398)
    handoff: dict[str, Any] = {"call_id": "c2", "reason": HOSTILE}
    sums: dict[str, Any] = {"usage": usage, "turns": 2, "handoffs": 1}
    task: dict[str, Any] = {
        "task_id": "t1",
        "kind": "delegate",
        "title": "agent-handler",
        "call_id": "c3",
    }
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
        e.RunStarted(**head(19, None, run_id="r2"), message=message),
        e.TurnStarted(**head(20, run_id="r2"), turn=1, provider="p", model="m", context_tokens=9),
        e.MessageCompleted(
            **head(21, run_id="r2"), turn=1, text="", tool_calls=(call,), usage=usage
        ),
        e.SubtaskStarted(**head(22, run_id="r2"), **task, input=HOSTILE),
        e.SubtaskCompleted(**head(23, run_id="r2"), **task, output=HOSTILE, usage=usage),
        e.InputRequested(**head(24, run_id="r2"), call_id="c3", question=HOSTILE),
        e.RunCompleted(**head(25, run_id="r2"), reason=e.StopReason.WAITING_FOR_USER, **sums),
        e.RunStarted(**head(26, None, run_id="r3"), message=message),
        e.InputReceived(**head(27, run_id="r3"), call_id="c3", text=HOSTILE),
        e.CycleDetected(**head(28, run_id="r3"), loop=("agent-triage", "agent-handler")),
        e.RunCompleted(**head(29, run_id="r3"), reason=e.StopReason.CYCLE, **sums),
        *what_people_do(30),
        *what_asks_first(43),
    ]


def what_people_do(first: int) -> list[e.Event]:
    """A run that people hold up and help along; then one of them has the conversation."""
    seqs = count(first)

    def at(agent: str | None = "agent-triage", run_id: str = "r4") -> dict[str, Any]:
        return dict(head(next(seqs), agent, run_id=run_id))

    retried: dict[str, Any] = {"attempt": 1, "of": 3, "error": "ProviderError", "wait": 0.5}
    usage = Usage(input_tokens=9, output_tokens=4, calls=1, milliseconds=40)
    return [
        e.RunStarted(**at(None), goes_on=True),
        e.RunPaused(**at(), why="break_point", ahead="turn", target="agent-triage", by=HOSTILE),
        e.SupervisorNoted(**at(), text=HOSTILE, to_agent="agent-triage", by=HOSTILE),
        e.RunResumed(**at(), step=True, by=HOSTILE),
        e.TurnStarted(**at(), turn=1, provider="p", model="m", context_tokens=9),
        e.TurnRetried(**at(), turn=1, message=HOSTILE, **retried),
        e.TurnRetried(
            **at(), turn=1, message=HOSTILE, **retried, shown=True, provider="q", model=HOSTILE
        ),
        e.MessageCompleted(**at(), turn=1, text="", usage=usage),
        e.RunPaused(
            **at(), why="asked", ahead="handoff", target="agent-handler", to_phase="handling"
        ),
        e.RunCompleted(
            **at(), reason=e.StopReason.WAITING_FOR_HUMAN, usage=usage, turns=1, handoffs=0
        ),
        e.HumanJoined(**at(None, ""), by=HOSTILE),
        e.HumanReplied(**at(None, ""), text=HOSTILE, by=HOSTILE),
        e.HumanLeft(**at(None, ""), by=HOSTILE),
    ]


def what_asks_first(first: int) -> list[e.Event]:
    """A run of which calls wait for a person: one is changed, one refused, one is left over."""
    seqs = count(first)

    def at() -> dict[str, Any]:
        return dict(head(next(seqs), run_id="r5"))

    calls = [ToolCall(id=f"{HOSTILE}{n}", name="pay", arguments='{"x": "<b>"}') for n in range(3)]
    usage = Usage(input_tokens=9, output_tokens=4, calls=1, milliseconds=40)
    asked = [e.ApprovalRequested(**at(), call=call) for call in calls]
    changed, refused, _ = calls
    by: dict[str, Any] = {"by": HOSTILE, "command_id": "command-1"}
    return [
        *asked,
        e.RunPaused(**at(), why="approval", ahead="call", target="pay", waits_for=(42, 43, 44)),
        e.ApprovalGiven(
            **at(), call_id=changed.id, decision="changed", arguments='{"x": "<i>"}', **by
        ),
        e.RunResumed(**at()),
        e.ToolCalled(**at(), call=changed),
        e.ApprovalGiven(**at(), call_id=refused.id, decision="refused", reason=HOSTILE, **by),
        e.RunCompleted(
            **at(),
            reason=e.StopReason.CANCELLED,
            usage=usage,
            turns=1,
            handoffs=0,
            by=HOSTILE,
        ),
    ]


def panes(events):
    return page_of(events, trace_state())


@pytest.mark.parametrize(("by", "said"), [("ada", "Stopped by ada"), (None, "Stopped on request")])
def test_a_run_that_was_stopped_says_who_did_it_where_that_was_recorded(by, said):
    *_, ended = what_asks_first(1)
    body = {name: value for name, value in e.dump(ended).items() if name != "by"}
    shown = panes([e.load(body | ({"by": by} if by else {}))])
    assert said in shown
    assert shown.count("by ada") == (2 if by else 0), "in the chat, and in the trace"


def test_tokens_have_their_thousands_apart():
    usage = Usage(input_tokens=18_204, output_tokens=1_041, calls=1, milliseconds=398)
    story = whole_story()
    whole = next(one for one in story if isinstance(one, e.MessageCompleted))
    answered = panes([msgspec.structs.replace(whole, usage=usage)])
    assert answered.count("18,204 in · 1,041 out") == 2, "in its row, and in the sums"


def test_every_event_of_the_union_is_in_the_table():
    assert set(TABLE) == set(UNION)


def test_every_recorded_event_has_a_row_in_the_trace():
    for event_type, entry in TABLE.items():
        traced = [one for one in entry.fragments if one.pane == TRACE]
        assert len(traced) == (event_type is not e.MessageDelta), event_type


def test_the_story_holds_every_recorded_type():
    assert {type(event) for event in whole_story()} == set(UNION) - {e.MessageDelta}


@pytest.mark.parametrize("seen", range(52))
def test_a_reload_shows_what_the_socket_showed(seen):
    """Loaded in the middle and followed from there, the page is the one loaded at the end."""
    story = whole_story()
    page, told = Page(panes(story[:seen])).root, trace_state(story[:seen])
    for event in story[seen:]:
        swap(page, render_event(event, told))

    assert without_space(page) == without_space(Page(panes(story)).root)


def test_why_a_model_is_asked_again_stands_before_what_it_says_then():
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


def test_an_answer_that_had_not_begun_leaves_no_empty_line():
    story = whole_story()
    ended = changed(story[17], cut_off="")
    html = rendered(ended, after=story[:17])
    assert 'data-silent><span id="turn-r1-3-text"></span></div>' in html


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


def test_a_call_that_asks_first_waits_in_the_chat_and_in_the_pane_until_it_is_decided():
    story = what_asks_first(42)
    page = Page(panes(story[:4])).root
    waiting = [one for one in find(page, "approvals")[1][2] if isinstance(one, tuple)]
    assert len(waiting) == 3
    assert "wants to call pay" in text_of(waiting[0][2])
    assert "&lt;b&gt;" in text_of(waiting[0][2])
    assert "waits for approval" in text_of(find(page, "chat-log")[1][2])
    told = trace_state(story[:4])
    swap(page, render_event(story[4], told))
    still = [one for one in find(page, "approvals")[1][2] if isinstance(one, tuple)]
    assert ["hidden" in one[1] for one in still] == [True, False, False]
    assert "changed the call to" in text_of(find(page, "chat-log")[1][2])
    for event in story[5:]:
        swap(page, render_event(event, told))
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


def test_a_refused_handoff_says_why_and_flashes_its_edge():
    html = rendered(whole_story()[10])
    assert "refused · no way" in html
    assert 'data-refused="edge-intake--resolution"' in html


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


def test_a_handoff_that_could_not_be_read_is_told_in_the_trace_alone():
    result = ToolResult(call_id="c9", name="handoff_conversation", error="no target")
    event = e.ToolReturned(**head(9), result=result)
    assert [one.slot.container for one in render_fragments(event, trace_state())] == ["trace"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0.000"),
        (0.4129, "0.413"),
        (59.9, "59.900"),
        (59.9996, "1:00.0"),
        (127.94, "2:07.9"),
        (299.96, "5:00.0"),
        (3599.97, "1:00:00"),
        (3607, "1:00:07"),
    ],
)
def test_the_time_since_the_beginning(seconds, shown):
    assert names().elapsed(NOON + timedelta(seconds=seconds)) == shown

"""Fragments of HTML for events, with their panes and their positions in them.

The chat shows the main conversation and the members of groups, which speak to the user. Events of
other subtasks appear only in the trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

CHAT = "chat-log"
TRACE = "trace"
HIGHLIGHTS = "lights"
STATE = "composer-state"
QUESTION = "composer-question"
STEERING = "steering-state"
SUMS = "supervisor-sums"
METER = "context-meter"
NEXT_STEP = "next-step-state"
APPROVALS = "approvals"
FEEDBACK = "feedback-log"
PANES = (
    CHAT,
    TRACE,
    HIGHLIGHTS,
    STATE,
    QUESTION,
    SUMS,
    METER,
    STEERING,
    NEXT_STEP,
    APPROVALS,
    FEEDBACK,
)
"""Ids of the elements that events are rendered into."""

Condition = Callable[[Any, TracedConversation], bool]
"""Condition for showing a fragment of an event of a conversation."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Template of an event for a pane, with the id of its root element."""

    pane: str
    template: str
    dom_id: Callable[[Any], str]
    condition: Condition
    mode: Literal["adds", "opens", "precedes", "closes", "sets", "clears"] = "adds"
    """Effect on the pane: add an element, add an open element that a later event completes, add an
    element before an open one, complete an open element, replace an element that the page always
    has, or empty the pane."""
    target: Callable[[Any], str] | None = None
    """Id of the element that the fragment is inserted into or before."""


@dataclass(frozen=True, slots=True)
class FragmentSlot:
    """Position of an event's fragment."""

    fragment: Fragment
    dom_id: str
    container: str
    """Id of the element that contains the fragment, or the element that it completes."""
    target: str = ""

    @classmethod
    def of(cls, fragment: Fragment, event: e.Event, traced: TracedConversation) -> FragmentSlot:
        """Return the position of a fragment for an event of a conversation."""
        container = fragment.pane
        if fragment.pane == CHAT and traced.kind is not None:
            container = member_log_id(task_id(traced.task_id))
        target = fragment.target(event) if fragment.target else ""
        return cls(fragment, fragment.dom_id(event), container, target)

    @property
    def open_id(self) -> str:
        """Id of the open element that it adds, precedes or completes."""
        return self.target or self.dom_id


@dataclass(frozen=True, slots=True)
class EventFragment:
    """A rendered fragment."""

    slot: FragmentSlot
    html: str

    def out_of_band(self) -> str:
        """Return the fragment for the socket."""
        slot = self.slot
        match slot.fragment.mode:
            case "closes" | "sets":
                marked = f'id="{slot.dom_id}" hx-swap-oob="true"'
                return self.html.replace(f'id="{slot.dom_id}"', marked, 1)
            case "precedes":
                return f'<div hx-swap-oob="beforebegin:#{slot.target}">{self.html}</div>'
            case "clears":
                return f'<div hx-swap-oob="innerHTML:#{slot.container}"></div>'
            case _:
                return f'<div hx-swap-oob="beforeend:#{slot.container}">{self.html}</div>'


# Ids of elements


def turn_id(run_id: str, turn: int) -> str:
    """Return the id of a turn in the chat; the run of a subtask has the subtask's id."""
    return f"turn-{run_id}-{turn}"


def task_id(session_id: str) -> str:
    """Return the id of a subtask in the chat; it consists of keys, so it is a valid selector."""
    return f"task-{session_id}"


def member_log_id(entry: str) -> str:
    """Return the id of the element with the answers of a group's member."""
    return f"{entry}-said"


def turn_of(event: e.TurnEvent) -> str:
    """Return the id of the event's turn."""
    return turn_id(event.run_id, event.turn)


def task_of(event: e.SubtaskStarted | e.SubtaskCompleted) -> str:
    """Return the id of the subtask that started or completed."""
    return task_id(event.task_id)


def call_of(event: e.ToolCalled | e.ToolReturned) -> str:
    """Return the id of a call: a digest, because models write the ids of calls."""
    call = event.call.id if isinstance(event, e.ToolCalled) else event.result.call_id
    return f"call-{_digest(event.run_id, call)}"


def _digest(run_id: str, call_id: str) -> str:
    return hashlib.blake2s(f"{run_id} {call_id}".encode(), digest_size=8).hexdigest()


def approval_of(event: e.ApprovalRequested | e.ApprovalGiven) -> str:
    """Return the id of an approval request in the chat."""
    call = event.call.id if isinstance(event, e.ApprovalRequested) else event.call_id
    return f"asked-{_digest(event.run_id, call)}"


def decision_of(event: e.ApprovalRequested | e.ApprovalGiven) -> str:
    """Return the id of the form that decides an approval request."""
    return approval_of(event).replace("asked-", DECISION, 1)


DECISION = "decide-"
"""Prefix of the ids of approval forms."""


# Conditions


def always(_: e.Event, traced: TracedConversation) -> bool:
    """Match events of every conversation."""
    return True


def is_main(_: e.Event, traced: TracedConversation) -> bool:
    """Match events of the main conversation."""
    return traced.kind is None


def speaks_to_user(_: e.Event, traced: TracedConversation) -> bool:
    """Match events of conversations that speak to the user."""
    return traced.speaks_to_user


def is_between_runs(event: e.Event, traced: TracedConversation) -> bool:
    """Match interventions outside of runs."""
    return traced.kind is None and not event.run_id


def is_requested(event: e.RunPaused | e.RunResumed, traced: TracedConversation) -> bool:
    """Match pauses at break points and by people; approvals have entries of their own."""
    if isinstance(event, e.RunPaused):
        return traced.kind is None and event.why != "approval"
    return traced.kind is None and bool(event.by)


def is_automatic(event: e.PhaseChanged, traced: TracedConversation) -> bool:
    """Match changes to the next stage without a handoff."""
    transition = (event.from_phase, event.to_phase)
    return traced.kind is None and transition in traced.names.automatic


def is_member(event: e.SubtaskStarted | e.SubtaskCompleted, traced: TracedConversation) -> bool:
    """Match members of a group that speaks to the user."""
    return traced.speaks_to_user and event.kind == "member"


def is_assistant(event: e.SubtaskStarted | e.SubtaskCompleted, traced: TracedConversation) -> bool:
    """Match delegates and pipelines that work for an agent that speaks to the user."""
    return traced.speaks_to_user and event.kind in ("delegate", "subtask")


def is_supervision(
    event: e.SubtaskStarted | e.SubtaskCompleted, traced: TracedConversation
) -> bool:
    """Match calls of the supervisor, whose card the canvas shows."""
    return event.kind == "supervision" and traced.kind is None


def is_drawn_subtask(_: e.Event, traced: TracedConversation) -> bool:
    """Match events of subtasks in a stage of the canvas."""
    return traced.kind is not None and traced.is_on_canvas


def is_on_canvas(_: e.Event, traced: TracedConversation) -> bool:
    """Match events of the main conversation and of subtasks in a stage of the canvas."""
    return traced.is_on_canvas


# Fragments by pane


def chat_entry(template: str, condition: Condition = is_main) -> Fragment:
    """Return an entry at the end of the chat."""
    return Fragment(CHAT, _chat(template), lambda event: f"chat-{event.seq}", condition)


def entry_before(
    template: str, open_id: Callable[[Any], str], condition: Condition = is_main
) -> Fragment:
    """Return an entry of the chat before an open entry."""
    return Fragment(
        CHAT, _chat(template), lambda event: f"chat-{event.seq}", condition, "precedes", open_id
    )


def open_entry(
    template: str, dom_id: Callable[[Any], str], condition: Condition = speaks_to_user
) -> Fragment:
    """Return an entry at the end of the chat that a later event completes."""
    return Fragment(CHAT, _chat(template), dom_id, condition, "opens")


def closed_entry(
    template: str, dom_id: Callable[[Any], str], condition: Condition = speaks_to_user
) -> Fragment:
    """Return a fragment that replaces an open entry."""
    return Fragment(CHAT, _chat(template), dom_id, condition, "closes")


def entry_part(
    part: str,
    template: str,
    entry: Callable[[Any], str],
    condition: Condition = speaks_to_user,
) -> Fragment:
    """Return a fragment that fills a placeholder of an open entry."""
    return Fragment(
        CHAT, _chat(template), lambda event: f"{entry(event)}-{part}", condition, "closes", entry
    )


def trace_row(template: str) -> Fragment:
    """Return a row at the end of the supervisor pane."""
    path = f"rehearsal/trace/events/_{template}.html"
    return Fragment(TRACE, path, lambda event: f"event-{event.seq}", always)


def canvas_effect(condition: Condition = is_main) -> Fragment:
    """Return the fragment with the effect on the canvas."""
    return Fragment(HIGHLIGHTS, _chat("light"), lambda event: f"light-{event.seq}", condition)


def composer(template: str, condition: Condition = is_main) -> Fragment:
    """Return the state of the composer."""
    path = f"rehearsal/chat/{template}.html"
    return Fragment(STATE, path, lambda _: "composer-actions", condition, "sets")


def steering(template: str, condition: Condition = is_main) -> Fragment:
    """Return the controls for interventions."""
    path = f"rehearsal/control/{template}.html"
    return Fragment(STEERING, path, lambda _: "steering", condition, "sets")


def upcoming() -> Fragment:
    """Return the step before which a pause takes effect."""
    path = "rehearsal/control/_next_step.html"
    return Fragment(NEXT_STEP, path, lambda _: "next-step", is_main, "sets")


def question(template: str, condition: Condition = is_main) -> Fragment:
    """Return the question that the next message answers."""
    path = f"rehearsal/chat/{template}.html"
    return Fragment(QUESTION, path, lambda _: "composer-asked", condition, "sets")


def approval_form() -> Fragment:
    """Return the form that decides an approval request."""
    path = "rehearsal/trace/_approval.html"
    return Fragment(APPROVALS, path, decision_of, always, "opens")


def approval_decided() -> Fragment:
    """Return the empty replacement of a decided approval form."""
    path = "rehearsal/trace/_approval_given.html"
    return Fragment(APPROVALS, path, decision_of, always, "closes")


def approvals_cleared() -> Fragment:
    """Return the fragment that removes all approval forms at the end of a run."""
    path = "rehearsal/trace/_approval_given.html"
    return Fragment(APPROVALS, path, lambda _: APPROVALS, is_main, "clears")


def feedback() -> Fragment:
    """Return feedback on an answer, which the page shows at the answer."""
    path = "rehearsal/chat/events/_feedback_given.html"
    return Fragment(FEEDBACK, path, lambda event: f"feedback-{event.seq}", always)


def totals(condition: Condition = always) -> Fragment:
    """Return the total usage of all turns, and the used part of the run's budget."""
    return Fragment(SUMS, "rehearsal/trace/_totals.html", lambda _: "sums", condition, "sets")


def context_meter() -> Fragment:
    """Return the context meter of the last active agent."""
    path = "rehearsal/trace/_context_meter.html"
    return Fragment(METER, path, lambda _: "context-now", is_main, "sets")


def _chat(template: str) -> str:
    return f"rehearsal/chat/events/_{template}.html"

"""Pieces of HTML that an event is shown by: for which pane each is, and where in it.

An event of a subtask is not shown as one of the conversation's own: what a group's members say is
said to the user, what anybody else does within a subtask stands in the trace alone.
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
LIGHTS = "lights"
STATE = "composer-state"
QUESTION = "composer-question"
STEERING = "steering-state"
SUMS = "supervisor-sums"
METER = "context-meter"
APPROVALS = "approvals"
PANES = (CHAT, TRACE, LIGHTS, STATE, QUESTION, SUMS, METER, STEERING, APPROVALS)
"""Ids of the elements that events are rendered into."""

Fits = Callable[[Any, TracedConversation], bool]
"""Condition for showing a fragment, given the event and its conversation."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One template of an event: the pane it is for, and the id of its root element."""

    pane: str
    template: str
    dom_id: Callable[[Any], str]
    fits: Fits
    how: Literal["adds", "opens", "precedes", "closes", "sets", "clears"] = "adds"
    """It is a new element; one that waits for what a later event brings; a new one before one that
    waits; what that one waits for; it takes the place of an element that the page always has; or
    it empties the pane."""
    within: Callable[[Any], str] | None = None
    """Id of the element whose slot it fills, or that it precedes."""


@dataclass(frozen=True, slots=True)
class FragmentSlot:
    """Position of an event's fragment."""

    fragment: Fragment
    dom_id: str
    container: str
    """The id of the element that it is new in, or that what it closes is in."""
    within: str = ""

    @classmethod
    def of(cls, fragment: Fragment, event: e.Event, scene: TracedConversation) -> FragmentSlot:
        """The place of a fragment in the scene that the event is of."""
        container = fragment.pane
        if fragment.pane == CHAT and scene.kind is not None:
            container = said_id(task_id(scene.task_id))
        within = fragment.within(event) if fragment.within else ""
        return cls(fragment, fragment.dom_id(event), container, within)

    @property
    def waiting(self) -> str:
        """The element that it opens or closes."""
        return self.within or self.dom_id


@dataclass(frozen=True, slots=True)
class EventFragment:
    """A rendered fragment."""

    place: FragmentSlot
    html: str

    def out_of_band(self) -> str:
        """The piece as the socket sends it."""
        place = self.place
        if place.fragment.how in ("closes", "sets"):
            marked = f'id="{place.dom_id}" hx-swap-oob="true"'
            return self.html.replace(f'id="{place.dom_id}"', marked, 1)
        if place.fragment.how == "precedes":
            return f'<div hx-swap-oob="beforebegin:#{place.within}">{self.html}</div>'
        if place.fragment.how == "clears":
            return f'<div hx-swap-oob="innerHTML:#{place.container}"></div>'
        return f'<div hx-swap-oob="beforeend:#{place.container}">{self.html}</div>'


def turn_id(run_id: str, turn: int) -> str:
    """The id of a turn's element in the chat. A subtask's run goes by the subtask's own id."""
    return f"turn-{run_id}-{turn}"


def task_id(session_id: str) -> str:
    """The id of a subtask's element in the chat. It is made of keys, and fits into a selector."""
    return f"task-{session_id}"


def said_id(entry: str) -> str:
    """The id of the element that holds what a group's member says, within the member's own."""
    return f"{entry}-said"


def of_turn(event: e.TurnFact) -> str:
    """The element of the turn that an event is of."""
    return turn_id(event.run_id, event.turn)


def of_task(event: e.SubtaskStarted | e.SubtaskCompleted) -> str:
    """The element of the subtask that an event is about."""
    return task_id(event.task_id)


def of_call(event: e.ToolCalled | e.ToolReturned) -> str:
    """A call's id is the model's own text: only its digest may become part of the page."""
    call = event.call.id if isinstance(event, e.ToolCalled) else event.result.call_id
    return f"call-{_digest(event.run_id, call)}"


def _digest(run_id: str, call_id: str) -> str:
    return hashlib.blake2s(f"{run_id} {call_id}".encode(), digest_size=8).hexdigest()


def of_decision(event: e.ApprovalRequested | e.ApprovalGiven) -> str:
    """The element of a call that waits for a person."""
    call = event.call.id if isinstance(event, e.ApprovalRequested) else event.call_id
    return f"asked-{_digest(event.run_id, call)}"


def decision_id(event: e.ApprovalRequested | e.ApprovalGiven) -> str:
    """The element in which a person decides about it."""
    return of_decision(event).replace("asked", "decide", 1)


# Whose events a fragment is for


def everywhere(_: e.Event, scene: TracedConversation) -> bool:
    """Match events of every conversation."""
    return True


def own(_: e.Event, scene: TracedConversation) -> bool:
    """The rehearsal's own conversation alone."""
    return scene.kind is None


def heard(_: e.Event, scene: TracedConversation) -> bool:
    """Match events of conversations that speak to the user."""
    return scene.is_heard


def between_runs(event: e.Event, scene: TracedConversation) -> bool:
    """Match interventions outside of runs."""
    return scene.kind is None and not event.run_id


def asked_for(event: e.RunPaused | e.RunResumed, scene: TracedConversation) -> bool:
    """A person had the run stand still or go on, or a break point: it does not wait for approval.

    Of a call that waits, and of what was decided, other entries tell.
    """
    if isinstance(event, e.RunPaused):
        return scene.kind is None and event.why != "approval"
    return scene.kind is None and bool(event.by)


def goes_on(event: e.PhaseChanged, scene: TracedConversation) -> bool:
    """The conversation goes on to the next stage by itself."""
    way = (event.from_phase, event.to_phase)
    return scene.kind is None and way in scene.names.onward


def joins_in(event: e.SubtaskStarted | e.SubtaskCompleted, scene: TracedConversation) -> bool:
    """A member of a group speaks to the user."""
    return scene.is_heard and event.kind == "member"


def works_apart(event: e.SubtaskStarted | e.SubtaskCompleted, scene: TracedConversation) -> bool:
    """Somebody works for who speaks to the user."""
    return scene.is_heard and event.kind != "member"


def works_here(_: e.Event, scene: TracedConversation) -> bool:
    """A subtask, in a stage of the canvas."""
    return scene.kind is not None and scene.is_drawn


def drawn(_: e.Event, scene: TracedConversation) -> bool:
    """In a stage of the canvas, or in the conversation itself."""
    return scene.is_drawn


# Fragments by their panes


def chat(template: str, fits: Fits = own) -> Fragment:
    """An entry at the end of the chat."""
    return Fragment(CHAT, _chat(template), lambda event: f"chat-{event.seq}", fits)


def preceding(template: str, waiting: Callable[[Any], str], fits: Fits = own) -> Fragment:
    """An element of the chat before one that waits: what goes before what that one will say."""
    path = _chat(template)
    return Fragment(CHAT, path, lambda event: f"chat-{event.seq}", fits, "precedes", waiting)


def opening(template: str, dom_id: Callable[[Any], str], fits: Fits = heard) -> Fragment:
    """An entry at the end of the chat, which a later event completes."""
    return Fragment(CHAT, _chat(template), dom_id, fits, "opens")


def closing(template: str, dom_id: Callable[[Any], str], fits: Fits = heard) -> Fragment:
    """Return a fragment that replaces an entry."""
    return Fragment(CHAT, _chat(template), dom_id, fits, "closes")


def filling(slot: str, template: str, entry: Callable[[Any], str], fits: Fits = heard) -> Fragment:
    """Return a fragment that fills a slot of an entry."""
    return Fragment(
        CHAT, _chat(template), lambda event: f"{entry(event)}-{slot}", fits, "closes", entry
    )


def trace(template: str) -> Fragment:
    """A row at the end of the supervisor pane."""
    path = f"rehearsal/trace/events/_{template}.html"
    return Fragment(TRACE, path, lambda event: f"event-{event.seq}", everywhere)


def light(fits: Fits = own) -> Fragment:
    """Return the fragment with the effect on the canvas."""
    return Fragment(LIGHTS, _chat("light"), lambda event: f"light-{event.seq}", fits)


def state(template: str, fits: Fits = own) -> Fragment:
    """Return the state of the composer."""
    path = f"rehearsal/chat/{template}.html"
    return Fragment(STATE, path, lambda _: "composer-actions", fits, "sets")


def steering(template: str, fits: Fits = own) -> Fragment:
    """Return the controls for interventions."""
    path = f"rehearsal/control/{template}.html"
    return Fragment(STEERING, path, lambda _: "steering", fits, "sets")


def question(template: str) -> Fragment:
    """Return the question that the next message answers."""
    path = f"rehearsal/chat/{template}.html"
    return Fragment(QUESTION, path, lambda _: "composer-asked", own, "sets")


def deciding() -> Fragment:
    """A call that waits, beside what a person can do with it."""
    path = "rehearsal/trace/_approval.html"
    return Fragment(APPROVALS, path, decision_id, everywhere, "opens")


def decided() -> Fragment:
    """Nothing in its place: it waits no more."""
    path = "rehearsal/trace/_approval_given.html"
    return Fragment(APPROVALS, path, decision_id, everywhere, "closes")


def none_waiting() -> Fragment:
    """With the end of the run nothing waits any more."""
    path = "rehearsal/trace/_approval_given.html"
    return Fragment(APPROVALS, path, lambda _: APPROVALS, own, "clears")


def sums() -> Fragment:
    """Return the total usage of all turns."""
    return Fragment(SUMS, "rehearsal/trace/_totals.html", lambda _: "sums", everywhere, "sets")


def meter() -> Fragment:
    """Return the context meter of the last active agent."""
    return Fragment(
        METER, "rehearsal/trace/_context_meter.html", lambda _: "context-now", own, "sets"
    )


def _chat(template: str) -> str:
    return f"rehearsal/chat/events/_{template}.html"

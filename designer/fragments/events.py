"""Events as HTML: one table, event type → templates for each pane.

The socket sends an event as out-of-band fragments, the page shows the same fragments folded: one
with a known id takes its predecessor's place. So a reload cannot tell another story than the live
view did. Whatever a template shows comes from the event and from the conversation's own definition.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from designer.fragments.canvas import hue_of, initial, stage_id
from designer.fragments.edges import edge_id
from orchestration import events as e
from orchestration.definition import HUMAN, PipelineDefinition
from orchestration.handoff import HANDOFF_TOOL_NAME

CHAT = "chat-log"
TRACE = "trace"
LIGHTS = "lights"
STATE = "composer-state"
PANES = (CHAT, TRACE, LIGHTS, STATE)
"""Ids of the elements that events are rendered into."""

_UNQUOTED_KEY = re.compile(r"(?<![\w'-])[\w-]+(?![\w'-])")


@dataclass(frozen=True, slots=True)
class Speaker:
    """An agent, or the human, as chat and trace name them."""

    name: str
    initial: str
    hue: int | None


@dataclass(frozen=True)
class Names:
    """What events leave to the definition: who an id stands for, and when it all began."""

    speakers: Mapping[str, Speaker]
    began: datetime | None = None
    trace_url: str = ""
    """Where each event can be fetched whole, by its number: `/conversations/7/events/`."""

    @classmethod
    def of(
        cls, definition: PipelineDefinition, *, began: datetime | None = None, trace_url: str = ""
    ) -> Self:
        """The names of a definition's agents, with their hues."""
        hues = definition.layout.hues
        speakers = {
            agent.id: Speaker(agent.name, initial(agent.name), hue_of(agent.id, hues))
            for agent in definition.agents
        }
        return cls(speakers, began, trace_url)

    def beginning(self, at: datetime) -> Self:
        """The same names, for a conversation that began then."""
        return replace(self, began=at)

    def speaker(self, agent_id: str | None) -> Speaker:
        """The agent with this id; the human where there is none."""
        if agent_id is None or agent_id == HUMAN:
            return Speaker("Human", "H", None)
        return self.speakers.get(agent_id) or Speaker(agent_id, initial(agent_id), None)

    def called(self, sentence: str) -> str:
        """A sentence of the engine's own, with the agents' names in place of their ids.

        The engine writes ids for the models. What it quotes is a stage, or nobody, and stays.
        """
        return _UNQUOTED_KEY.sub(
            lambda key: self.speakers[key[0]].name if key[0] in self.speakers else key[0], sentence
        )

    def elapsed(self, at: datetime) -> str:
        """The time since the conversation began: `0.413`, `2:07.9`, `1:00:07`."""
        seconds = max(0.0, (at - (self.began or at)) / timedelta(seconds=1))
        minutes, rest = divmod(seconds, 60)
        if minutes < 1:
            return f"{seconds:.3f}"
        hours, minutes = divmod(int(minutes), 60)
        return f"{hours}:{minutes:02}:{int(rest):02}" if hours else f"{minutes}:{rest:04.1f}"


@dataclass(frozen=True, slots=True)
class Fragment:
    """One template of an event: the pane it is for, and the id of its root element."""

    pane: str
    template: str
    dom_id: Callable[[Any], str]
    replaces: bool = False
    """It takes the place of an element that an earlier event brought."""
    within: Callable[[Any], str] | None = None
    """That element is a slot inside of the element with this id."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A rendered fragment."""

    fragment: Fragment
    dom_id: str
    html: str
    within: str = ""

    def out_of_band(self) -> str:
        """The piece as the socket sends it."""
        if self.fragment.replaces:
            marked = f'id="{self.dom_id}" hx-swap-oob="true"'
            return self.html.replace(f'id="{self.dom_id}"', marked, 1)
        return f'<div hx-swap-oob="beforeend:#{self.fragment.pane}">{self.html}</div>'


def turn_id(run_id: str, turn: int) -> str:
    """The id of a turn's element in the chat."""
    return f"turn-{run_id}-{turn}"


def _turn(event: e.TurnStarted | e.MessageCompleted) -> str:
    return turn_id(event.run_id, event.turn)


def _call(event: e.ToolCalled | e.ToolReturned) -> str:
    """A call's id is the model's own text: only its digest may become part of the page."""
    call = event.call.id if isinstance(event, e.ToolCalled) else event.result.call_id
    digest = hashlib.blake2s(f"{event.run_id} {call}".encode(), digest_size=8)
    return f"call-{digest.hexdigest()}"


def chat(template: str) -> Fragment:
    """An entry at the end of the chat."""
    path = f"conversation/events/_{template}.html"
    return Fragment(CHAT, path, lambda event: f"chat-{event.seq}")


def trace(template: str) -> Fragment:
    """A row at the end of the supervisor pane."""
    path = f"supervisor/events/_{template}.html"
    return Fragment(TRACE, path, lambda event: f"event-{event.seq}")


def state(template: str) -> Fragment:
    """What can be done with the composer now."""
    return Fragment(STATE, f"conversation/{template}.html", lambda _: "composer-actions", True)


CUT_OFF = Fragment(
    CHAT,
    "conversation/events/_message_cut_off.html",
    lambda event: turn_id(event.run_id, event.turns),
    replaces=True,
)
"""The answer that was under way when its run ended, where there was one."""

LIGHT = Fragment(LIGHTS, "conversation/events/_light.html", lambda event: f"light-{event.seq}")

TABLE: dict[type[e.Event], tuple[Fragment, ...]] = {
    e.RunStarted: (trace("run_started"), state("_composer_running")),
    e.MessageReceived: (chat("message_received"), trace("message_received")),
    e.MessageRouted: (chat("message_routed"), trace("message_routed"), LIGHT),
    e.RoutingFailed: (trace("routing_failed"),),
    e.TurnStarted: (
        Fragment(CHAT, "conversation/events/_turn_started.html", _turn),
        trace("turn_started"),
        LIGHT,
    ),
    e.MessageDelta: (),  # never recorded: the socket sends it by `render_text`
    e.MessageCompleted: (
        Fragment(CHAT, "conversation/events/_message_completed.html", _turn, replaces=True),
        trace("message_completed"),
    ),
    e.ToolCalled: (
        Fragment(CHAT, "conversation/events/_tool_called.html", _call),
        trace("tool_called"),
    ),
    e.ToolReturned: (
        Fragment(
            CHAT,
            "conversation/events/_tool_returned_time.html",
            lambda event: f"{_call(event)}-time",
            replaces=True,
            within=_call,
        ),
        Fragment(
            CHAT,
            "conversation/events/_tool_returned.html",
            lambda event: f"{_call(event)}-result",
            replaces=True,
            within=_call,
        ),
        trace("tool_returned"),
    ),
    e.HandoffRequested: (trace("handoff_requested"),),
    e.HandoffAccepted: (chat("handoff_accepted"), trace("handoff_accepted"), LIGHT),
    e.HandoffRejected: (chat("handoff_rejected"), trace("handoff_rejected"), LIGHT),
    e.PhaseChanged: (trace("phase_changed"), LIGHT),
    e.ContextWarned: (trace("context_warned"),),
    e.LimitReached: (trace("limit_reached"),),
    e.HookFailed: (trace("hook_failed"),),
    e.RunCompleted: (
        CUT_OFF,
        chat("run_completed"),
        trace("run_completed"),
        state("_composer_idle"),
    ),
    e.RunFailed: (CUT_OFF, chat("run_failed"), trace("run_failed"), state("_composer_idle")),
}
"""How each event is shown, and where."""


def render_event(event: e.Event, names: Names) -> str:
    """An event as the socket sends it: every fragment out of band."""
    return "".join(piece.out_of_band() for piece in pieces_of(event, names))


def render_panes(events: Iterable[e.Event], names: Names) -> dict[str, SafeString]:
    """Events as the page shows them: the content of each pane, under its name in templates."""
    panes: dict[str, dict[str, str]] = {pane: {} for pane in PANES}
    for event in events:
        for piece in pieces_of(event, names):
            entries = panes[piece.fragment.pane]
            if piece.within:
                whole = entries.get(piece.within, "")
                entries[piece.within] = whole.replace(_slot(piece.dom_id), piece.html, 1)
            else:
                entries[piece.dom_id] = piece.html
    # Every piece was escaped by its template.
    return {
        pane.replace("-", "_"): mark_safe("".join(entries.values()))  # noqa: S308
        for pane, entries in panes.items()
    }


def render_text(run_id: str, turn: int, text: str, *, is_whole: bool) -> str:
    """Some of the answer under way, as the socket sends it: after what is there, or all of it."""
    how = "innerHTML" if is_whole else "beforeend"
    return format_html(
        '<span hx-swap-oob="{}:#{}-text">{}</span>', how, turn_id(run_id, turn), text
    )


def pieces_of(event: e.Event, names: Names) -> list[Piece]:
    """An event's fragments, rendered."""
    fragments = TABLE[type(event)]
    if isinstance(event, e.ToolReturned) and event.result.name == HANDOFF_TOOL_NAME:
        # A handoff that could not be read was never shown as a call.
        fragments = tuple(one for one in fragments if one.within is None)
    if isinstance(event, e.RunCompleted | e.RunFailed) and event.cut_off is None:
        fragments = tuple(one for one in fragments if one is not CUT_OFF)
    context = _context(event, names)
    return [_rendered(fragment, event, context) for fragment in fragments]


def _rendered(fragment: Fragment, event: e.Event, context: dict[str, Any]) -> Piece:
    dom_id = fragment.dom_id(event)
    html = render_to_string(fragment.template, context | {"dom_id": dom_id})
    return Piece(fragment, dom_id, html.strip(), fragment.within(event) if fragment.within else "")


def _slot(dom_id: str) -> str:
    """An empty place for what a later event brings, exactly as the templates write it."""
    return f'<span id="{dom_id}"></span>'


def _context(event: e.Event, names: Names) -> dict[str, Any]:
    """What templates show beside the event itself."""
    context: dict[str, Any] = {
        "event": event,
        "agent": names.speaker(event.agent_id) if event.agent_id else None,
        "elapsed": names.elapsed(event.at),
        "light": _light(event),
        "trace_url": names.trace_url,
    }
    match event:
        case e.HandoffAccepted(from_agent=source, to_agent=target):
            context |= {"source": names.speaker(source), "target": names.speaker(target)}
        case e.HandoffRejected(to_agent=target):
            context["target"] = names.speaker(target or event.target)
            context["why"] = names.called(event.why)
        case e.HandoffRequested(target=target):
            context["target"] = names.speaker(target)
        case e.MessageRouted(reason=reason):
            context["why"] = names.called(reason)
        case e.RunCompleted(reason=reason):
            context["reason"] = reason.replace("_", " ")
        case e.ToolCalled(call=call):
            context["arguments"] = _indented(call.arguments)
        case e.ToolReturned(result=result):
            context["content"] = _indented(result.for_model())
    return context


def _light(event: e.Event) -> dict[str, str]:
    """What an event does on the canvas, by ids of the elements there."""
    match event:
        case e.HandoffAccepted(from_phase=source, to_phase=target):
            return {"traversed": edge_id(source, target), "active": stage_id(target)}
        case e.HandoffRejected(to_phase=target, phase=source) if target:
            return {"refused": edge_id(source, target), "refused-stage": stage_id(target)}
        case e.PhaseChanged(from_phase=source, to_phase=target):
            return {"active": stage_id(target), "seen": stage_id(source)}
        case _:
            return {"active": stage_id(event.phase)}


def _indented(text: str) -> str:
    """JSON in lines; any other text, and JSON that is broken, as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text

"""A conversation as the rehearsal page shows it, and what its socket sends beside events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils.html import format_html

from designer.canvas import canvas_context, issue_token
from designer.core import CODE as UNCONNECTED
from designer.core import find_issues
from designer.models import Conversation, Pipeline
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.queue import waiting_in
from designer.rehearsal.trace.events import render_event, render_panes
from designer.rehearsal.trace.trace import pane_context
from designer.rehearsal.trace.trace_state import TraceState
from designer.rehearsal.trace.trace_window import telling_of
from orchestration.definition import PipelineDefinition
from orchestration.validation import Where, errors, offers

__all__ = [
    "Batch",
    "agents_of",
    "conversation_context",
    "empty_context",
    "problems",
    "render_batch",
    "render_cursor",
    "render_notice",
    "suggestions",
    "telling_of",
]

BATCH = 200
"""Number of events per batch."""

MAX_SUGGESTIONS = 4

CHANNELS = (("web", "Web chat"), ("sms", "SMS"), ("email", "Email"), ("voice", "Voice"))
"""The channels that a message can be said to come from."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some recorded events as the socket sends them."""

    html: str
    last_seq: int
    telling: TraceState


def render_batch(conversation_id: int, cursor: int, telling: TraceState) -> Batch | None:
    """The next events past `cursor`, and the note of the last one; None where there are none."""
    events = Conversation(pk=conversation_id).events(after=cursor, at_most=BATCH)
    if not events:
        return None
    telling = telling.copy()
    html = "".join(render_event(event, telling) for event in events)
    return Batch(html + render_cursor(events[-1].seq), events[-1].seq, telling)


def render_cursor(seq: int) -> str:
    """The page's note of the last event it was sent: it says so when its socket comes back."""
    return format_html(
        '<input id="cursor" type="hidden" name="after" value="{}" hx-swap-oob="true">', seq
    )


def render_notice(text: str) -> str:
    """A sentence at the composer, or none."""
    return render_to_string("rehearsal/chat/_composer_notice.html", {"text": text, "oob": True})


def conversation_context(conversation: Conversation) -> dict[str, Any]:
    """Return the context of a conversation's page: its pipeline and its last events."""
    definition = conversation.rehearsed()
    return {
        **canvas_context(definition),
        **pane_context(conversation, definition),
        "agents": agents_of(definition),
        "agent_choices": [(agent.id, agent.name) for agent in definition.agents],
        "waiting": waiting_in(conversation),
        "cursor": conversation.last_seq,
        "suggestions": () if conversation.last_seq else suggestions(definition),
    }


def empty_context(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the context of the page before the first conversation."""
    return {
        **canvas_context(definition),
        **render_panes([], TraceState.of(Names.of(definition))),
        "agents": agents_of(definition),
        "suggestions": suggestions(definition),
    }


def agents_of(definition: PipelineDefinition) -> list[tuple[Speaker, list[str]]]:
    """The agents, each with the stages it serves."""
    names = Names.of(definition)
    return [
        (
            names.speaker(agent.id),
            [stage.phase for stage in definition.stages if agent.id in stage.agent_ids],
        )
        for agent in definition.agents
    ]


@dataclass(frozen=True, slots=True)
class BlockingProblem:
    """A problem that blocks a rehearsal, and the element of the editor that shows it."""

    message: str
    select: str
    """As the editor's address takes it: `stage:review`; empty: the pipeline as a whole."""
    token: str
    """Names the issue where it is to be mended."""
    fix: str | None
    """Label of the button that fixes it; None if a person must choose."""
    is_unconnected: bool
    """True if a connection would fix it."""


def problems(
    pipeline: Pipeline, user: User, definition: PipelineDefinition
) -> list[BlockingProblem]:
    """Why someone cannot rehearse a pipeline; nothing when they can."""
    found = errors(find_issues(pipeline, user, definition))
    return [
        BlockingProblem(
            message=issue.message,
            select=_selection(issue.where),
            token=issue_token(issue),
            fix=fix.title if fix else None,
            is_unconnected=issue.code == UNCONNECTED and pipeline.owner_id == user.pk,
        )
        for issue, fix in zip(found, offers(definition, found), strict=True)
    ]


def _selection(where: Where) -> str:
    match where.kind, where.keys:
        case "stage" | "agent" | "tool" as kind, (key, *_):
            return f"{kind}:{key}"
        case "transition", (source, target):
            return f"transition:{source}>{target}"
        case _:
            return ""


def suggestions(definition: PipelineDefinition) -> list[str]:
    """Messages to begin with: the longest phrase that each cue of the first agent listens for."""
    entry = definition.stages_by_phase.get(definition.entry or "")
    is_routed = definition.topology in ("pipeline", "swarm")
    by_default = (definition.default_agent_id,) if is_routed else (None,)
    first = by_default if by_default[0] else (entry.agent_ids if entry else ())
    heard = [
        cue
        for agent in definition.agents
        if agent.id in first
        for cue in agent.cues
        if cue.when and cue.in_phase in {None, definition.entry}
    ]
    words = [_phrase(cue.when) for cue in heard]
    return list(dict.fromkeys(word[:1].upper() + word[1:] for word in words))[:MAX_SUGGESTIONS]


def _phrase(when: Sequence[str]) -> str:
    """The phrase with the most words, the first of those; where all are single words, the first."""
    return max(when, key=lambda phrase: len(phrase.split()))

"""Fragments and context of the rehearsal page, and batches of events for its socket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils.html import format_html

from designer.canvas import canvas_context, issue_token
from designer.core import NOT_CONNECTED, find_issues, natural_key, part_choices
from designer.models import Conversation, Pipeline
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.queue import queue_context
from designer.rehearsal.trace.events import render_event, render_panes
from designer.rehearsal.trace.trace import pane_context
from designer.rehearsal.trace.trace_state import TraceState
from orchestration.definition import PipelineDefinition
from orchestration.validation import Where, errors, find_fixes

BATCH = 200
"""Number of events per batch."""

MAX_SUGGESTIONS = 4


@dataclass(frozen=True, slots=True)
class Batch:
    """Rendered events for the socket."""

    html: str
    last_seq: int
    trace_state: TraceState


def render_batch(conversation_id: int, cursor: int, trace_state: TraceState) -> Batch | None:
    """Render the next events after `cursor` and the new cursor; None if there are no events."""
    events = Conversation(pk=conversation_id).events(after=cursor, at_most=BATCH)
    if not events:
        return None
    trace_state = trace_state.copy()
    html = "".join(render_event(event, trace_state) for event in events)
    return Batch(html + render_cursor(events[-1].seq), events[-1].seq, trace_state)


def render_cursor(seq: int) -> str:
    """Render the number of the last sent event, with which the page resumes."""
    return format_html(
        '<input id="cursor" type="hidden" name="after" value="{}" hx-swap-oob="true">', seq
    )


def render_title(conversation: Conversation, *, is_watched: bool) -> str:
    """Render the title of the chat for the socket, and the other titles of a watcher's page."""
    context = {"conversation": conversation, "is_watched": is_watched, "oob": True}
    return render_to_string("rehearsal/_title.html", context)


def render_notice(text: str) -> str:
    """Render a sentence at the composer; an empty one removes it."""
    return render_to_string("rehearsal/chat/_composer_notice.html", {"text": text, "oob": True})


def conversation_context(conversation: Conversation) -> dict[str, Any]:
    """Return the context of a conversation's page: its pipeline and its last events."""
    definition = conversation.snapshot()
    return {
        **canvas_context(definition),
        **pane_context(conversation, definition),
        "agents": agents_of(definition),
        "agent_choices": part_choices(definition, "agents").choices,
        **queue_context(conversation),
        "cursor": conversation.last_seq,
        "variables": _current_variables(conversation, definition).items(),
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


def _current_variables(
    conversation: Conversation, definition: PipelineDefinition
) -> dict[str, str]:
    """Return the values of the pipeline's variables after the last message."""
    values = dict(definition.variables)
    if values and conversation.last_seq:
        starts = conversation.recorded_events.filter(
            type="run.started", body__session_id=conversation.session_id
        )
        for changed in starts.values_list("body__message__variables", flat=True):
            values |= changed or {}
    return {name: values[name] for name in definition.variables}


def agents_of(definition: PipelineDefinition) -> list[tuple[Speaker, list[str], bool]]:
    """Return the agents, each with its stages and whether it is the supervisor."""
    names = Names.of(definition)
    return [
        (
            names.speaker(agent.id),
            [stage.phase for stage in definition.stages if agent.id in stage.agent_ids],
            agent.id == definition.supervisor_id,
        )
        for agent in sorted(definition.agents, key=lambda agent: natural_key(agent.name))
    ]


@dataclass(frozen=True, slots=True)
class BlockingProblem:
    """Problem that blocks a rehearsal, with its element in the editor."""

    message: str
    select: str
    """Element in the editor's address: `stage:review`; empty: the whole pipeline."""
    token: str
    """Identity of the issue for its fix."""
    fix: str | None
    """Label of the button that fixes it; None if a person must choose."""
    is_unconnected: bool
    """True if a connection of the user would fix it."""


def problems(
    pipeline: Pipeline, user: User, definition: PipelineDefinition
) -> list[BlockingProblem]:
    """Return the problems that block a rehearsal of a pipeline by a user."""
    issues = errors(find_issues(pipeline, user, definition))
    return [
        BlockingProblem(
            message=issue.message,
            select=_selection(issue.where),
            token=issue_token(issue),
            fix=fix.title if fix else None,
            is_unconnected=issue.code == NOT_CONNECTED and pipeline.owner_id == user.pk,
        )
        for issue, fix in zip(issues, find_fixes(definition, issues), strict=True)
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
    """Return suggested first messages: a phrase of each cue of the first agent.

    If some phrases are whole sentences, only these are suggested.
    """
    entry = definition.stages_by_phase.get(definition.entry or "")
    is_routed = definition.topology in ("pipeline", "swarm")
    default = definition.default_agent_id if is_routed else None
    first = (default,) if default else (entry.agent_ids if entry else ())
    cues = [
        cue
        for agent in definition.agents
        if agent.id in first
        for cue in agent.cues
        if cue.when and cue.in_phase in {None, definition.entry}
    ]
    sentences = [phrase for cue in cues for phrase in _sentences(cue.when)[:1]]
    phrases = sentences or [_phrase(cue.when) for cue in cues]
    messages = (phrase[:1].upper() + phrase[1:] for phrase in phrases)
    return list(dict.fromkeys(messages))[:MAX_SUGGESTIONS]


def _sentences(when: Sequence[str]) -> list[str]:
    """Return the phrases with a punctuation mark at the end."""
    return [phrase for phrase in when if phrase.endswith((".", "?", "!", "…"))]


def _phrase(when: Sequence[str]) -> str:
    """Return the first of the phrases with the most words."""
    return max(when, key=lambda phrase: len(phrase.split()))

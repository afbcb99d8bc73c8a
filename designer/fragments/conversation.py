"""A conversation as the rehearsal page shows it, and what its socket sends beside events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from designer.fragments.canvas import canvas
from designer.fragments.events import Names, Speaker, render_event, render_panes
from designer.models import Conversation
from orchestration.definition import PipelineDefinition
from orchestration.events import Event
from orchestration.validation import Where, errors, validate

BATCH = 200
"""How many events are read and sent at once."""

MAX_SUGGESTIONS = 4

CHANNELS = (("web", "Web chat"), ("sms", "SMS"), ("email", "Email"), ("voice", "Voice"))
"""The channels that a message can be said to come from."""


def names_of(conversation: Conversation) -> Names:
    """The names of the agents that a conversation was begun with."""
    return _names(conversation, conversation.rehearsed(), conversation.events(at_most=1))


@dataclass(frozen=True, slots=True)
class Batch:
    """Some recorded events as the socket sends them."""

    html: str
    last_seq: int
    names: Names


def render_batch(conversation_id: int, cursor: int, names: Names) -> Batch | None:
    """The next events past `cursor`, and the note of the last one; None where there are none."""
    events = Conversation(pk=conversation_id).events(after=cursor, at_most=BATCH)
    if not events:
        return None
    if names.began is None:
        names = names.beginning(events[0].at)
    html = "".join(render_event(event, names) for event in events)
    return Batch(html + render_cursor(events[-1].seq), events[-1].seq, names)


def render_cursor(seq: int) -> str:
    """The page's note of the last event it was sent: it says so when its socket comes back."""
    return format_html(
        '<input id="cursor" type="hidden" name="after" value="{}" hx-swap-oob="true">', seq
    )


def render_notice(text: str) -> str:
    """A sentence at the composer, or none."""
    return render_to_string("conversation/_composer_notice.html", {"text": text, "oob": True})


def conversation_context(conversation: Conversation) -> dict[str, Any]:
    """What the rehearsal page shows of a conversation: its own pipeline, and all its events."""
    definition = conversation.rehearsed()
    events = conversation.events()
    names = _names(conversation, definition, events)
    return {
        **canvas(definition),
        **render_panes(events, names),
        "agents": agents_of(definition),
        "cursor": events[-1].seq if events else 0,
        "suggestions": () if events else suggestions(definition),
    }


def empty_context(definition: PipelineDefinition) -> dict[str, Any]:
    """What the rehearsal page shows before there is a conversation."""
    return {
        **canvas(definition),
        **render_panes([], Names.of(definition)),
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
class Problem:
    """What bars a rehearsal, and the element of the editor to go to."""

    message: str
    select: str
    """As the editor's address takes it: `stage:review`; empty: the pipeline as a whole."""


def problems(definition: PipelineDefinition) -> list[Problem]:
    """Why a definition cannot be rehearsed; nothing when it can."""
    return [
        Problem(issue.message, _selection(issue.where)) for issue in errors(validate(definition))
    ]


def _selection(where: Where) -> str:
    match where.kind, where.keys:
        case "stage" | "agent" as kind, (key, *_):
            return f"{kind}:{key}"
        case "transition", (source, target):
            return f"transition:{source}>{target}"
        case _:
            return ""


def suggestions(definition: PipelineDefinition) -> list[str]:
    """Messages to begin with: the longest phrase that each cue of the first agent listens for."""
    entry = definition.stages_by_phase.get(definition.entry or "")
    first = definition.default_agent_id or (entry.agent_id if entry else None)
    agent = definition.agents_by_id.get(first or "")
    if agent is None:
        return []
    heard = [cue for cue in agent.cues if cue.when and cue.in_phase in {None, definition.entry}]
    words = [_phrase(cue.when) for cue in heard]
    return list(dict.fromkeys(word[:1].upper() + word[1:] for word in words))[:MAX_SUGGESTIONS]


def _phrase(when: Sequence[str]) -> str:
    """The phrase with the most words, the first of those; where all are single words, the first."""
    return max(when, key=lambda phrase: len(phrase.split()))


def _names(
    conversation: Conversation, definition: PipelineDefinition, events: list[Event]
) -> Names:
    url = reverse("conversation", args=[conversation.pk])
    return Names.of(definition, began=events[0].at if events else None, trace_url=f"{url}events/")

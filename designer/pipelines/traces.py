"""Export of conversations to trace files, and read-only import."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User

from designer.core import atomic_action
from designer.models import Conversation, RecordedEvent
from orchestration.definition import PipelineDefinition
from orchestration.events import dump
from orchestration.runtime import MAX_NAME, TraceFile, head_line

MAX_OPENED = 100
"""Maximum number of opened trace files of one person."""

_BATCH_SIZE = 500


class TooManyTracesError(Exception):
    """The user has the maximum number of opened trace files."""

    def __init__(self) -> None:
        super().__init__(
            f"You have the maximum of {MAX_OPENED} traces from files: delete one first."
        )


def trace_lines(conversation: Conversation) -> Iterator[bytes]:
    """Yield the lines of a trace file: the definition, then each event."""
    subtasks = map(PipelineDefinition.model_validate, conversation.subtask_definitions)
    yield head_line(
        TraceFile(
            conversation.title[:MAX_NAME],
            conversation.snapshot(),
            conversation.session_id,
            subtask_definitions=tuple(subtasks),
        )
    )
    bodies = conversation.recorded_events.values_list("body", flat=True)
    for body in bodies.iterator(chunk_size=_BATCH_SIZE):
        yield json.dumps(body, ensure_ascii=False).encode() + b"\n"


def open_trace(*, user: User, trace: TraceFile) -> Conversation:
    """Store a conversation from a file as read-only.

    It has no pipeline and is never run.
    """
    conversation = Conversation(
        pipeline=None,
        started_by=user,
        name=trace.name,
        session=trace.session_id,
        definition=_dump(trace.definition),
        subtask_definitions=list(map(_dump, trace.subtask_definitions)),
        pipeline_version=0,
        last_seq=len(trace.events),
    )
    conversation.full_clean(exclude=["number"])
    bodies = [(event.seq, event.type, dump(event)) for event in trace.events]
    return _store_trace(conversation, bodies)


@atomic_action
def _store_trace(
    conversation: Conversation, bodies: list[tuple[int, str, dict[str, Any]]]
) -> Conversation:
    """Store a conversation with the numbers, types and bodies of its events."""
    # The lock makes the limit hold for simultaneous requests.
    owner = User.objects.select_for_update().get(pk=conversation.started_by_id)
    count = opened_traces(owner).count()
    if count >= MAX_OPENED:
        raise TooManyTracesError
    conversation.number = count + 1
    conversation.save()
    rows = (
        RecordedEvent(conversation=conversation, seq=seq, type=kind, body=body)
        for seq, kind, body in bodies
    )
    RecordedEvent.objects.bulk_create(rows, batch_size=_BATCH_SIZE)
    return conversation


def opened_traces(user: User) -> Any:
    """Return the conversations that a user opened from files, newest first."""
    return Conversation.objects.filter(pipeline=None, started_by=user).without_definition()


@atomic_action
def close_trace(*, conversation: Conversation) -> None:
    """Delete a conversation that was opened from a file."""
    if conversation.is_read_only:
        conversation.delete()


def _dump(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)

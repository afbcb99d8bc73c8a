"""Conversations as files: taken away, and opened again to be looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer.models import Conversation, RecordedEvent
from orchestration.definition import PipelineDefinition
from orchestration.events import dump
from orchestration.runtime import MAX_NAME, TraceFile, head_line

MAX_OPENED = 100
"""Maximum number of opened trace files of one person."""

_AT_ONCE = 500


class TooManyTracesError(Exception):
    """The person has opened as many files as may be kept."""

    def __init__(self) -> None:
        super().__init__(
            f"You have {MAX_OPENED} traces from files: delete one before you open another."
        )


def trace_lines(conversation: Conversation) -> Iterator[bytes]:
    """The conversation as the lines of a file: what was run, then event after event."""
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
    for body in bodies.iterator(chunk_size=_AT_ONCE):
        yield json.dumps(body, ensure_ascii=False).encode() + b"\n"


@transaction.atomic
def open_trace(*, user: User, trace: TraceFile) -> Conversation:
    """Keep a conversation from a file, to be looked at: it has no pipeline, and nobody drives it.

    It is its own: no pipeline, no model and no other conversation has to do with it.
    """
    # The lock makes two files that are opened at once count one after the other.
    locked = User.objects.select_for_update().get(pk=user.pk)
    opened = opened_traces(locked).count()
    if opened >= MAX_OPENED:
        raise TooManyTracesError
    conversation = Conversation(
        pipeline=None,
        started_by=locked,
        number=opened + 1,
        name=trace.name,
        session=trace.session_id,
        definition=_dumped(trace.definition),
        subtask_definitions=[_dumped(one) for one in trace.subtask_definitions],
        pipeline_version=0,
        last_seq=len(trace.events),
    )
    conversation.full_clean()
    conversation.save()
    rows = (
        RecordedEvent(conversation=conversation, seq=one.seq, type=one.type, body=dump(one))
        for one in trace.events
    )
    RecordedEvent.objects.bulk_create(rows, batch_size=_AT_ONCE)
    return conversation


def opened_traces(user: User) -> Any:
    """The conversations that a person has opened from files, the newest first."""
    return Conversation.objects.filter(pipeline=None, started_by=user).without_definition()


@transaction.atomic
def close_trace(*, conversation: Conversation) -> None:
    """Delete a conversation that was opened from a file."""
    if conversation.is_read_only:
        conversation.delete()


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)

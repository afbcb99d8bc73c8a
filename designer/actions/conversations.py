"""Conversations and their journal: beginning one, leasing its run, recording its events.

A run has one worker at a time, which holds its lease. Every step is one short transaction that
writes only under the lease's fence and only the next `seq`, so that a worker which was frozen
and comes back writes nothing, and no event is lost, doubled or out of order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from designer import definitions
from designer.actions.subtasks import gather_subtasks
from designer.models import Conversation, Pipeline, RecordedEvent
from orchestration.definition import PipelineDefinition
from orchestration.events import (
    Event,
    MessageDelta,
    RunCompleted,
    RunFailed,
    RunStarted,
    dump,
)
from orchestration.validation import Issue, errors, validate

MAX_ATTEMPTS = 3
"""How often a run is taken up before it ends as failed."""


class NotRehearsableError(Exception):
    """The pipeline has errors; `issues` are all of them."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("; ".join(issue.message for issue in self.issues))


class RunUnderWayError(Exception):
    """The conversation has a run that is not over, or took another step meanwhile."""


class MessageRepeatedError(Exception):
    """A message with this id is recorded already."""


class LeaseLostError(Exception):
    """Another worker has taken the run, or it is over: nothing may be written."""


class OutOfOrderError(Exception):
    """An event is not the next one of its journal, though its worker holds the lease."""


@dataclass(frozen=True)
class Lease:
    """The right to write a conversation's events until it runs out or is taken."""

    conversation_id: int
    fence: int
    session_id: str
    """The id the engine knows the conversation by; its subtasks have others."""
    attempt: int = 1
    """Which taking up of the run it is, from 1."""

    @property
    def is_exhausted(self) -> bool:
        """Whether the run was taken up too often to be tried again."""
        return self.attempt > MAX_ATTEMPTS


@transaction.atomic
def start_conversation(*, pipeline: Pipeline, user: User) -> Conversation:
    """Begin a rehearsal of the pipeline as it is now. One with errors is refused.

    What it runs does not change under it: the pipelines of its subtasks are kept with it, those
    that the user may open.
    """
    # The lock makes the numbers of two conversations that begin at once differ.
    locked = Pipeline.objects.select_for_update().get(pk=pipeline.pk)
    definition = definitions.read(locked)
    subtasks, barring = gather_subtasks(locked, user, definition)
    if found := [*errors(validate(definition)), *barring]:
        raise NotRehearsableError(found)
    last = locked.conversations.aggregate(last=Max("number"))["last"] or 0
    conversation = Conversation(
        pipeline=locked,
        started_by=user,
        number=last + 1,
        definition=_dumped(definition),
        subtask_definitions=[_dumped(one) for one in subtasks],
        pipeline_version=locked.version,
    )
    conversation.full_clean()
    conversation.save()
    return conversation


@transaction.atomic
def begin_run(*, conversation_id: int, event: RunStarted) -> Lease:
    """Record the start of a run and take its lease, both or neither."""
    key = f"message:{event.message.id}" if event.message else None
    conversation = _locked(conversation_id)
    if key and conversation.recorded_events.filter(key=key).exists():
        raise MessageRepeatedError
    if conversation.run_id or conversation.last_seq != event.seq - 1:
        raise RunUnderWayError
    conversation.run_id = event.run_id
    conversation.attempts = 1
    conversation.fence += 1
    conversation.last_seq = event.seq
    conversation.lease_until = _lease_end()
    conversation.save(update_fields=["run_id", "attempts", "fence", "last_seq", "lease_until"])
    _insert(conversation_id, event, key)
    return Lease(conversation_id, conversation.fence, conversation.session_id)


@transaction.atomic
def take_lease(*, conversation_id: int) -> Lease | None:
    """Take up an unfinished run whose lease has run out; None where there is none such."""
    conversation = _locked(conversation_id)
    if not conversation.run_id:
        return None
    if conversation.lease_until and conversation.lease_until > timezone.now():
        return None
    conversation.attempts += 1
    return _take(conversation)


@transaction.atomic
def seize_lease(*, conversation_id: int) -> Lease | None:
    """Take the run from whoever has it, to end it; None where no run is on."""
    conversation = _locked(conversation_id)
    return _take(conversation) if conversation.run_id else None


@transaction.atomic
def record_event(*, lease: Lease, event: Event) -> None:
    """Append the next event and renew the lease; the event that ends a run gives it back.

    Raises LeaseLostError without the lease, and OutOfOrderError where the event is not the next.
    """
    if isinstance(event, MessageDelta):
        raise TypeError(f"{event.type!r} is published, never recorded.")
    is_over = isinstance(event, RunCompleted | RunFailed) and event.session_id == lease.session_id
    changes: dict[str, Any] = {"last_seq": event.seq, "lease_until": _lease_end()}
    if is_over:
        changes |= {"run_id": "", "lease_until": None, "attempts": 0}
    if not _held(lease).filter(last_seq=event.seq - 1).update(**changes):
        if last := _held(lease).values_list("last_seq", flat=True).first():
            raise OutOfOrderError(f"After event {last} came {event.type!r} as event {event.seq}.")
        raise LeaseLostError
    _insert(lease.conversation_id, event, None)


def renew_lease(*, lease: Lease) -> bool:
    """Hold the run for another while; False where it was lost."""
    return bool(_held(lease).update(lease_until=_lease_end()))


def release_lease(*, lease: Lease) -> None:
    """Let go of an unfinished run, so that it is taken up at once; this was no failed attempt."""
    _held(lease).update(lease_until=timezone.now(), attempts=F("attempts") - 1)


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)


def _locked(conversation_id: int) -> Conversation:
    rows = Conversation.objects.without_definition().select_for_update()
    return rows.get(pk=conversation_id)


def _take(conversation: Conversation) -> Lease:
    conversation.fence += 1
    conversation.lease_until = _lease_end()
    conversation.save(update_fields=["attempts", "fence", "lease_until"])
    return Lease(
        conversation.pk, conversation.fence, conversation.session_id, conversation.attempts
    )


def _held(lease: Lease) -> Any:
    """The conversation, if the lease is still the one that counts and a run is on."""
    rows = Conversation.objects.filter(pk=lease.conversation_id, fence=lease.fence)
    return rows.exclude(run_id="")


def _lease_end() -> Any:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def _insert(conversation_id: int, event: Event, key: str | None) -> None:
    RecordedEvent.objects.create(
        conversation_id=conversation_id,
        seq=event.seq,
        type=event.type,
        key=key,
        body=without_nul(dump(event)),
    )


def without_nul(value: Any) -> Any:
    """JSON values with U+0000 replaced: PostgreSQL keeps none, and a model may write one."""
    if isinstance(value, str):
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}") if "\0" in value else value
    if isinstance(value, dict):
        return {without_nul(key): without_nul(part) for key, part in value.items()}
    if isinstance(value, list):
        return [without_nul(part) for part in value]
    return value

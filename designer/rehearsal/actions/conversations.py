"""Actions on conversations and their journal: start a conversation, record events.

A run has one worker at a time, which holds its lease. Every step is one short transaction that
writes only under the lease's fence and only the next `seq`. A worker that continues after its lease
was taken therefore writes nothing, and no event is lost, duplicated or out of order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, F, Max, When
from django.utils import timezone

from designer.conversations import CostOf, create_summary, summarise_event, update_summary
from designer.core import (
    atomic_action,
    current_row,
    edit_action,
    find_connection_issues,
    gather_subtasks,
    writing,
)
from designer.instrumentation import current_request, report_recorded_event
from designer.models import Command, Conversation, Pipeline, RecordedEvent, SubtaskPipeline
from designer.rehearsal.actions.event_rows import command_of, event_body, insert_event
from designer.rehearsal.actions.leases import Lease, LeaseLostError, lease_end
from designer.rehearsal.fragments.spending import cost_of, prices_of
from designer.versions import DRAFT, select_definition
from orchestration.conversation import SUPERVISOR_MARK
from orchestration.definition import PipelineDefinition
from orchestration.events import (
    EVENT_FORMAT,
    ApprovalGiven,
    ApprovalRequested,
    Event,
    HandoffAccepted,
    HumanJoined,
    HumanLeft,
    MessageDelta,
    PhaseChanged,
    RunCompleted,
    RunFailed,
    RunPaused,
    RunResumed,
    RunStarted,
    StopReason,
)
from orchestration.validation import Issue, errors, validate


class NotRehearsableError(Exception):
    """The pipeline has errors, which `issues` lists."""

    def __init__(self, issues: Sequence[Issue]) -> None:
        self.issues = tuple(issues)
        super().__init__("; ".join(issue.message for issue in self.issues))


class RunUnderWayError(Exception):
    """The conversation has an unfinished run, or recorded another event meanwhile."""


class MessageRepeatedError(Exception):
    """A message with the same id is recorded already."""


class CommandGoneError(Exception):
    """The command was withdrawn or processed meanwhile; its events must not be recorded."""


class OutOfOrderError(Exception):
    """An event is not the next one of its journal, although its worker holds the lease."""


@edit_action
def start_conversation(
    *,
    pipeline: Pipeline,
    user: User,
    choice: str = DRAFT,
    break_points: dict[str, Any] | None = None,
) -> Conversation:
    """Start a rehearsal of the draft or a version; raise NotRehearsableError if it has errors.

    `choice` is `draft`, `live` or a number; UnknownVersionError if there is no such version.

    Later edits do not affect it: the definition is stored with it, as are the pipelines of its
    subtasks that the user is allowed to open.
    """
    pipeline = current_row(pipeline)
    selected = select_definition(pipeline, choice)
    subtasks = rehearsable(pipeline, user, selected.definition)
    conversation = Conversation(
        pipeline=pipeline,
        started_by=user,
        version=selected.version,
        edits_since=selected.edits_since,
        definition=_dumped(selected.definition),
        subtask_definitions=[_dumped(subtask) for subtask in subtasks.values()],
        pipeline_version=pipeline.version,
        break_points=break_points or {},
    )
    conversation.full_clean(exclude=["number"])
    # Without the lock, two conversations that start at the same time would get the same number.
    with writing(pipeline):
        conversation.number = next_number(pipeline)
        conversation.save()
        create_summary(conversation)
        keep_subtask_pipelines(conversation, subtasks)
    return conversation


def next_number(pipeline: Pipeline) -> int:
    """Return the number of the next conversation of a locked pipeline."""
    last: int | None = pipeline.conversations.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def rehearsable(
    pipeline: Pipeline, user: User, definition: PipelineDefinition
) -> dict[int, PipelineDefinition]:
    """Return the pipelines of a definition's subtasks, by their ids.

    Raises NotRehearsableError with all issues that block a rehearsal.
    """
    subtasks, subtask_issues = gather_subtasks(pipeline, user, definition)
    unconnected = find_connection_issues(pipeline, user, definition, subtasks.values())
    if issues := [*errors(validate(definition)), *subtask_issues, *unconnected]:
        raise NotRehearsableError(issues)
    return subtasks


def keep_subtask_pipelines(conversation: Conversation, pks: Iterable[int | None]) -> None:
    """Record the pipelines of a new conversation's subtasks; None for one that is deleted."""
    pks = list(pks)
    existing = Pipeline.objects.filter(pk__in=[pk for pk in pks if pk is not None])
    known = set(existing.values_list("pk", flat=True))
    rows = (
        SubtaskPipeline(conversation=conversation, pipeline_id=pk if pk in known else None)
        for pk in pks
    )
    SubtaskPipeline.objects.bulk_create(rows)


def take_steps(
    *, conversation_id: int, events: Sequence[Event], command: Command | None = None
) -> bool:
    """Record the events of a command while no run is in progress, or it is paused.

    Records all of the events or none, and removes the command from the queue. Returns True if the
    last event starts or resumes a run, which then waits for a worker.
    """
    return _take_steps(conversation_id, events, list(map(event_body, events)), command)


@atomic_action
def _take_steps(
    conversation_id: int, events: Sequence[Event], bodies: Sequence[Any], command: Command | None
) -> bool:
    rows = Conversation.objects.without_definition().select_for_update()
    conversation = rows.get(pk=conversation_id)
    request_id = current_request().id
    if command is not None:
        if (dequeued := _dequeue(conversation_id, command.key)) is None:
            raise CommandGoneError
        request_id = dequeued
    if (conversation.run_id and not conversation.is_paused) or (
        conversation.last_seq != events[0].seq - 1
    ):
        raise RunUnderWayError
    for event, body in zip(events, bodies, strict=True):
        key = _key_of(conversation, event, command)
        insert_event(conversation_id, event, body, key, request_id)
        _summarise(conversation_id, conversation.session_id, event, body)
        report_recorded_event(conversation_id, conversation.session_id, event)
        recorded = {"last_seq": event.seq, "event_format": EVENT_FORMAT}
        changes = recorded | _changes(event, conversation.session_id)
        Conversation.objects.filter(pk=conversation_id).update(**changes)
    is_queued = isinstance(events[-1], RunStarted | RunResumed)
    if not conversation.run_id and not is_queued:
        update_summary(conversation_id, conversation.session_id, cost_reader(conversation_id))
    return is_queued


def cost_reader(conversation_id: int) -> CostOf:
    """Return the function that gives the cost of a call by the prices of the owner."""
    prices = prices_of(conversation_id)
    return lambda key, usage: cost_of(key, usage, prices)


def record_event(*, lease: Lease, event: Event) -> None:
    """Append the next event and renew the lease; the last event of a run releases it.

    The first event of a command removes the command from the queue. An event that is recorded
    already has no effect: a worker repeats a call after a failure of the database. Raises
    LeaseLostError without the lease, OutOfOrderError if the event is not the next one, and
    CommandGoneError if its command was withdrawn.
    """
    if isinstance(event, MessageDelta):
        raise TypeError(f"{event.type!r} is published, never recorded.")
    _append(lease, event, event_body(event))


@transaction.atomic  # the worker itself repeats it while the database is busy or away
def _append(lease: Lease, event: Event, body: Any) -> None:
    changes: dict[str, Any] = {"last_seq": event.seq, "lease_until": lease_end()}
    changes["event_format"] = EVENT_FORMAT
    if not event.is_retry:  # any other event is progress
        changes["attempts"] = 1
    changes |= _changes(event, lease.session_id)
    if not lease.rows.filter(last_seq=event.seq - 1).update(**changes):
        if _is_recorded(lease, event, body):
            return
        if last := lease.rows.values_list("last_seq", flat=True).first():
            raise OutOfOrderError(f"Event {last} is followed by {event.type!r} as {event.seq}.")
        raise LeaseLostError
    key, request_id = _command_key(lease.conversation_id, event)
    insert_event(lease.conversation_id, event, body, key, request_id)
    _summarise(lease.conversation_id, lease.session_id, event, body)
    report_recorded_event(lease.conversation_id, lease.session_id, event)


def _summarise(conversation_id: int, session_id: str, event: Event, body: Any) -> None:
    prices = partial(cost_reader, conversation_id)
    summarise_event(conversation_id, session_id, event, body, prices)


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)


def _changes(event: Event, session_id: str) -> dict[str, Any]:
    """Return the changes of a conversation's row by an event.

    Events of subtasks change only the number of pending approvals.
    """
    if isinstance(event, ApprovalRequested | ApprovalGiven):
        change = 1 if isinstance(event, ApprovalRequested) else -1
        return {"approvals": F("approvals") + change}
    if event.session_id != session_id:
        return {}
    match event:
        case RunStarted():
            return {"run_id": event.run_id, **_new_in_queue()}
        case RunPaused():  # also ends the lease
            return {
                "is_paused": True,
                "lease_until": None,
                "ready_since": None,
                "fence": F("fence") + 1,
            }
        case RunResumed():
            return {"is_paused": False, **_new_in_queue()}
        case RunCompleted() | RunFailed():
            return _end_of_run(event)
        case HandoffAccepted(to_agent=agent_id) | PhaseChanged(agent_id=agent_id):
            return _new_owner(agent_id)
        case HumanJoined():
            user = User.objects.filter(username=event.by).first()
            return {"waits_for_human": False, "taken_by": user}
        case HumanLeft():
            return {"taken_by": None, "waits_for_human": False}
    return {}


def _end_of_run(event: RunCompleted | RunFailed) -> dict[str, Any]:
    """Return the changes at the end of a run; the conversation may wait for a human again."""
    changes: dict[str, Any] = {"run_id": "", "is_paused": False, "approvals": 0}
    if isinstance(event, RunCompleted) and event.reason is StopReason.WAITING_FOR_HUMAN:
        changes |= _new_owner(None)
    return changes | {"lease_until": None, "ready_since": None, "attempts": 0}


def _new_in_queue() -> dict[str, Any]:
    """Return the changes that make a run wait for a worker."""
    now = timezone.now()
    return {"ready_since": now, "lease_until": now, "attempts": 0, "fence": F("fence") + 1}


def _new_owner(agent_id: str | None) -> dict[str, Any]:
    """Return the changes by a handoff; without an agent it waits for a human, unless one has it."""
    if agent_id is not None:
        return {"waits_for_human": False, "taken_by": None}
    return {"waits_for_human": Case(When(taken_by=None, then=True), default=False)}


def _key_of(conversation: Conversation, event: Event, command: Command | None) -> str | None:
    """Return the unique key of an event outside of a run."""
    if isinstance(event, RunStarted) and event.message is not None:
        key = f"message:{event.message.id}"
        if conversation.recorded_events.filter(key=key).exists():
            raise MessageRepeatedError
        return key
    is_first = event.seq == conversation.last_seq + 1
    return f"command:{command.key}" if command is not None and is_first else None


def _command_key(conversation_id: int, event: Event) -> tuple[str | None, str]:
    """Dequeue the command of its first event; return the key and the id of its request.

    Any other event has no key.
    """
    command_id = command_of(event)
    if not command_id:
        return None, ""
    key = f"command:{command_id}"
    if (request_id := _dequeue(conversation_id, command_id)) is not None:
        return key, request_id
    if command_id.startswith(f"{event.session_id}{SUPERVISOR_MARK}"):
        return None, ""  # the run itself issued it
    if not RecordedEvent.objects.filter(conversation_id=conversation_id, key=key).exists():
        raise CommandGoneError
    return None, ""


def _dequeue(conversation_id: int, key: str) -> str | None:
    """Remove a command from the queue; return the id of its request, None if it is not pending."""
    rows = Command.objects.filter(conversation_id=conversation_id, key=key)
    request_id = rows.values_list("request_id", flat=True).first()
    return request_id if rows.delete()[0] else None


def _is_recorded(lease: Lease, event: Event, body: Any) -> bool:
    rows = RecordedEvent.objects.filter(conversation_id=lease.conversation_id, seq=event.seq)
    return rows.filter(type=event.type, body__at=body["at"], body__run_id=event.run_id).exists()

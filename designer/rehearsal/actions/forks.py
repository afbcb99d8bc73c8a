"""Going back: a conversation that begins with a part of another one."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from designer.core import MAX_PIPELINES, find_connection_issues, subtask_requests
from designer.models import Conversation, Pipeline, RecordedEvent
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.conversations import (
    NotRehearsableError,
    keep_subtask_pipelines,
    rehearsable,
)
from orchestration.control import Pause
from orchestration.conversation import find_template
from orchestration.definition import PipelineDefinition
from orchestration.events import (
    Event,
    InputRequested,
    MessageReceived,
    RunStarted,
    SubtaskStarted,
)
from orchestration.runtime import Session


class NotForkableError(Exception):
    """The conversation cannot be gone on with from there; says why in one sentence."""


@transaction.atomic
def fork_conversation(
    conversation: Conversation,
    *,
    user: User,
    before: int | None = None,
    after: int | None = None,
    definition: PipelineDefinition | None = None,
    name: str = "",
) -> Conversation:
    """Begin another conversation with the events of this one up to a moment.

    `before` a message (its `message.received`, or the `run.started` of its run) is for saying
    something else instead; `before` or `after` any other event is right there. Where a run was
    under way at that moment it goes on in the fork, and stands still before its next step.

    `definition` is what the fork runs from there, as the pipeline is now; None: the same as its
    origin. What could not begin as a rehearsal raises NotRehearsableError: for its errors, or since
    what it asks is not connected any more. One in which the conversation could not stand where it
    does, such as without the stage or agent of that moment, raises NotForkableError.
    """
    if conversation.pipeline is None:
        raise NotForkableError(
            "This trace was opened from a file, so it can be looked at and not gone on with."
        )
    pipeline = Pipeline.objects.select_for_update().get(pk=conversation.pipeline.pk)
    kept = _kept(conversation, before, after)
    events = conversation.events(at_most=kept) if kept else []
    subtasks = [PipelineDefinition.model_validate(one) for one in conversation.subtask_definitions]
    origin = _fold(conversation, conversation.snapshot(), events, subtasks)
    changes: dict[str, Any] = {
        "definition": conversation.definition,
        "subtask_definitions": conversation.subtask_definitions,
        "pipeline_version": conversation.pipeline_version,
    }
    run: dict[int | None, None] = _subtask_pipelines(conversation)
    session = origin
    if definition is not None:
        gathered = rehearsable(pipeline, user, definition)
        told = _pipelines_told_of(events, conversation)
        subtasks = [*gathered.values(), *_kept_beside(definition, list(gathered.values()), told)]
        run |= dict.fromkeys(gathered)
        session = _in_edited(conversation, definition, events, subtasks, origin)
        changes = {
            "definition": _dumped(definition),
            "subtask_definitions": [_dumped(one) for one in subtasks],
            "pipeline_version": pipeline.version,
        }
    elif found := find_connection_issues(pipeline, user, conversation.snapshot(), subtasks):
        raise NotRehearsableError(found)
    last = pipeline.conversations.aggregate(last=Max("number"))["last"] or 0
    fork = Conversation(
        pipeline=pipeline,
        started_by=user,
        number=last + 1,
        name=name,
        session=conversation.session_id,
        forked_from=conversation,
        forked_at=kept,
        last_seq=kept,
        break_points=conversation.break_points,
        **_standing(session, user),
        **changes,
    )
    fork.full_clean()
    fork.save()
    keep_subtask_pipelines(fork, run)
    _copy_events(conversation, fork, kept)
    if fork.run_id and not fork.is_paused:
        pause = Pause(id=f"fork-{uuid4().hex}", by=user.get_username())
        put_command(conversation_id=fork.pk, command=pause, user_id=user.pk)
    return fork


def _subtask_pipelines(origin: Conversation) -> dict[int | None, None]:
    """The pipelines of which the fork tells something, in an order; None: one that is not known."""
    known = origin.subtask_pipelines.values_list("pipeline", flat=True)
    return dict.fromkeys(known) or ({None: None} if origin.subtask_definitions else {})


def _pipelines_told_of(events: list[Event], origin: Conversation) -> dict[str, PipelineDefinition]:
    """The pipelines of the subtasks that some events tell of, by their names."""
    requests = [one.request for one in events if isinstance(one, SubtaskStarted) and one.request]
    found = map(origin.pipeline_for, requests)
    return {one.name: one for one in found if one is not None}


def _kept_beside(
    definition: PipelineDefinition,
    run: list[PipelineDefinition],
    told: dict[str, PipelineDefinition],
) -> list[PipelineDefinition]:
    """Return the recorded definitions that are no longer in use, and are kept unused."""
    requests = [one for pipeline in (definition, *run) for one in subtask_requests(pipeline)]
    wanted = [find_template(request, run) for request in requests]
    beside: list[PipelineDefinition] = []
    for name, pipeline in told.items():
        among = [*run, *beside, pipeline]
        is_run = name in {one.name for one in run} or len(among) > MAX_PIPELINES
        if not is_run and [find_template(one, among) for one in requests] == wanted:
            beside.append(pipeline)
    return beside


def _kept(conversation: Conversation, before: int | None, after: int | None) -> int:
    """Return the number of events that the fork shares with its origin."""
    seq = after if before is None else before
    if seq is None or None not in (before, after):
        raise TypeError("Say before which event, or after which.")
    row = conversation.recorded_events.filter(seq=seq).first()
    if row is None:
        raise NotForkableError(f"There is no event {seq} in this conversation.")
    if before is None:
        return row.seq
    if row.type == MessageReceived.__struct_config__.tag:
        runs = conversation.recorded_events.filter(
            type=RunStarted.__struct_config__.tag, body__run_id=row.body["run_id"]
        )
        own = runs.filter(seq__lt=row.seq, body__session_id=row.body["session_id"])
        row = own.order_by("-seq").first() or row
    return row.seq - 1


def _in_edited(
    conversation: Conversation,
    definition: PipelineDefinition,
    events: list[Event],
    subtasks: list[PipelineDefinition],
    origin: Session,
) -> Session:
    """The conversation of that moment in another pipeline, if it can stand there."""
    if not events:
        return _fold(conversation, definition, events, subtasks)
    phase, agent_id = origin.state.phase, origin.state.active_agent_id
    if phase not in definition.stages_by_phase:
        raise NotForkableError(
            f"At that moment the conversation was in the stage {phase!r}, which the pipeline no "
            "longer has: fork from an earlier one."
        )
    stage_speaker = {*definition.agents_by_id, *(stage.phase for stage in definition.stages)}
    if agent_id is not None and agent_id not in stage_speaker:
        raise NotForkableError(
            f"At that moment {agent_id!r} had the conversation, an agent which the pipeline no "
            "longer has: fork from an earlier one."
        )
    try:
        session = _fold(conversation, definition, events, subtasks)
    except (LookupError, ValueError, AttributeError):
        raise NotForkableError(_GONE) from None
    if session.state.phase != phase or session.state.active_agent_id != agent_id:
        raise NotForkableError(_GONE)
    return session


_GONE = (
    "What happened up to that moment cannot have happened in the pipeline as it is now: fork from "
    "an earlier one."
)


def _fold(
    conversation: Conversation,
    definition: PipelineDefinition,
    events: list[Event],
    subtasks: list[PipelineDefinition],
) -> Session:
    return Session(
        definition,
        events,
        session_id=conversation.session_id,
        providers={},
        ask_user=_later,
        pipelines=lambda request: find_template(request, subtasks),
    )


async def _later(_: InputRequested) -> None:
    """The user answers with the next message."""


def _standing(session: Session, user: User) -> dict[str, Any]:
    """Return the fields of the row that describe the state of the conversation."""
    run = session.conversation.run
    return {
        "run_id": run.id if run else "",
        # Whoever reads the fork takes it up at once.
        "lease_until": timezone.now() if run else None,
        "is_paused": session.paused is not None,
        "approvals": len(session.approvals),
        "waits_for_human": session.state.with_human
        and session.human is None
        and not session.conversation.ended_by_person,
        "taken_by": user if session.human is not None else None,
    }


def _copy_events(origin: Conversation, fork: Conversation, kept: int) -> None:
    rows = origin.recorded_events.filter(seq__lte=kept).iterator(chunk_size=_AT_ONCE)
    copies = (
        RecordedEvent(conversation=fork, seq=row.seq, type=row.type, key=row.key, body=row.body)
        for row in rows
    )
    RecordedEvent.objects.bulk_create(copies, batch_size=_AT_ONCE)


_AT_ONCE = 500


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)

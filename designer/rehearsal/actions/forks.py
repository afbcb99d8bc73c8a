"""Forks: conversations that begin with the first events of another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.contrib.auth.models import User
from django.utils import timezone

from designer.conversations import create_summary, index_conversation, update_summary
from designer.core import (
    MAX_PIPELINES,
    GoneError,
    atomic_action,
    current_row,
    find_connection_issues,
    subtask_requests,
)
from designer.models import Conversation, Pipeline, RecordedEvent
from designer.rehearsal.actions.commands import put_command
from designer.rehearsal.actions.conversations import (
    NotRehearsableError,
    cost_reader,
    keep_subtask_pipelines,
    next_number,
    rehearsable,
)
from designer.versions import select_definition
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
    """The conversation cannot be continued from that event; the message gives the reason."""


@dataclass(frozen=True)
class ForkDraft:
    """A fork that is checked and not yet stored."""

    origin_id: int
    pipeline_id: int
    row: Conversation
    pipelines: list[int | None]
    """Ids of the subtask pipelines; None is an unknown pipeline."""
    events: list[RecordedEvent]


def fork_conversation(
    conversation: Conversation,
    *,
    user: User,
    before: int | None = None,
    after: int | None = None,
    definition: PipelineDefinition | None = None,
    name: str = "",
) -> Conversation:
    """Start another conversation with the events of this one up to an event.

    `before` a message (its `message.received`, or the `run.started` of its run) the fork ends with
    the previous run, so that another message can be sent; `before` or `after` any other event is
    exact. An unfinished run at that event continues in the fork, and pauses before its next step.

    The fork runs `definition` from there, the current pipeline; None: the definition of its origin.
    Raises NotRehearsableError if the definition has errors or is no longer connected, and
    NotForkableError if it does not fit the state at that event, such as without its stage or agent.
    """
    draft = draft_fork(
        conversation, user=user, before=before, after=after, definition=definition, name=name
    )
    return _store(draft)


def draft_fork(
    conversation: Conversation,
    *,
    user: User,
    before: int | None = None,
    after: int | None = None,
    definition: PipelineDefinition | None = None,
    name: str = "",
) -> ForkDraft:
    """Check a fork and prepare its rows, outside of any transaction; see `fork_conversation`."""
    if conversation.pipeline is None:
        raise NotForkableError(
            "This trace was opened from a file: it can be viewed but not continued."
        )
    try:
        pipeline = current_row(conversation.pipeline)
    except GoneError as error:
        raise NotForkableError(str(error)) from None
    shared = _shared_events(conversation, before, after)
    events = conversation.events(at_most=shared) if shared else []
    subtasks = [PipelineDefinition.model_validate(row) for row in conversation.subtask_definitions]
    origin = _replay(conversation, conversation.snapshot(), events, subtasks)
    changes: dict[str, Any] = {
        "definition": conversation.definition,
        "subtask_definitions": conversation.subtask_definitions,
        "pipeline_version": conversation.pipeline_version,
        "version_id": conversation.version_id,
        "edits_since": conversation.edits_since,
    }
    pipelines: dict[int | None, None] = _subtask_pipelines(conversation)
    session = origin
    if definition is not None:
        current = rehearsable(pipeline, user, definition)
        recorded = _recorded_pipelines(events, conversation)
        subtasks = [*current.values(), *_unused(definition, list(current.values()), recorded)]
        pipelines |= dict.fromkeys(current)
        session = _replay_edited(conversation, definition, events, subtasks, origin)
        draft = select_definition(pipeline)
        changes = {
            "definition": _dumped(definition),
            "subtask_definitions": [_dumped(subtask) for subtask in subtasks],
            "pipeline_version": pipeline.version,
            "version": draft.version,
            "edits_since": draft.edits_since,
        }
    elif issues := find_connection_issues(pipeline, user, conversation.snapshot(), subtasks):
        raise NotRehearsableError(issues)
    fork = Conversation(
        pipeline=pipeline,
        started_by=user,
        name=name,
        session=conversation.session_id,
        forked_from=conversation,
        forked_at=shared,
        event_format=conversation.event_format,
        last_seq=shared,
        break_points=conversation.break_points,
        **_state_fields(session, user),
        **changes,
    )
    fork.full_clean(exclude=["number"])
    copies = _copied_events(conversation, fork, shared)
    return ForkDraft(conversation.pk, pipeline.pk, fork, list(pipelines), copies)


def store_fork(draft: ForkDraft) -> Conversation:
    """Store a fork with its events. The caller opens the transaction."""
    fork = draft.row
    locked = Pipeline.objects.select_for_update().filter(pk=draft.pipeline_id).first()
    if locked is None or not Conversation.objects.filter(pk=draft.origin_id).exists():
        raise NotForkableError("This rehearsal has been deleted.")
    fork.number = next_number(locked)
    fork.save()
    keep_subtask_pipelines(fork, draft.pipelines)
    for event in draft.events:
        event.conversation = fork  # it has an id now
    RecordedEvent.objects.bulk_create(draft.events, batch_size=_BATCH)
    create_summary(fork)
    index_conversation(fork.pk)
    if not fork.run_id:  # otherwise at the end of the run
        update_summary(fork.pk, fork.session_id, cost_reader(fork.pk))
    if fork.run_id and not fork.is_paused:
        user = fork.started_by
        pause = Pause(id=f"fork-{uuid4().hex}", by=user.get_username())
        put_command(conversation_id=fork.pk, command=pause, user_id=user.pk)
    return fork


@atomic_action
def _store(draft: ForkDraft) -> Conversation:
    return store_fork(draft)


def _subtask_pipelines(origin: Conversation) -> dict[int | None, None]:
    """Return the ids of the origin's subtask pipelines, in order; None is an unknown pipeline."""
    pks = origin.subtask_pipelines.values_list("pipeline", flat=True)
    return dict.fromkeys(pks) or ({None: None} if origin.subtask_definitions else {})


def _recorded_pipelines(events: list[Event], origin: Conversation) -> dict[str, PipelineDefinition]:
    """Return the pipelines of the subtasks in some events, by their names."""
    starts = [event for event in events if isinstance(event, SubtaskStarted)]
    pipelines = (origin.pipeline_for(start.request) for start in starts if start.request)
    return {pipeline.name: pipeline for pipeline in pipelines if pipeline is not None}


def _unused(
    definition: PipelineDefinition,
    current: list[PipelineDefinition],
    recorded: dict[str, PipelineDefinition],
) -> list[PipelineDefinition]:
    """Return the recorded pipelines that the fork shows but does not run.

    A pipeline that a new subtask would find in place of a current one is left out.
    """
    requests = [
        request for pipeline in (definition, *current) for request in subtask_requests(pipeline)
    ]
    expected = [find_template(request, current) for request in requests]
    unused: list[PipelineDefinition] = []
    for name, pipeline in recorded.items():
        candidates = [*current, *unused, pipeline]
        is_current = name in {subtask.name for subtask in current}
        if is_current or len(candidates) > MAX_PIPELINES:
            continue
        if [find_template(request, candidates) for request in requests] == expected:
            unused.append(pipeline)
    return unused


def _shared_events(conversation: Conversation, before: int | None, after: int | None) -> int:
    """Return the number of events that the fork shares with its origin."""
    seq = after if before is None else before
    if seq is None or None not in (before, after):
        raise TypeError("Give either `before` or `after`, the number of an event.")
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


def _replay_edited(
    conversation: Conversation,
    definition: PipelineDefinition,
    events: list[Event],
    subtasks: list[PipelineDefinition],
    origin: Session,
) -> Session:
    """Return the conversation at that event in another pipeline, if its state fits there."""
    if not events:
        return _replay(conversation, definition, events, subtasks)
    phase, agent_id = origin.state.phase, origin.state.active_agent_id
    if phase not in definition.stages_by_phase:
        raise NotForkableError(
            f"At that event the conversation was in the stage {phase!r}, which the pipeline no "
            "longer has: fork from an earlier event."
        )
    speakers = {*definition.agents_by_id, *(stage.phase for stage in definition.stages)}
    if agent_id is not None and agent_id not in speakers:
        raise NotForkableError(
            f"At that event {agent_id!r} had the conversation, an agent that the pipeline no "
            "longer has: fork from an earlier event."
        )
    try:
        session = _replay(conversation, definition, events, subtasks)
    except (LookupError, ValueError, AttributeError):
        raise NotForkableError(_IMPOSSIBLE) from None
    if session.state.phase != phase or session.state.active_agent_id != agent_id:
        raise NotForkableError(_IMPOSSIBLE)
    return session


_IMPOSSIBLE = (
    "The events up to that one cannot happen in the current pipeline: fork from an earlier event."
)


def _replay(
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
    """Do not ask: the user answers with the next message."""


def _state_fields(session: Session, user: User) -> dict[str, Any]:
    """Return the fields of the row that describe the state of the conversation."""
    run = session.conversation.run
    is_ready = run is not None and session.paused is None
    ready_since = timezone.now() if is_ready else None  # a worker claims the run at once
    return {
        "run_id": run.id if run else "",
        "lease_until": ready_since,
        "ready_since": ready_since,
        "is_paused": session.paused is not None,
        "approvals": len(session.approvals),
        "waits_for_human": session.state.with_human
        and session.human is None
        and not session.conversation.ended_by_person,
        "taken_by": user if session.human is not None else None,
    }


def _copied_events(origin: Conversation, fork: Conversation, last_seq: int) -> list[RecordedEvent]:
    rows = origin.recorded_events.filter(seq__lte=last_seq).iterator(chunk_size=_BATCH)
    return [
        RecordedEvent(conversation=fork, seq=row.seq, type=row.type, key=row.key, body=row.body)
        for row in rows
    ]


_BATCH = 500


def _dumped(definition: PipelineDefinition) -> dict[str, Any]:
    return definition.model_dump(mode="json", exclude_defaults=True)

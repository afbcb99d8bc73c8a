"""Deletion of old conversations, as a job."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db.models import OuterRef, Q, Subquery, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils import timezone

from designer.conversations import expired_by_pipeline
from designer.core import atomic_action, notify_conversation
from designer.jobs import JobKind, start_job
from designer.models import Conversation, ConversationQuerySet, Job, Pipeline, RecordedEvent

MAX_ITEMS = 10_000
"""Maximum number of conversations that one job of a pipeline's retention deletes."""


def old_conversations(*, until: datetime) -> ConversationQuerySet:
    """Return the conversations without an event since `until`, oldest first.

    A conversation with an unfinished run is not old, unless the run is paused; a pinned one is
    never old.
    """
    last = RecordedEvent.objects.filter(conversation=OuterRef("pk"), seq=OuterRef("last_seq"))
    at = last.values(at=Cast(KeyTextTransform("at", "body"), TextField()))[:1]
    rows = Conversation.objects.filter(Q(run_id="") | Q(is_paused=True), created__lt=until)
    # Events are recorded with the time in UTC, so that their texts have the order of the times.
    text = until.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    rows = rows.exclude(summary__is_pinned=True)
    rows = rows.without_definition().annotate(last_event_at=Subquery(at))
    return rows.filter(Q(last_event_at=None) | Q(last_event_at__lt=text)).order_by("pk")


def start_deletion(*, until: datetime) -> Job | None:
    """Start the deletion of all old conversations; None if there are none."""
    items = list(old_conversations(until=until).values_list("pk", flat=True))
    if not items:
        return None
    return start_job(
        kind=RETENTION,
        title=f"Deletion of rehearsals without activity since {until:%Y-%m-%d %H:%M} UTC",
        items=items,
        arguments={"until": until.isoformat()},
    )


def expired_conversations() -> Iterator[tuple[Pipeline, datetime, list[int]]]:
    """Yield each pipeline with expired conversations, its date, and their ids."""
    for pipeline, until, rows in expired_by_pipeline(timezone.now()):
        yield pipeline, until, list(rows.values_list("pk", flat=True)[:MAX_ITEMS])


def start_expiry() -> list[Job]:
    """Start the deletion of the expired conversations of each pipeline, once at a time."""
    open_jobs = Job.objects.open().filter(kind=RETENTION.name)
    busy = {job.arguments.get("pipeline") for job in open_jobs}
    return [
        start_job(
            kind=RETENTION,
            title=f"Deletion of rehearsals of {pipeline.name} before {until:%Y-%m-%d}",
            items=items,
            arguments={"until": until.isoformat(), "pipeline": pipeline.pk},
        )
        for pipeline, until, items in expired_conversations()
        if pipeline.pk not in busy
    ]


def _process(job: Job, conversation_id: int) -> Iterator[bytes]:
    """Delete a conversation and close its pages, unless it was continued meanwhile."""
    pipeline_id = job.arguments.get("pipeline")
    if pipeline_id is not None and not _has_retention(pipeline_id):
        return
    if _delete(conversation_id, datetime.fromisoformat(job.arguments["until"])):
        notify_conversation(conversation_id)
    yield b""


def _has_retention(pipeline_id: int) -> bool:
    """Report whether the owner still wants the deletion."""
    return Pipeline.objects.filter(pk=pipeline_id).exclude(keep_days=None).exists()


@atomic_action
def _delete(conversation_id: int, until: datetime) -> bool:
    # The lock keeps a worker from starting a run between the check and the deletion.
    Conversation.objects.select_for_update().only("pk").filter(pk=conversation_id).first()
    conversation = old_conversations(until=until).filter(pk=conversation_id).first()
    if conversation is None:
        return False
    conversation.delete()
    return True


RETENTION = JobKind(name="delete-conversations", unit="rehearsal", process=_process)

"""Export of all conversations of a pipeline to one file, as a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.contrib.auth.models import User

from designer.core import slug
from designer.jobs import JobKind, start_job
from designer.models import Conversation, Job, Pipeline
from designer.pipelines.traces import trace_lines


class NoConversationsError(Exception):
    """The pipeline has no conversations; the text is shown to the user."""

    def __init__(self) -> None:
        super().__init__("This pipeline has no rehearsals to export. Start one first.")


def start_export(*, pipeline: Pipeline, user: User) -> Job:
    """Start the export of all conversations of a pipeline that the user may open.

    Returns the unfinished export of the same user, if there is one. Raises NoConversationsError, or
    TooManyJobsError.
    """
    conversations = Conversation.objects.of(user).filter(pipeline=pipeline).order_by("number")
    items = list(conversations.values_list("pk", flat=True))
    if not items:
        raise NoConversationsError
    return start_job(
        kind=EXPORT,
        title=f"Export of the rehearsals of {pipeline.name}",
        items=items,
        asked_by=user,
        arguments={"pipeline": pipeline.pk, "name": pipeline.name},
    )


def start_selection_export(*, pks: Sequence[int], user: User) -> Job:
    """Start the export of some conversations; raise NoConversationsError or TooManyJobsError."""
    items = list(pks)
    if not items:
        raise NoConversationsError
    return start_job(
        kind=EXPORT,
        title=f"Export of {len(items)} selected rehearsals",
        items=items,
        asked_by=user,
        arguments={"name": "rehearsals", "conversations": items},
    )


def _export_conversation(job: Job, conversation_id: int) -> Iterator[bytes]:
    """Yield the trace of a conversation, unless it is deleted or closed to the user meanwhile."""
    if job.asked_by is None or not job.asked_by.is_active:
        return
    conversation = Conversation.objects.find_for(job.asked_by, conversation_id)
    if conversation is not None:
        yield from trace_lines(conversation)


def _file_name(job: Job) -> str:
    name = slug(job.arguments.get("name", "")) or f"pipeline-{job.arguments.get('pipeline')}"
    return f"{name}.traces.jsonl"


EXPORT = JobKind(
    name="export-conversations",
    unit="rehearsal",
    process=_export_conversation,
    file_name=_file_name,
)

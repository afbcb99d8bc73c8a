"""Upkeep of summaries and of the search index, in the transactions that record events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from designer.conversations.first_words import take_first_word
from designer.conversations.search import add_texts, indexed_text
from designer.conversations.sums import CostOf, SumsReader, add_start
from designer.core import atomic_action
from designer.jobs import JobKind, start_job
from designer.models import Conversation, ConversationSummary, Job, RecordedEvent, read_events
from orchestration.events import Event, RunCompleted, RunFailed, RunPaused, RunResumed, RunStarted

MAX_ITEMS = 5_000
"""Maximum number of conversations that one job summarises."""


def create_summary(conversation: Conversation) -> ConversationSummary | None:
    """Create the summary of a new conversation; None for a trace that was opened from a file."""
    if conversation.pipeline_id is None:
        return None
    known: dict[str, Any] = {}
    if conversation.last_seq:
        origin = ConversationSummary.objects.filter(pk=conversation.forked_from_id)
        known = dict(origin.values("first_words", "channel", "outcome").first() or {})
    version = conversation.version
    return ConversationSummary.objects.create(
        conversation=conversation,
        pipeline_id=conversation.pipeline_id,
        started_by_id=conversation.started_by_id,
        has_subtasks=bool(conversation.subtask_definitions),
        version=version.number if version and conversation.edits_since is None else 0,
        version_label=conversation.version_label,
        source="rehearsal" if conversation.forked_at is None else "fork",
        created=conversation.created,
        last_at=conversation.created,
        **known,
    )


def summarise_event(
    conversation_id: int, session_id: str, event: Event, body: Any, cost_of: Callable[[], CostOf]
) -> None:
    """Index the text of a recorded event, and update the summary at the borders of a run."""
    add_texts([(conversation_id, event.seq, indexed_text(event.type, body))])
    if event.session_id != session_id:
        return
    match event:
        case RunCompleted() | RunFailed():
            update_summary(conversation_id, session_id, cost_of())
        case RunStarted():
            _begin(conversation_id, event)
        case RunPaused() | RunResumed():
            outcome = "paused" if isinstance(event, RunPaused) else "running"
            rows = ConversationSummary.objects.filter(pk=conversation_id)
            rows.update(outcome=outcome, last_at=event.at)


def update_summary(conversation_id: int, session_id: str, cost_of: CostOf) -> None:
    """Add the events since the last update to the sums. The caller opens the transaction."""
    rows = ConversationSummary.objects.select_for_update(of=("self",))
    summary = rows.filter(pk=conversation_id).first()
    if summary is None or summary.is_outdated:
        return
    events = RecordedEvent.objects.filter(conversation=conversation_id, seq__gt=summary.seq)
    first_word_of = partial(take_first_word, session_id)
    copied = _last_copied(conversation_id) if summary.source == "fork" else 0
    reader = SumsReader(summary, session_id, cost_of, first_word_of, copied)
    reader.add(read_events(events))
    summary.save()


def _last_copied(fork_id: int) -> int:
    """Return the number of the last event that a fork copied."""
    rows = Conversation.objects.filter(pk=fork_id)
    return rows.values_list("forked_at", flat=True).get() or 0


def index_conversation(conversation_id: int) -> None:
    """Index all messages of a conversation. The caller opens the transaction."""
    rows = RecordedEvent.objects.filter(conversation=conversation_id)
    texts = rows.values_list("seq", "type", "body").iterator(chunk_size=500)
    entries = ((conversation_id, seq, indexed_text(kind, body)) for seq, kind, body in texts)
    while batch := list(islice(entries, 500)):
        add_texts(batch)


def start_summaries() -> Job | None:
    """Start the job for the conversations without sums; None if there are none."""
    outdated = ConversationSummary.objects.filter(is_outdated=True).order_by("pk")
    items = list(outdated.values_list("pk", flat=True)[:MAX_ITEMS])
    if not items or Job.objects.open().filter(kind=SUMMARIES.name).exists():
        return None
    return start_job(kind=SUMMARIES, title="Sums and search index of rehearsals", items=items)


def _process(_: Job, conversation_id: int) -> Iterator[bytes]:
    _summarise(conversation_id)
    yield b""


@atomic_action
def _summarise(conversation_id: int) -> None:
    """Compute the sums of a conversation from its first event on. They have no cost."""
    rows = Conversation.objects.without_definition().select_for_update(of=("self",))
    conversation = rows.filter(pk=conversation_id).first()
    outdated = ConversationSummary.objects.filter(pk=conversation_id, is_outdated=True)
    if conversation is None or not outdated.update(is_outdated=False, seq=0):
        return
    index_conversation(conversation_id)
    update_summary(conversation_id, conversation.session_id, _unknown_cost)


def _begin(conversation_id: int, event: RunStarted) -> None:
    summary = ConversationSummary.objects.filter(pk=conversation_id).first()
    if summary is not None:
        add_start(summary, event)
        summary.save(update_fields=["outcome", "last_at", "channel", "first_words"])


def _unknown_cost(*_: Any) -> None:
    """Return no cost: today's prices are not those of an earlier conversation."""


SUMMARIES = JobKind(name="summarise-conversations", unit="rehearsal", process=_process)

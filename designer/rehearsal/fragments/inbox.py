"""Conversations in the inbox, which wait for a human or an approval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce
from django.utils import timezone

from designer.models import Agent, Conversation, ConversationSummary, RecordedEvent
from orchestration.conversation import SUPERVISOR_MARK, TASK_MARK, TEAM_MARK
from orchestration.events import (
    ApprovalRequested,
    HandoffAccepted,
    HumanReplied,
    MessageCompleted,
    MessageReceived,
    StopReason,
    load,
)

MAX_LISTED = 100
"""Maximum number of conversations in the inbox."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Conversation that waits for a human or for the approval of a call."""

    conversation: Conversation
    since: datetime | None
    reason: str
    """Reason of the handoff to the human, or the call that waits."""
    asks: bool = False
    """True if a call waits for approval."""
    last_words: str = ""
    """Text of the last message."""
    speaker: str = ""
    """Author of the last message."""

    @property
    def is_new(self) -> bool:
        """Report whether it has waited for less than a minute."""
        return self.since is not None and timezone.now() - self.since < timedelta(minutes=1)


def inbox_context(user: User) -> dict[str, Any]:
    """Return the waiting conversations, the longest waiting first, then the taken ones."""
    handoffs = RecordedEvent.objects.filter(
        conversation=OuterRef("pk"), type="handoff.accepted", body__to_agent=None
    ).order_by("-seq")
    rows = (
        Conversation.objects.of(user)
        .filter(_WAITS | Q(taken_by__isnull=False), pipeline__isnull=False)
        .with_first_message()
        .select_related("pipeline", "taken_by")
        .annotate(handoff=Subquery(handoffs.values("body")[:1]))
        .annotate(approval=Subquery(_undecided(OuterRef("pk")).values("body")[:1]))
        .annotate(last_message=Subquery(_messages(OuterRef("pk")).values("body")[:1]))
        .annotate(last_owner=Subquery(_owners(OuterRef("pk")).values("seq")[:1]))
        .annotate(start=Subquery(_starts(OuterRef("pk")).values("body")[:1]))
        .annotate(start_pk=Subquery(_starts(OuterRef("pk")).values("pk")[:1]))
        .order_by("-waits_for_human", "-approvals", F("start_pk").asc(nulls_last=True), "pk")
    )[:MAX_LISTED]
    waiting = _with_last_words([(row, _waiting(row)) for row in rows])
    entries = sorted(waiting, key=lambda entry: (entry.since is None, entry.since))
    waits = [entry.asks or entry.conversation.waits_for_human for entry in entries]
    return {
        "waiting": [entry for entry, is_waiting in zip(entries, waits, strict=True) if is_waiting],
        "taken": [
            entry for entry, is_waiting in zip(entries, waits, strict=True) if not is_waiting
        ],
        "hidden": Conversation.objects.filter(
            _WAITS, pk__in=ConversationSummary.objects.hidden_from(user).values("pk")
        ).count(),
    }


def _owners(conversation: OuterRef) -> QuerySet[RecordedEvent]:
    """Return the events after which an agent or a person has the conversation, the last first."""
    to_agent = Q(type="handoff.accepted") & ~Q(body__to_agent=None)
    events = RecordedEvent.objects.filter(conversation=conversation)
    return events.filter(to_agent | Q(type__in=("human.joined", "human.left"))).order_by("-seq")


def _starts(conversation: OuterRef) -> QuerySet[RecordedEvent]:
    """Return the events since the last owner that make it wait for a human, the first first."""
    to_human = Q(type="handoff.accepted", body__to_agent=None)
    unanswered = Q(type="run.completed", body__reason=StopReason.WAITING_FOR_HUMAN)
    is_later = Q(seq__gt=Coalesce(OuterRef("last_owner"), 0))
    events = RecordedEvent.objects.filter(is_later, conversation=conversation)
    return events.filter(to_human | unanswered).order_by("seq")


def _messages(conversation: OuterRef) -> QuerySet[RecordedEvent]:
    """Return the messages of the customer, the agents and people, the last one first.

    Messages within subtasks and empty ones are left out.
    """
    kinds = ("message.received", "message.completed", "human.replied")
    messages = RecordedEvent.objects.filter(conversation=conversation, type__in=kinds)
    messages = messages.annotate(
        own_text=Cast(KeyTextTransform("text", "body"), TextField()),
        of_session=Cast(KeyTextTransform("session_id", "body"), TextField()),
    )
    for mark in (TEAM_MARK, TASK_MARK, SUPERVISOR_MARK):
        messages = messages.exclude(of_session__contains=mark)
    # The text of a customer's message is in another field, so this one is null.
    has_text = Q(own_text__isnull=True) | ~Q(own_text="")
    return messages.filter(has_text).order_by("-seq")


def _with_last_words(entries: Sequence[tuple[Any, Waiting]]) -> list[Waiting]:
    """Add the last message of each conversation, with the name of its author."""
    agents = Agent.objects.filter(pipeline__in={row.pipeline_id for row, _ in entries})
    names = {(pk, key): name for pk, key, name in agents.values_list("pipeline_id", "key", "name")}
    result: list[Waiting] = []
    for row, entry in entries:
        match load(row.last_message) if row.last_message else None:
            case MessageReceived(message=message):
                words, speaker = message.text, "Customer"
            case MessageCompleted(agent_id=agent_id, text=words):
                speaker = names.get((row.pipeline_id, agent_id or ""), agent_id or "Agent")
            case HumanReplied(text=words, by=speaker):
                pass
            case _:
                words, speaker = "", ""
        result.append(replace(entry, last_words=words, speaker=speaker))
    return result


def count_waiting(user: User) -> int:
    """Count the conversations that wait for a human or an approval by this user."""
    return Conversation.objects.of(user).filter(_WAITS).count()


def _undecided(conversation: OuterRef) -> QuerySet[RecordedEvent]:
    """Return the undecided approval requests, the last one first.

    Requests of runs that have ended come last.
    """
    run, call = KeyTextTransform("run_id", "body"), KeyTransform("call", "body")
    decisions = RecordedEvent.objects.filter(
        conversation=OuterRef("conversation"), type="approval.given", seq__gt=OuterRef("seq")
    ).annotate(of_run=run, of_call=KeyTextTransform("call_id", "body"))
    requests = RecordedEvent.objects.filter(conversation=conversation, type="approval.requested")
    requests = requests.annotate(of_run=run, of_call=KeyTextTransform("id", call))
    decided = decisions.filter(of_run=OuterRef("of_run"), of_call=OuterRef("of_call"))
    return requests.exclude(Exists(decided)).order_by("-seq")


_WAITS = Q(waits_for_human=True) | Q(approvals__gt=0)


def _waiting(row: Any) -> Waiting:
    request = load(row.approval) if row.approvals and row.approval else None
    if isinstance(request, ApprovalRequested):
        call = f"{request.call.name} {request.call.arguments}"
        return Waiting(row, request.at, call, asks=True)
    handoff = load(row.handoff) if row.handoff else None
    reason = handoff.reason or handoff.summary if isinstance(handoff, HandoffAccepted) else ""
    start = load(row.start) if row.start else handoff
    return Waiting(row, row.created if start is None else start.at, reason)

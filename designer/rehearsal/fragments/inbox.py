"""Conversations in the inbox, which wait for a human or an approval."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.utils import timezone

from designer.models import Conversation, RecordedEvent
from orchestration.events import ApprovalRequested, HandoffAccepted, load

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
        .annotate(handoff_pk=Subquery(handoffs.values("pk")[:1]))
        .order_by("-waits_for_human", "-approvals", F("handoff_pk").asc(nulls_last=True), "pk")
    )[:MAX_LISTED]
    entries = sorted(map(_waiting, rows), key=lambda entry: (entry.since is None, entry.since))
    waits = [entry.asks or entry.conversation.waits_for_human for entry in entries]
    return {
        "waiting": [entry for entry, is_waiting in zip(entries, waits, strict=True) if is_waiting],
        "taken": [
            entry for entry, is_waiting in zip(entries, waits, strict=True) if not is_waiting
        ],
    }


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
    event = load(row.handoff) if row.handoff else None
    if not isinstance(event, HandoffAccepted):
        return Waiting(row, row.created, "")
    return Waiting(row, event.at, event.reason or event.summary)

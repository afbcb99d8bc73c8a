"""Conversations that wait for a human or an approval, as the inbox lists them."""

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
    """One conversation that was given to the human, or of which a call waits for approval."""

    conversation: Conversation
    since: datetime | None
    reason: str
    """Why it was given to the human, as whoever gave it says; or the call that waits."""
    asks: bool = False
    """True if a call waits for approval."""

    @property
    def is_new(self) -> bool:
        """Report whether it has waited for less than a minute."""
        return self.since is not None and timezone.now() - self.since < timedelta(minutes=1)


def inbox_context(user: User) -> dict[str, Any]:
    """Return the waiting conversations, the longest waiting first, then the taken ones."""
    given = RecordedEvent.objects.filter(
        conversation=OuterRef("pk"), type="handoff.accepted", body__to_agent=None
    ).order_by("-seq")
    rows = (
        Conversation.objects.of(user)
        .filter(_WAITS | Q(taken_by__isnull=False), pipeline__isnull=False)
        .with_first_words()
        .select_related("pipeline", "taken_by")
        .annotate(given=Subquery(given.values("body")[:1]))
        .annotate(asking=Subquery(_undecided(OuterRef("pk")).values("body")[:1]))
        .annotate(given_pk=Subquery(given.values("pk")[:1]))
        .order_by("-waits_for_human", "-approvals", F("given_pk").asc(nulls_last=True), "pk")
    )[:MAX_LISTED]
    found = sorted(map(_waiting, rows), key=lambda one: (one.since is None, one.since))
    return {
        "waiting": [one for one in found if one.asks or one.conversation.waits_for_human],
        "taken": [one for one in found if not (one.asks or one.conversation.waits_for_human)],
    }


def count_waiting(user: User) -> int:
    """Count the conversations that wait for a human or an approval by this user."""
    return Conversation.objects.of(user).filter(_WAITS).count()


def _undecided(conversation: OuterRef) -> QuerySet[RecordedEvent]:
    """The requests for an approval that nobody has decided about, the last one first.

    Those of runs that have ended are among them, and come after those that wait.
    """
    run, call = KeyTextTransform("run_id", "body"), KeyTransform("call", "body")
    given = RecordedEvent.objects.filter(
        conversation=OuterRef("conversation"), type="approval.given", seq__gt=OuterRef("seq")
    ).annotate(of_run=run, of_call=KeyTextTransform("call_id", "body"))
    asked = RecordedEvent.objects.filter(conversation=conversation, type="approval.requested")
    asked = asked.annotate(of_run=run, of_call=KeyTextTransform("id", call))
    decided = given.filter(of_run=OuterRef("of_run"), of_call=OuterRef("of_call"))
    return asked.exclude(Exists(decided)).order_by("-seq")


_WAITS = Q(waits_for_human=True) | Q(approvals__gt=0)


def _waiting(row: Any) -> Waiting:
    asked = load(row.asking) if row.approvals and row.asking else None
    if isinstance(asked, ApprovalRequested):
        return Waiting(row, asked.at, f"{asked.call.name} {asked.call.arguments}", asks=True)
    event = load(row.given) if row.given else None
    if not isinstance(event, HandoffAccepted):
        return Waiting(row, row.created, "")
    return Waiting(row, event.at, event.reason or event.summary)

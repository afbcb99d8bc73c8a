"""Recorded conversations that used a part which the later definition no longer has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from designer.models import Conversation, Pipeline, RecordedEvent
from orchestration.difference import Difference, PartChange

PERIOD = timedelta(days=30)
MAX_CONVERSATIONS = 2_000
"""Maximum number of conversations that are searched, the newest first."""


@dataclass(frozen=True, slots=True)
class RemovedPartUsage:
    """Use of removed parts in the conversations of the last 30 days."""

    used: int
    """Number of conversations that used a removed part."""
    total: int
    """Number of conversations that were searched."""
    is_complete: bool
    """False if there are more conversations than were searched."""


def usage_of_removed_parts(
    user: User, pipeline: Pipeline, difference: Difference
) -> RemovedPartUsage | None:
    """Count the user's conversations with removed parts; None if no part is removed."""
    uses = _uses(difference.changes)
    if not uses:
        return None
    since = timezone.now() - PERIOD
    rows = Conversation.objects.of(user).filter(pipeline=pipeline, created__gte=since)
    searched = list(rows.order_by("-pk").values_list("pk", flat=True)[: MAX_CONVERSATIONS + 1])
    is_complete = len(searched) <= MAX_CONVERSATIONS
    searched = searched[:MAX_CONVERSATIONS]
    events = RecordedEvent.objects.filter(conversation__in=searched).filter(uses)
    used = events.values("conversation").distinct().count()
    return RemovedPartUsage(used, len(searched), is_complete)


def _uses(changes: Iterable[PartChange]) -> Q:
    """Return the condition of the events that use a removed part; empty without one."""
    keys: dict[str, list[str]] = defaultdict(list)
    uses = Q()
    for change in changes:
        if change.mark == "removed":
            keys[change.kind].append(change.key)
        if change.kind == "transition" and change.mark in ("removed", "retargeted"):
            uses |= Q(
                type="handoff.accepted",
                body__from_phase=change.before.source,
                body__to_phase=change.before.target,
            )
    if keys["stage"]:
        uses |= Q(type="phase.changed", body__to_phase__in=keys["stage"])
        uses |= Q(type="run.started", body__phase__in=keys["stage"])
    if keys["agent"]:
        uses |= Q(type="turn.started", body__agent_id__in=keys["agent"])
    if keys["rule"]:
        uses |= Q(type="message.routed", body__rule_id__in=keys["rule"])
    if keys["tool"]:
        uses |= Q(type="tool.called", body__call__name__in=keys["tool"])
    return uses

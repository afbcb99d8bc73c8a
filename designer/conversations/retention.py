"""Retention of a pipeline's conversations: keep all, or a number of days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms

from designer.core import BatonForm, atomic_action
from designer.models import ConversationSummary, ConversationSummaryQuerySet, Pipeline

MAX_DAYS = 36_500
"""Maximum number of days."""


class RetentionForm(BatonForm):
    """Number of days after which conversations are deleted; empty: they are kept."""

    days = forms.IntegerField(label="Days", required=False, min_value=1, max_value=MAX_DAYS)


@atomic_action
def set_retention(*, pipeline: Pipeline, days: int | None) -> None:
    """Set the retention. This is no edit: the pipeline's version and time of change stay."""
    Pipeline.objects.filter(pk=pipeline.pk).update(keep_days=days)


def expired_by_pipeline(
    now: datetime,
) -> Iterator[tuple[Pipeline, datetime, ConversationSummaryQuerySet]]:
    """Yield each pipeline with a retention, its date, and its conversations to delete.

    A conversation expires at the beginning of the day in UTC. Pinned conversations and those with
    an unfinished run stay, unless the run is paused.
    """
    today = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
    for pipeline in Pipeline.objects.exclude(keep_days=None).order_by("pk"):
        until = today - timedelta(days=pipeline.keep_days or MAX_DAYS)
        rows: Any = ConversationSummary.objects.filter(pipeline=pipeline, last_at__lt=until)
        rows = rows.filter(is_pinned=False, is_outdated=False).exclude(outcome="running")
        if rows.exists():
            yield pipeline, until, rows.order_by("pk")

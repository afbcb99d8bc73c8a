"""History of all edits of a pipeline, from which each earlier state can be restored."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User

from designer.definitions import Patch
from designer.models import HistoryEntry, Pipeline

MAX_HISTORY = 5_000
"""Number of the newest edits of a pipeline that its history holds."""

EDITS_PER_CLEANUP = 100
"""Number of edits after which older entries are deleted."""


def log_edit(
    *,
    pipeline: Pipeline,
    user: User,
    label: str,
    before: Patch,
    made: datetime,
    extends_last: bool = False,
) -> None:
    """Add a written edit to the history, or extend the last entry. The row is locked."""
    entries = HistoryEntry.objects.filter(pipeline=pipeline)
    version, label = pipeline.version, label[:200]
    if version % EDITS_PER_CLEANUP == 0:
        entries.filter(version__lte=version - MAX_HISTORY).delete()
    last = entries.filter(version=version - 1, user=user)
    if extends_last and last.update(version=version, label=label, made=made):
        return
    HistoryEntry.objects.create(
        pipeline=pipeline,
        since=version - 1,
        version=version,
        label=label,
        before=before.dump(),
        user=user,
        user_name=user.get_username(),
        made=made,
    )

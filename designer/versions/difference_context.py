"""Context of the view of a difference, which every page with a difference includes."""

from __future__ import annotations

from typing import Any

from designer.versions.change_rows import change_groups
from designer.versions.comparison import DrawnDifference
from designer.versions.difference_picture import picture
from designer.versions.meaning import meaning_of
from designer.versions.usage import RemovedPartUsage
from orchestration.definition import PipelineDefinition


def difference_context(
    before: PipelineDefinition,
    after: PipelineDefinition,
    *,
    titles: tuple[str, str],
    usage: RemovedPartUsage | None = None,
) -> dict[str, Any]:
    """Return the context of `versions/_difference.html`: canvas, table and meaning.

    `titles` name the earlier and the later side. The page also needs the style sheets and the
    module of `versions/_difference_head.html`.
    """
    return context_of(DrawnDifference(before, after), titles=titles, usage=usage)


def context_of(
    drawn: DrawnDifference, *, titles: tuple[str, str], usage: RemovedPartUsage | None
) -> dict[str, Any]:
    """Return the context of a difference that is already drawn."""
    return {
        "before_title": titles[0],
        "after_title": titles[1],
        "change_count": len(drawn.changes),
        "groups": change_groups(drawn.changes),
        "picture": picture(drawn),
        "meaning": meaning_of(drawn.effect) if drawn.changes else None,
        "usage": usage,
    }

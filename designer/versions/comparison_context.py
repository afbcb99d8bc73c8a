"""Context of the view of a difference, which every page with a difference includes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from designer.versions.change_rows import change_groups
from designer.versions.drawing import DrawnDifference, picture
from designer.versions.meaning import meaning_of
from designer.versions.usage import RemovedPartUsage
from orchestration.definition import PipelineDefinition
from orchestration.difference import Difference

MAX_STAGES_AT_ONCE = 60
"""Maximum number of stages whose consequences are computed with the first view; for larger
pipelines the page loads them after the canvas."""


def difference_context(
    before: PipelineDefinition,
    after: PipelineDefinition,
    *,
    titles: tuple[str, str],
    usage: Callable[[Difference], RemovedPartUsage | None] | None = None,
    meaning_address: str = "",
) -> dict[str, Any]:
    """Return the context of `versions/_difference.html`: canvas, table and meaning.

    `titles` name the earlier and the later side. The page also needs the style sheets and the
    module of `versions/_difference_head.html`. `meaning_address` is the address from which the
    consequences of a large difference are loaded; without it they are part of the page. `usage`
    counts the conversations that used a removed part, with the other consequences.
    """
    drawn = DrawnDifference(before, after)
    is_later = bool(meaning_address) and len(drawn.cards) > MAX_STAGES_AT_ONCE
    return {
        "before_title": titles[0],
        "after_title": titles[1],
        "change_count": len(drawn.changes),
        "groups": change_groups(drawn.changes, _agent_names(before, after)),
        "picture": picture(drawn),
        "meaning": meaning_of(drawn.effect) if drawn.changes and not is_later else None,
        "meaning_address": meaning_address if drawn.changes and is_later else "",
        "usage": usage(drawn.difference) if usage and not is_later else None,
    }


def _agent_names(before: PipelineDefinition, after: PipelineDefinition) -> dict[str, str]:
    """Return the names of the agents of both sides by id; the later name counts."""
    return {agent.id: agent.name for each in (before, after) for agent in each.agents}

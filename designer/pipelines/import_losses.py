"""Losses of the last import, which the session keeps for the pages after it."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.backends.base import SessionBase

from orchestration.interchange import Import, format_named

SESSION_KEY = "import_losses"

MAX_ROWS = 200
"""Maximum number of rows; the number of further ones is shown."""


def keep_losses(session: SessionBase, pipeline_id: int, name: str, result: Import) -> None:
    """Keep the losses of an import in the session, in place of those of the previous import."""
    session[SESSION_KEY] = {
        "pipeline": pipeline_id,
        "name": name[:120],
        "format": format_named(result.format).title,
        "summary": result.summary,
        "rows": [loss.dump() for loss in result.losses[:MAX_ROWS]],
        "more": max(0, len(result.losses) - MAX_ROWS),
    }


def losses_of_import(
    session: SessionBase, pipeline_id: int, name: str | None = None
) -> dict[str, Any] | None:
    """Return the losses of the last import, if it was that of a pipeline and a file."""
    kept: dict[str, Any] | None = session.get(SESSION_KEY)
    if kept is None or kept["pipeline"] != pipeline_id or not kept["rows"]:
        return None
    return kept if name in (None, kept["name"]) else None

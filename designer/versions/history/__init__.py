"""The history of edits: its days and sessions, and the state of the draft at each point."""

from designer.versions.history.points import by_day, draft_at, point_at

__all__ = ["by_day", "draft_at", "point_at"]

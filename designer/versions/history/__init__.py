"""The history of edits: its days and sessions, and the state of the draft at each point."""

from designer.versions.history.points import by_day, point_at

__all__ = ["by_day", "point_at"]

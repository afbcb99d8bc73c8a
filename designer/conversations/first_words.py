"""Times of the first words of runs in progress.

Pieces of an answer are not recorded, so their times are held in the process that drives the run. A
run that another process takes over has none; its first recorded answer counts instead.
"""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from cachetools import LRUCache

from orchestration.events import MessageDelta

MAX_RUNS = 10_000
"""Maximum number of runs in progress whose first words are held."""

_RUNS: LRUCache[tuple[str, str], datetime] = LRUCache(MAX_RUNS)
"""Times by session and run."""
_LOCK = Lock()


def hold_first_word(*, delta: MessageDelta, **_: object) -> None:
    """Hold the time of the first text of a run."""
    with _LOCK:
        _RUNS.setdefault((delta.session_id, delta.run_id), delta.at)


def take_first_word(session_id: str, run_id: str) -> datetime | None:
    """Return the time of the first text of a run that ends; None if it is unknown."""
    with _LOCK:
        return _RUNS.pop((session_id, run_id), None)

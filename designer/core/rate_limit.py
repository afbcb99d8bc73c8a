"""Rate limit for costly requests: a burst, and a constant rate after that."""

from __future__ import annotations

from time import monotonic


class Allowance:
    """So many at once, and so many in a second from then on."""

    def __init__(self, most: float, per_second: float) -> None:
        self._most, self._per_second = most, per_second
        self._left, self._at = most, monotonic()

    def spend(self) -> float:
        """Take one. Where there is none, nothing is taken: the seconds until there is one."""
        now = monotonic()
        self._left = min(self._most, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return (1 - self._left) / self._per_second
        self._left -= 1
        return 0.0

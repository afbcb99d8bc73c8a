"""Rate limit for costly requests: a burst, and a constant rate after that."""

from __future__ import annotations

from time import monotonic


class Allowance:
    """Token bucket: a number of requests at once, and a rate per second after that."""

    def __init__(self, capacity: float, per_second: float) -> None:
        self._capacity, self._per_second = capacity, per_second
        self._tokens, self._updated = capacity, monotonic()

    def spend(self) -> float:
        """Take a token and return 0; without a token, return the seconds until the next one."""
        now = monotonic()
        self._tokens = min(self._capacity, self._tokens + (now - self._updated) * self._per_second)
        self._updated = now
        if self._tokens < 1:
            return (1 - self._tokens) / self._per_second
        self._tokens -= 1
        return 0.0

"""Retry policy: time limits of a model, number of attempts, and waits.

Sources: RFC 9110, 10.2.3 (`Retry-After`); OpenAI's guide on rate limits and its clients
(`x-ratelimit-reset-…` as `6m0s`, `retry-after-ms`, `x-should-retry`); Anthropic's page on rate
limits (`anthropic-ratelimit-…-reset` as RFC 3339); Google's error model (`google.rpc.RetryInfo`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from orchestration.definition import Agent

RETRYABLE_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""Status codes of errors that may succeed on retry."""

RETRYABLE_CODES = frozenset(
    """
    overloaded overloaded_error api_error rate_limit_error timeout_error server_error
    internal_error internal_server_error rate_limit_exceeded unavailable internal
    resource_exhausted deadline_exceeded aborted server_is_overloaded
    """.split()  # noqa: SIM905 - words are easier to read as words
)
"""Vendors' codes for errors that may succeed on retry."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Time limits in seconds, and the maximum number of attempts."""

    connect: float = 5.0
    first_byte: float = 60.0
    between: float = 30.0
    turn: float = 300.0
    """Limit of the whole turn, attempts and waits included."""
    tries: int = 4
    retry_within: float = 60.0
    """No attempt starts later than this."""
    first_wait: float = 0.5
    longest_wait: float = 8.0
    """Maximum wait, unless the server requests a longer one."""

    def for_agent(self, agent: Agent) -> RetryPolicy:
        """Return the policy with the agent's own limits."""
        if agent.retries is None and agent.time_limit is None:
            return self
        tries = self.tries if agent.retries is None else agent.retries + 1
        return replace(self, tries=tries, turn=agent.time_limit or self.turn)


def requested_wait(headers: Mapping[str, str], error: object = None) -> float | None:
    """Return the wait in seconds that a vendor requests in its headers or its error.

    >>> requested_wait({"retry-after": "20"}), requested_wait({"retry-after-ms": "20"})
    (20.0, 0.02)
    >>> requested_wait({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"})
    360.0
    """
    for wait in (
        _number(headers.get("retry-after-ms"), 1_000),
        _number(headers.get("retry-after")),
        _until(headers.get("retry-after")),
        _in_body(error),
        _until_reset(headers),
    ):
        if wait is not None:
            return max(0.0, wait)
    return None


def _number(text: str | None, per_second: float = 1) -> float | None:
    return float(text) / per_second if text and _DECIMAL.fullmatch(text.strip()) else None


def _until(text: str | None) -> float | None:
    """Return the seconds until a date in the format of HTTP or RFC 3339; None for other text."""
    if not text:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            date = read(text)
        except ValueError:
            continue
        return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - _now()).total_seconds()
    return None


def _now() -> datetime:
    return datetime.now(UTC)


def _in_body(error: object) -> float | None:
    """Read Google's `RetryInfo` in the details of an error: `"retryDelay": "34.07s"`."""
    details = error.get("details") if isinstance(error, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping) and str(detail.get("@type")).endswith("RetryInfo"):
            return _duration(detail.get("retryDelay"))
    return None


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until all exhausted quantities are reset."""
    waits = [
        wait
        for quantity, remaining, reset in _LIMITS
        if headers.get(remaining.format(quantity), "0").strip() == "0"
        and (text := headers.get(reset.format(quantity)))
        and (wait := _duration(text) or _until(text)) is not None
    ]
    return max(waits, default=None)


def _duration(text: Any) -> float | None:
    """Convert `6m0s`, `20ms` or `34.07s` to seconds."""
    parts = _PARTS.findall(text) if isinstance(text, str) and _DURATION.fullmatch(text) else ()
    return sum(float(number) * _UNITS[unit] for number, unit in parts) if parts else None


_DECIMAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?")
_PARTS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)(ms|[dhms])")
_DURATION = re.compile(rf"(?:{_PARTS.pattern}){{1,5}}")
_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}

_LIMITS = [
    (quantity, *family)
    for family, quantities in (
        (("x-ratelimit-remaining-{}", "x-ratelimit-reset-{}"), ("requests", "tokens")),
        (
            ("anthropic-ratelimit-{}-remaining", "anthropic-ratelimit-{}-reset"),
            ("requests", "tokens", "input-tokens", "output-tokens"),
        ),
    )
    for quantity in quantities
]
"""Limited quantities, and the headers with their remaining amount and reset time."""

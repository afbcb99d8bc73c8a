"""Line-by-line difference of two texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

Mark = Literal["", "added", "removed"]

MOST_PAIRS = 250_000
"""Maximum number of compared pairs of lines; larger parts are shown as different."""


class LineRun(NamedTuple):
    """Adjacent lines that were added, removed or kept."""

    mark: Mark
    text: str


def differences(before: str | None, after: str) -> tuple[LineRun, ...]:
    r"""Return the lines of both texts in order; without an earlier text, all lines are added.

    >>> differences("a\nb", "a\nc")
    (LineRun(mark='', text='a'), LineRun(mark='removed', text='b'), LineRun(mark='added', text='c'))
    """
    was, now = before.split("\n") if before else [], after.split("\n") if after else []
    return tuple(LineRun(mark, "\n".join(lines)) for mark, lines in compare(was, now))


def compare(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[Mark, Sequence[str]]]:
    """Yield added, removed and kept lines of two texts in order, with bounded effort."""
    start = _shared(was, now)
    was_rest, now_rest = was[start:], now[start:]
    end = _shared(was_rest[::-1], now_rest[::-1])
    middle = _middle(was_rest[: len(was_rest) - end], now_rest[: len(now_rest) - end])
    runs: tuple[tuple[Mark, Sequence[str]], ...]
    runs = (("", now[:start]), *middle, ("", now_rest[len(now_rest) - end :]))
    yield from ((mark, parts) for mark, parts in runs if parts)


def _shared(was: Sequence[str], now: Sequence[str]) -> int:
    """Return the number of equal lines at the start of both."""
    pairs = zip(was, now, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(was), len(now)))


def _middle(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[Mark, Sequence[str]]]:
    if len(was) * len(now) > MOST_PAIRS:
        yield "removed", was
        yield "added", now
        return
    opcodes = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    for kind, first, last, first_now, last_now in opcodes:
        if kind == "equal":
            yield "", was[first:last]
        else:
            yield "removed", was[first:last]
            yield "added", now[first_now:last_now]

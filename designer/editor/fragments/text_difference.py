"""Line-by-line difference of two texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

Mark = Literal["", "added", "removed"]

MOST_PAIRS = 250_000
"""Maximum number of compared pairs of lines; larger parts are shown as different."""


class LineRun(NamedTuple):
    """Lines that came, went or stayed together."""

    mark: Mark
    text: str


def differences(before: str | None, after: str) -> tuple[LineRun, ...]:
    r"""The lines of both texts in order; without a text before, all of them came.

    >>> differences("a\nb", "a\nc")
    (Run(mark='', text='a'), Run(mark='removed', text='b'), Run(mark='added', text='c'))
    """
    was, now = before.split("\n") if before else [], after.split("\n") if after else []
    return tuple(LineRun(mark, "\n".join(lines)) for mark, lines in compared(was, now))


def compared(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[Mark, Sequence[str]]]:
    """Yield added, removed and kept lines of two texts in order, with bounded effort."""
    start = _shared(was, now)
    was_left, now_left = was[start:], now[start:]
    end = _shared(was_left[::-1], now_left[::-1])
    middle = _middle(was_left[: len(was_left) - end], now_left[: len(now_left) - end])
    found: tuple[tuple[Mark, Sequence[str]], ...]
    found = (("", now[:start]), *middle, ("", now_left[len(now_left) - end :]))
    yield from ((mark, parts) for mark, parts in found if parts)


def _shared(was: Sequence[str], now: Sequence[str]) -> int:
    """With how many of the same lines both begin."""
    pairs = zip(was, now, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(was), len(now)))


def _middle(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[Mark, Sequence[str]]]:
    if len(was) * len(now) > MOST_PAIRS:
        yield "removed", was
        yield "added", now
        return
    found = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    for kind, first, last, first_now, last_now in found:
        if kind == "equal":
            yield "", was[first:last]
        else:
            yield "removed", was[first:last]
            yield "added", now[first_now:last_now]

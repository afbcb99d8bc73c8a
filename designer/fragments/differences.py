"""What is otherwise in a text than in another, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

MOST_PAIRS = 250_000
"""How many pairs of lines are looked at: past that, all that may differ is shown as different."""


class Run(NamedTuple):
    """Lines that came, went or stayed together."""

    mark: Literal["", "added", "removed"]
    text: str


def differences(before: str | None, after: str) -> tuple[Run, ...]:
    r"""The lines of both texts in order; without a text before, all of them came.

    >>> differences("a\nb", "a\nc")
    (Run(mark='', text='a'), Run(mark='removed', text='b'), Run(mark='added', text='c'))
    """
    was, now = before.split("\n") if before else [], after.split("\n") if after else []
    return tuple(_runs(was, now))


def _runs(was: list[str], now: list[str]) -> Iterator[Run]:
    start = _shared(was, now)
    was_left, now_left = was[start:], now[start:]
    end = _shared(was_left[::-1], now_left[::-1])
    yield from _run("", now[:start])
    yield from _middle(was_left[: len(was_left) - end], now_left[: len(now_left) - end])
    yield from _run("", now_left[len(now_left) - end :])


def _shared(was: list[str], now: list[str]) -> int:
    """With how many of the same lines both begin."""
    pairs = zip(was, now, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(was), len(now)))


def _middle(was: list[str], now: list[str]) -> Iterator[Run]:
    if len(was) * len(now) > MOST_PAIRS:
        yield from _run("removed", was)
        yield from _run("added", now)
        return
    found = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    for kind, first, last, first_now, last_now in found:
        if kind == "equal":
            yield from _run("", was[first:last])
        else:
            yield from _run("removed", was[first:last])
            yield from _run("added", now[first_now:last_now])


def _run(mark: Literal["", "added", "removed"], lines: Sequence[str]) -> Iterator[Run]:
    if lines:
        yield Run(mark, "\n".join(lines))

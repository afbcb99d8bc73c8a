"""Difference of two texts, line by line or word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

TextMark = Literal["", "added", "removed"]

MOST_PAIRS = 250_000
"""Maximum number of compared pairs of lines or words; larger parts are shown as different."""

_WORDS, _LINES = re.compile(r"\s+|\w+|[^\w\s]"), re.compile(r".*\n?")


class TextRun(NamedTuple):
    """Adjacent lines or words that were added, removed or kept."""

    mark: TextMark
    text: str


def line_differences(before: str | None, after: str) -> tuple[TextRun, ...]:
    r"""Return the lines of both texts in order; without an earlier text, all lines are added.

    >>> line_differences("a\nb", "a\nc")
    (TextRun(mark='', text='a'), TextRun(mark='removed', text='b'), TextRun(mark='added', text='c'))
    """
    was, now = before.split("\n") if before else [], after.split("\n") if after else []
    return tuple(TextRun(mark, "\n".join(lines)) for mark, lines in compare(was, now))


def word_differences(before: str, after: str) -> tuple[TextRun, ...]:
    """Return the words and the space of both texts in order; very long texts by lines.

    Texts with too few common words are easier to read as a whole: both are one run.

    >>> word_differences("a red car", "a blue car")
    (TextRun(mark='', text='a '), TextRun(mark='removed', text='red'), \
TextRun(mark='added', text='blue'), TextRun(mark='', text=' car'))
    """
    if before == after:
        return (TextRun("", after),) if after else ()
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) * len(new) > MOST_PAIRS:
        old, new = _LINES.findall(before), _LINES.findall(after)
    runs = tuple(TextRun(mark, "".join(parts)) for mark, parts in compare(old, new))
    same = sum(len(text) for mark, text in runs if not mark and text.strip())
    if 2 * same < len(after):
        whole = (TextRun("removed", before), TextRun("added", after))
        return tuple(run for run in whole if run.text)
    return runs


def compare(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[TextMark, Sequence[str]]]:
    """Yield added, removed and kept lines of two texts in order, with bounded effort."""
    start = _shared(was, now)
    was_rest, now_rest = was[start:], now[start:]
    end = _shared(was_rest[::-1], now_rest[::-1])
    middle = _middle(was_rest[: len(was_rest) - end], now_rest[: len(now_rest) - end])
    runs: tuple[tuple[TextMark, Sequence[str]], ...]
    runs = (("", now[:start]), *middle, ("", now_rest[len(now_rest) - end :]))
    yield from ((mark, parts) for mark, parts in runs if parts)


def _shared(was: Sequence[str], now: Sequence[str]) -> int:
    """Return the number of equal lines at the start of both."""
    pairs = zip(was, now, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(was), len(now)))


def _middle(was: Sequence[str], now: Sequence[str]) -> Iterator[tuple[TextMark, Sequence[str]]]:
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

"""Selection of the messages that the target of a handoff sees.

The functions return positions. Each selection contains the user's last question, and each call
together with its result; it begins with a message of the user.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass
class FilteredMessage:
    """A message, a call or a result, independent of its format."""

    role: str
    """`user`, `assistant` or `tool`."""
    calls: Sequence[str] = ()
    """Ids of the calls of an assistant."""
    answers: str = ""
    """Id of the call with this result."""
    has_text: bool = True


def last(entries: Sequence[FilteredMessage], count: int) -> list[int]:
    """Return the positions of the last messages; a call counts together with its result."""
    counted = [i for i, entry in enumerate(entries) if entry.role != "assistant" or entry.has_text]
    return well_formed(entries, counted[-count:])


def question_and_handoff(entries: Sequence[FilteredMessage]) -> list[int]:
    """Return the positions of the user's last question, and of the handoff at the end."""
    results = [i for i, entry in enumerate(entries) if entry.role == "tool"]
    return well_formed(entries, results[-1:])


def well_formed(entries: Sequence[FilteredMessage], kept: Collection[int]) -> list[int]:
    """Return the positions with the last question and all calls, without unanswered calls."""
    questions = [i for i, entry in enumerate(entries) if entry.role == "user"]
    callers = callers_of(entries)
    chosen = {*kept, *questions[-1:]}
    chosen |= {callers[i] for i in chosen if i in callers}
    begin = min((i for i in questions if i in chosen), default=0)
    chosen = {i for i in chosen if i >= begin}
    answered = {(callers[i], entries[i].answers) for i in chosen if i in callers}
    complete = {i for i in chosen if all((i, call) in answered for call in entries[i].calls)}
    return [i for i in sorted(complete) if entries[i].role != "tool" or callers.get(i) in complete]


def callers_of(entries: Sequence[FilteredMessage]) -> dict[int, int]:
    """Return for each result the position of its call, the last one before it with its id."""
    called: dict[str, int] = {}
    callers: dict[int, int] = {}
    for i, entry in enumerate(entries):
        called.update(dict.fromkeys(entry.calls, i))
        if entry.role == "tool" and entry.answers in called:
            callers[i] = called[entry.answers]
    return callers

"""Edits that are one undo step: continuous typing in one field, or a row of nudges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

Path = tuple[str | int, ...]
"""Path in a patch: `("agents", "agent-triage", "instructions")`."""

TYPING = timedelta(seconds=5)
"""Between two saves of a field in which someone goes on typing."""
NUDGING = timedelta(seconds=2)
"""Between two moves by arrow keys; the page itself gathers those that follow at once."""
NUDGE = "Nudge"
"""Beginning of the label of a nudge; a drag is an undo step of its own."""

_TYPED = {"name", "description", "instructions", "model", "text", "say", "reason", "summary"}
_TYPED |= {"expression", "when"}
"""The fields of parts that are written, where others are chosen."""


def goes_on(
    *,
    before: Mapping[str, Any],
    between: Mapping[str, Any],
    after: Mapping[str, Any],
    labels: tuple[str, str],
    pause: timedelta,
) -> bool:
    """Report whether an edit from `between` to `after` continues the edit before it.

    All three are patches as JSON values; `labels` are those of the two edits, and `pause` is the
    time that passed between them.
    """
    if _parts(between) != _parts(after) or pause < timedelta(0):
        return False
    if all(label.startswith(NUDGE) for label in labels):
        return pause <= NUDGING
    first, second = set(_changes(before, between)), set(_changes(between, after))
    if first != second:
        return False
    return pause <= TYPING and len(first) == 1 and _is_typed(first.pop())


def overlap(patch: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Report whether two patches, as JSON values, change the same part."""
    return not _parts(patch).isdisjoint(_parts(other))


def _parts(patch: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(name, key) for name, parts in patch.items() for key in parts}


def _changes(was: Any, now: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of all that differs, as deep as both sides have the same shape."""
    if was == now:
        return
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        for key in dict.fromkeys([*was, *now]):
            yield from _changes(was.get(key), now.get(key), (*path, key))
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for place, (one, other) in enumerate(zip(was, now, strict=True)):
            yield from _changes(one, other, (*path, place))
    else:
        yield path


def _is_typed(path: Path) -> bool:
    """Report whether the path leads to a text field, not to a whole part."""
    names = [name for name in path if isinstance(name, str)]
    depth = 2 if path[0] == "settings" else 3
    return len(path) >= depth and names[-1] in _TYPED

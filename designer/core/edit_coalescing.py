"""Edits that form one undo step: continuous typing in one field, or consecutive nudges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

Path = tuple[str | int, ...]
"""Path in a patch: `("agents", "agent-triage", "instructions")`."""

TYPING = timedelta(seconds=5)
"""Maximum time between two saves of a field during continuous typing."""
NUDGING = timedelta(seconds=2)
"""Maximum time between two moves by arrow keys; the page itself combines immediate repeats."""
NUDGE = "Nudge"
"""Beginning of the label of a nudge; a drag is an undo step of its own."""

_TYPED = {"name", "description", "instructions", "model", "text", "say", "reason", "summary"}
_TYPED |= {"expression", "when"}
"""Text fields of parts; the values of other fields are chosen."""


def continues(
    *,
    before: Mapping[str, Any],
    between: Mapping[str, Any],
    after: Mapping[str, Any],
    labels: tuple[str, str],
    pause: timedelta,
) -> bool:
    """Report whether an edit from `between` to `after` continues the edit before it.

    All three states are patches as JSON values; `labels` are the labels of the two edits, and
    `pause` is the time between them.
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


def _changes(old: Any, new: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all differences, as deep as both sides have the same shape."""
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys([*old, *new]):
            yield from _changes(old.get(key), new.get(key), (*path, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _changes(before, after, (*path, index))
    else:
        yield path


def _is_typed(path: Path) -> bool:
    """Report whether the path leads to a text field, not to a whole part."""
    names = [name for name in path if isinstance(name, str)]
    depth = 2 if path[0] == "settings" else 3
    return len(path) >= depth and names[-1] in _TYPED

"""Issues that rules find, and the elements that they point to."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Literal

Severity = Literal["error", "warning"]
"""Errors bar a rehearsal and a publication; neither bars saving or export."""

Kind = Literal["stage", "transition", "agent", "rule", "tool", "pipeline"]

MOST_LISTED = 20
"""Maximum number of names in a sentence; `Where.keys` holds all."""


@dataclass(frozen=True, slots=True)
class Where:
    """The element an issue points to.

    `keys` are the phases of one or more stages, a transition's source and target, or the one key
    of an agent, a rule or a tool; the pipeline itself has none. `path` is the JSON path in the
    definition's dump of what is to be changed (`$.stages[2].agent_id`).
    """

    kind: Kind
    keys: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding: `code` is stable, `message` is one sentence that names every offender."""

    code: str
    severity: Severity
    message: str
    where: Where


def error(code: str, message: str, kind: Kind, keys: tuple[str, ...], path: str) -> Issue:
    """An issue that bars a rehearsal."""
    return Issue(code, "error", message, Where(kind, keys, path))


def warning(code: str, message: str, kind: Kind, keys: tuple[str, ...], path: str) -> Issue:
    """An issue that bars nothing."""
    return Issue(code, "warning", message, Where(kind, keys, path))


def json_path(*steps: str | int) -> str:
    """The JSON path of keys and places: `$.stages[2]`, `$.aliases['agent-b']`."""
    parts = (
        f"[{step}]"
        if isinstance(step, int)
        else (f".{step}" if step.isidentifier() and step.isascii() else f"[{step!r}]")
        for step in steps
    )
    return "$" + "".join(parts)


def path_steps(path: str) -> tuple[str | int, ...]:
    """The keys and places of a JSON path: the inverse of `json_path`."""
    found = _STEP.findall(path)
    return tuple(
        int(place) if place else literal_eval(key) if key else name for name, place, key in found
    )


_STEP = re.compile(r"""\.(\w+)|\[(\d+)\]|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]""")


def listed(names: Collection[str]) -> str:
    """Names as a person lists them: `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`."""
    quoted = [repr(name) for name in islice(names, MOST_LISTED)]
    if len(names) > MOST_LISTED:
        quoted[-1] = f"{len(names) - MOST_LISTED + 1} more"
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"

"""Issues that rules find, and the elements that they point to."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from typing import Literal

Severity = Literal["error", "warning"]
"""Errors block rehearsal and publication; no issue blocks saving or export."""

Kind = Literal["stage", "transition", "agent", "rule", "tool", "pipeline"]

MAX_LISTED = 20
"""Maximum number of names in a message; `Where.keys` contains all."""


@dataclass(frozen=True, slots=True)
class Where:
    """Element that an issue points to.

    `keys` are the phases of one or more stages, a transition's source and target, or the key of an
    agent, a rule or a tool; empty for the pipeline. `path` is the JSON path of the value to change
    in the definition's dump (`$.stages[2].agent_id`).
    """

    kind: Kind
    keys: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class Issue:
    """A finding: `code` is stable, `message` is a sentence that names every affected part."""

    code: str
    severity: Severity
    message: str
    where: Where


def error(code: str, message: str, kind: Kind, keys: tuple[str, ...], path: str) -> Issue:
    """Return an issue that blocks a rehearsal."""
    return Issue(code, "error", message, Where(kind, keys, path))


def warning(code: str, message: str, kind: Kind, keys: tuple[str, ...], path: str) -> Issue:
    """Return an issue that blocks nothing."""
    return Issue(code, "warning", message, Where(kind, keys, path))


def json_path(*steps: str | int) -> str:
    """Return the JSON path of keys and indexes: `$.stages[2]`, `$.aliases['agent-b']`."""
    parts = (
        f"[{step}]"
        if isinstance(step, int)
        else (f".{step}" if step.isidentifier() and step.isascii() else f"[{step!r}]")
        for step in steps
    )
    return "$" + "".join(parts)


def path_steps(path: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of a JSON path: the inverse of `json_path`."""
    return tuple(
        int(index) if index else literal_eval(key) if key else name
        for name, index, key in _STEP.findall(path)
    )


_STEP = re.compile(r"""\.(\w+)|\[(\d+)\]|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]""")


def listed(names: Collection[str]) -> str:
    """Return names as a list in a sentence: `'a'`, `'a' and 'b'`, `'a', 'b' and 'c'`."""
    quoted = [repr(name) for name in islice(names, MAX_LISTED)]
    if len(names) > MAX_LISTED:
        quoted[-1] = f"{len(names) - MAX_LISTED + 1} more"
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"

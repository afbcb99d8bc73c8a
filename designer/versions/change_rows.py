"""Rows of the table of changes: the same changes as on the canvas, with their values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pydantic import BaseModel

from designer.versions.drawing import SYMBOLS, WORDS
from orchestration.difference import (
    ABSENT,
    PartChange,
    PartKind,
    PartMark,
    TextMark,
    TextRun,
    word_differences,
)

TITLES: Mapping[PartKind, str] = {
    "stage": "Stages",
    "transition": "Transitions",
    "agent": "Agents",
    "rule": "Rules",
    "tool": "Tools",
    "setting": "Settings",
}


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of a part, with its difference."""

    path: str
    runs: tuple[TextRun, ...]

    @property
    def text(self) -> SafeString:
        """The value with its differences as HTML."""
        return marked_text(self.runs)


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A change in the table."""

    number: int
    mark: PartMark
    symbol: str
    word: str
    title: str
    detail: str
    """The change in a few words: `now to followup`, `instructions`."""
    values: tuple[ValueRow, ...]


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """The changes of one kind of parts."""

    title: str
    rows: tuple[ChangeRow, ...]


def change_groups(
    changes: tuple[PartChange, ...], names: Mapping[str, str] = MappingProxyType({})
) -> list[ChangeGroup]:
    """Return the changes in groups; the numbers of the rows count from 1 through all groups.

    `names` has the names of the agents by id.
    """
    rows = enumerate(changes, start=1)
    return [
        ChangeGroup(TITLES[kind], tuple(_row(number, change, names) for number, change in group))
        for kind, group in groupby(rows, key=lambda row: row[1].kind)
    ]


def text_runs(before: Any, after: Any) -> tuple[TextRun, ...]:
    """Return the difference of two values word by word; a missing value adds or removes all."""
    if before is ABSENT or after is ABSENT:
        runs = (("removed", before), ("added", after))
        return tuple(TextRun(mark, _text(value)) for mark, value in runs if value is not ABSENT)  # type: ignore[arg-type]
    return word_differences(_text(before), _text(after))


def marked_text(runs: Iterable[TextRun]) -> SafeString:
    """Return a text with its differences as HTML: there are hundreds on a page."""
    return mark_safe("".join(_ELEMENTS[mark].format(escape(text)) for mark, text in runs))  # noqa: S308 - escaped


_ELEMENTS: Mapping[TextMark, str] = {
    "": "{}",
    "added": "<ins>{}</ins>",
    "removed": "<del>{}</del>",
}


def _row(number: int, change: PartChange, names: Mapping[str, str]) -> ChangeRow:
    values = change.values
    return ChangeRow(
        number,
        change.mark,
        SYMBOLS[change.mark],
        WORDS[change.mark],
        _title(change),
        _detail(change, names),
        tuple(
            ValueRow(value.path, text_runs(value.before, value.after))
            for value in (values if change.mark in ("changed", "retargeted") else ())
        )
        or tuple(_whole(change)),
    )


def _title(change: PartChange) -> str:
    if change.kind == "transition":
        return (change.previous_key or change.key).replace(">", " → ")
    name = getattr(change.after or change.before, "name", "") if change.kind == "agent" else ""
    return name or change.key.replace("_", " " if change.kind == "setting" else "_")


def _detail(change: PartChange, names: Mapping[str, str]) -> str:
    if change.mark == "retargeted":
        return f"now to {change.after.target}"
    if change.mark == "changed":
        fields = dict.fromkeys(value.path.split(".")[0].split("[")[0] for value in change.values)
        return ", ".join(name.replace("_", " ") for name in fields if name)
    part = change.before if change.after is ABSENT else change.after
    if change.kind == "stage" and (agents := part.agent_ids):
        return f"served by {', '.join(names.get(agent, agent) for agent in agents)}"
    return str(getattr(part, "description", "") or "")[:80]


def _whole(change: PartChange) -> Iterator[ValueRow]:
    """Yield the values of an added or removed part, without defaults."""
    part = change.before if change.after is ABSENT else change.after
    if change.mark not in ("added", "removed") or not isinstance(part, BaseModel):
        return
    for path, value in part.model_dump(mode="json", exclude_defaults=True).items():
        mark: Any = change.mark
        yield ValueRow(path, (TextRun(mark, _text(value)),))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)

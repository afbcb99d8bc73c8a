"""Difference and effect as text, Markdown and JSON, for a terminal and a pull request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from orchestration.difference.changes import ABSENT, Difference, PartChange, PartMark, ValueChange
from orchestration.difference.effects import Effect, Path
from orchestration.tools import ToolSpec
from orchestration.validation import Issue

SAME = "Both behave the same."
MAX_VALUE = 200
"""Maximum number of characters of a value in a line."""

MAX_PATHS_SHOWN = 20
"""Maximum number of paths of each kind in a report."""

_SIGNS: Mapping[PartMark, str] = {"added": "+", "removed": "-", "changed": "~", "retargeted": ">"}
_WORDS: Mapping[PartMark, str] = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "retargeted": "leads elsewhere",
}


def as_text(difference: Difference, effect: Effect) -> str:
    """Return the report as lines of text, with a sign before each change."""
    if not difference:
        return f"{SAME}\n"
    lines = [_summary(difference)]
    for change in difference.changes:
        lines.append(f"  {_SIGNS[change.mark]} {_title(change)}")
        lines += [f"      {_value_line(value)}" for value in change.values]
    if consequences := list(_consequences(effect)):
        lines += ["", "Effect", *(f"  {line}" for line in consequences)]
    return "\n".join(lines) + "\n"


def as_markdown(difference: Difference, effect: Effect) -> str:
    """Return the report as Markdown: a table of the changes, and a list of the effect."""
    if not difference:
        return f"{SAME}\n"
    lines = [_summary(difference), "", "| change | part | values |", "|---|---|---|"]
    for change in difference.changes:
        values = "<br>".join(_cell(_value_line(value)) for value in change.values)
        lines.append(f"| {_WORDS[change.mark]} | {_cell(_title(change))} | {values} |")
    if consequences := list(_consequences(effect)):
        lines += ["", "**Effect**", "", *(f"- {_escaped(line)}" for line in consequences)]
    return "\n".join(lines) + "\n"


def as_json(difference: Difference, effect: Effect) -> str:
    """Return the report as a JSON object with `same`, `changes` and `effect`."""
    document = {
        "same": not difference,
        "changes": [_change_object(change) for change in difference.changes],
        "effect": {
            "paths_gained": effect.paths_gained,
            "paths_lost": effect.paths_lost,
            "all_paths": effect.all_paths,
            "unreachable": effect.unreachable,
            "newly_reachable": effect.newly_reachable,
            "shortest_path_to_end": dict(zip(("before", "after"), effect.to_end, strict=True)),
            "shortest_path_to_human": dict(zip(("before", "after"), effect.to_human, strict=True)),
            "new_issues": [_issue_object(issue) for issue in effect.new_issues],
            "resolved_issues": [_issue_object(issue) for issue in effect.resolved_issues],
            "handoff_tools": [
                {
                    "stage": change.phase,
                    "before": [_tool_object(tool) for tool in change.before],
                    "after": [_tool_object(tool) for tool in change.after],
                }
                for change in effect.tools
            ],
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _summary(difference: Difference) -> str:
    counts = difference.counts()
    parts = [f"{counts[mark]} {_WORDS[mark]}" for mark in _WORDS if counts.get(mark)]
    total = len(difference.changes)
    return f"{total} {'change' if total == 1 else 'changes'}: {', '.join(parts)}"


def _title(change: PartChange) -> str:
    if change.mark == "retargeted":
        return f"transition {_arrow(change.previous_key or '')} now leads to {change.after.target}"
    key = _arrow(change.key) if change.kind == "transition" else change.key
    name = getattr(change.after or change.before, "name", "")
    return f"{change.kind} {key}" + (f" ({name})" if name and name != change.key else "")


def _arrow(key: str) -> str:
    return key.replace(">", " → ")


def _value_line(value: ValueChange) -> str:
    path = f"{value.path}: " if value.path else ""
    if value.before is ABSENT:
        return f"{path}{_shown(value.after)} (new)"
    if value.after is ABSENT:
        return f"{path}{_shown(value.before)} (removed)"
    return f"{path}{_shown(value.before)} → {_shown(value.after)}"


def _shown(value: Any) -> str:
    """Return a value in one line, as JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}…"


def _consequences(effect: Effect) -> Iterator[str]:
    """Yield one sentence for each consequence."""
    yield from _paths("New path", effect.paths_gained, is_complete=effect.all_paths)
    yield from _paths("Lost path", effect.paths_lost, is_complete=effect.all_paths)
    yield from (f"No conversation reaches {phase} any more." for phase in effect.unreachable)
    yield from (f"Conversations now reach {phase}." for phase in effect.newly_reachable)
    yield from _length("an end", effect.to_end)
    yield from _length("the human", effect.to_human)
    yield from (f"New problem: {issue.message}" for issue in effect.new_issues)
    yield from (f"Solved problem: {issue.message}" for issue in effect.resolved_issues)
    for change in effect.tools:
        was, now = _names(change.before), _names(change.after)
        details = "other descriptions or targets" if was == now else f"{was} → {now}"
        yield f"The model of {change.phase} gets other tools for handoffs: {details}."


def _paths(title: str, paths: tuple[Path, ...], *, is_complete: bool) -> Iterator[str]:
    kind = "" if is_complete else " (the shortest to its end)"
    yield from (f"{title}{kind}: {' → '.join(path)}" for path in paths[:MAX_PATHS_SHOWN])
    if (more := len(paths) - MAX_PATHS_SHOWN) > 0:
        yield f"{title}{kind}: {more} more"


def _length(goal: str, paths: tuple[Path | None, Path | None]) -> Iterator[str]:
    before, after = (None if path is None else len(path) - 1 for path in paths)
    if before == after:
        return
    if after is None:
        yield f"No path leads to {goal} any more."
    elif before is None:
        yield f"The shortest path to {goal} has {_handoffs(after)}; before, no path led there."
    else:
        yield f"The shortest path to {goal} has {_handoffs(after)} instead of {before}."


def _handoffs(count: int) -> str:
    return "1 handoff" if count == 1 else f"{count} handoffs"


def _names(tools: Iterable[ToolSpec]) -> str:
    return ", ".join(tool.name for tool in tools) or "none"


def _change_object(change: PartChange) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "key": change.key,
        "mark": change.mark,
        **({"previous_key": change.previous_key} if change.previous_key else {}),
        "values": [
            {
                "path": value.path,
                **({} if value.before is ABSENT else {"before": value.before}),
                **({} if value.after is ABSENT else {"after": value.after}),
            }
            for value in change.values
        ],
    }


def _issue_object(issue: Issue) -> dict[str, Any]:
    return {
        "code": issue.code,
        "severity": issue.severity,
        "message": issue.message,
        "kind": issue.where.kind,
        "keys": issue.where.keys,
    }


def _tool_object(tool: ToolSpec) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, f"\\{sign}")
    return text


def _cell(text: str) -> str:
    return _escaped(text).replace("\n", " ")

"""Incremental validation of a definition and its successor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation.affected_parts import focus_after
from orchestration.validation.changed_parts import ChangedParts, Focus
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue
from orchestration.validation.rule_list import RULES, WHOLE


class Inspection:
    """Issues of a definition, computed on their first use.

    After a change the rules check only the parts in the focus, and other issues are kept. A
    property test checks that the result is the same as that of a full validation.
    """

    def __init__(self, definition: PipelineDefinition) -> None:
        self.draft = Draft(definition)
        """Derived facts, shared by the rules."""

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """Errors before warnings, each in the order of `RULES`."""
        every_issue = [issue for issues in self._issues_by_rule for issue in issues]
        return tuple(sorted(every_issue, key=lambda issue: issue.severity != "error"))

    @cached_property
    def _issues_by_rule(self) -> tuple[tuple[Issue, ...], ...]:
        """Issues of each rule."""
        return tuple([tuple(rule(self.draft)) for rule in RULES])

    @cached_property
    def _has_unique_keys(self) -> bool:
        """True if every part has a unique key, like parts from rows."""
        definition = self.draft.definition
        keys = (
            (definition.stages, definition.stages_by_phase),
            (definition.agents, definition.agents_by_id),
            (definition.tools, definition.tools_by_name),
            (definition.rules, set(map(_KEYS["rules"], definition.rules))),
            (definition.transitions, set(map(_KEYS["transitions"], definition.transitions))),
        )
        return all(len(parts) == len(distinct) for parts, distinct in keys)

    def after(self, definition: PipelineDefinition, touched: ChangedParts) -> Inspection:
        """Return the inspection of a definition in which only the touched parts have changed."""
        later = Inspection(definition)
        was = self.draft.definition
        if "_issues_by_rule" not in vars(self) or not (
            self._has_unique_keys and later._has_unique_keys
        ):
            return later
        if not touched.kinds:
            later.draft, later._issues_by_rule = (
                Draft(definition, Focus(), self.draft),
                self._issues_by_rule,
            )
            return later
        focus = focus_after(was, definition, touched)
        if focus is not None:
            later.draft = Draft(definition, focus, self.draft)
            later._issues_by_rule = _check_again(
                self._issues_by_rule, _Indexes(was, definition, focus), later.draft, touched
            )
        return later


def _check_again(
    earlier: Sequence[tuple[Issue, ...]], indexes: _Indexes, draft: Draft, touched: ChangedParts
) -> tuple[tuple[Issue, ...], ...]:
    results: list[tuple[Issue, ...]] = []
    for rule, before in zip(RULES, earlier, strict=True):
        if rule not in WHOLE:
            results.append(indexes.merge(before, rule(draft)))
        elif WHOLE[rule].isdisjoint(touched.kinds):
            results.append(before)
        else:
            results.append(tuple(rule(draft)))
    return tuple(results)


_KEYS: Mapping[str, attrgetter[Any]] = {
    "agents": attrgetter("id"),
    "stages": attrgetter("phase"),
    "transitions": attrgetter("source", "target"),
    "rules": attrgetter("id"),
    "tools": attrgetter("name"),
}


class _Indexes:
    """Indexes of the parts that issues point to, before and after a change."""

    def __init__(self, was: PipelineDefinition, now: PipelineDefinition, focus: Focus) -> None:
        self._was, self._now, self._focus = was, now, focus
        self._known: dict[str, dict[Any, int]] = {}

    def merge(self, before: Sequence[Issue], fresh: Iterable[Issue]) -> tuple[Issue, ...]:
        """Merge kept issues and new ones, in the order of the parts."""
        new = list(fresh)
        if not before:
            return tuple(new)
        kept = [moved for issue in before if (moved := self._moved(issue)) is not None]
        return tuple(sorted([*kept, *new], key=_index_in) if new else kept)

    def _moved(self, issue: Issue) -> Issue | None:
        """Return an issue outside the focus with the current index of its part."""
        path = issue.where.path
        kind, index = _parse(path)
        part = getattr(self._was, kind)[index]
        if self._is_in_focus(kind, part):
            return None
        current = self._index_of(kind, part)
        if current == index:
            return issue
        rest = path[path.index("]") :]
        return replace(issue, where=replace(issue.where, path=f"$.{kind}[{current}{rest}"))

    def _is_in_focus(self, kind: str, part: Any) -> bool:
        if kind == "transitions":
            return part.source in self._focus.stages
        in_focus: set[str] = getattr(self._focus, kind)
        return _KEYS[kind](part) in in_focus

    def _index_of(self, kind: str, part: Any) -> int:
        if kind not in self._known:
            parts = getattr(self._now, kind)
            self._known[kind] = dict(zip(map(_KEYS[kind], parts), range(len(parts)), strict=True))
        return self._known[kind][_KEYS[kind](part)]


def _index_in(issue: Issue) -> int:
    return _parse(issue.where.path)[1]


def _parse(path: str) -> tuple[str, int]:
    kind, _, rest = path.removeprefix("$.").partition("[")
    return kind, int(rest[: rest.index("]")])

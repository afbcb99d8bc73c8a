"""Incremental validation of a definition and its successor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from orchestration.definition import PipelineDefinition
from orchestration.validation.affected_parts import focus_after
from orchestration.validation.changed_parts import Focus, Touched
from orchestration.validation.draft import Draft
from orchestration.validation.issues import Issue
from orchestration.validation.rule_list import RULES, WHOLE


class Inspection:
    """All issues of a definition: `issues`, worked out when they are first asked for.

    Of a definition that follows another, the rules look only at what may be otherwise; what they
    found elsewhere is carried over. The outcome is the same, as a law in the tests says.
    """

    def __init__(self, definition: PipelineDefinition) -> None:
        self.draft = Draft(definition)
        """Facts that the rules have computed."""

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """Errors before warnings, each in the order of `RULES`."""
        found = [issue for issues in self._found for issue in issues]
        return tuple(sorted(found, key=lambda issue: issue.severity != "error"))

    @cached_property
    def _found(self) -> tuple[tuple[Issue, ...], ...]:
        """Issues found by each rule."""
        return tuple([tuple(rule(self.draft)) for rule in RULES])

    @cached_property
    def _is_sound(self) -> bool:
        """True if every part has a unique key, as parts from rows have."""
        definition = self.draft.definition
        keys = (
            (definition.stages, definition.stages_by_phase),
            (definition.agents, definition.agents_by_id),
            (definition.tools, definition.tools_by_name),
            (definition.rules, set(map(_KEYS["rules"], definition.rules))),
            (definition.transitions, set(map(_KEYS["transitions"], definition.transitions))),
        )
        return all(len(parts) == len(distinct) for parts, distinct in keys)

    def after(self, definition: PipelineDefinition, touched: Touched) -> Inspection:
        """The inspection of a definition in which no more than the touched parts are others."""
        later = Inspection(definition)
        was = self.draft.definition
        if "_found" not in vars(self) or not (self._is_sound and later._is_sound):
            return later
        if not touched.kinds:
            later.draft, later._found = Draft(definition, Focus(), self.draft), self._found
            return later
        focus = focus_after(was, definition, touched)
        if focus is not None:
            later.draft = Draft(definition, focus, self.draft)
            later._found = _look_again(
                self._found, _Places(was, definition, focus), later.draft, touched
            )
        return later


def _look_again(
    found: Sequence[tuple[Issue, ...]], places: _Places, draft: Draft, touched: Touched
) -> tuple[tuple[Issue, ...], ...]:
    again: list[tuple[Issue, ...]] = []
    for rule, before in zip(RULES, found, strict=True):
        if rule not in WHOLE:
            again.append(places.in_order(before, rule(draft)))
        elif WHOLE[rule].isdisjoint(touched.kinds):
            again.append(before)
        else:
            again.append(tuple(rule(draft)))
    return tuple(again)


_KEYS: Mapping[str, attrgetter[Any]] = {
    "agents": attrgetter("id"),
    "stages": attrgetter("phase"),
    "transitions": attrgetter("source", "target"),
    "rules": attrgetter("id"),
    "tools": attrgetter("name"),
}


class _Places:
    """Positions of the parts that issues point to, by the paths of the issues."""

    def __init__(self, was: PipelineDefinition, now: PipelineDefinition, focus: Focus) -> None:
        self._was, self._now, self._focus = was, now, focus
        self._known: dict[str, dict[Any, int]] = {}

    def in_order(self, before: Sequence[Issue], fresh: Iterable[Issue]) -> tuple[Issue, ...]:
        """Merge kept issues and new ones, in the order of the parts."""
        found = list(fresh)
        if not before:
            return tuple(found)
        kept = [issue for one in before if (issue := self._carried(one)) is not None]
        return tuple(sorted([*kept, *found], key=_place) if found else kept)

    def _carried(self, issue: Issue) -> Issue | None:
        """An issue out of focus, at the place that its part has now."""
        path = issue.where.path
        kind, place = _parse(path)
        part = getattr(self._was, kind)[place]
        if self._is_in_focus(kind, part):
            return None
        here = self._place_of(kind, part)
        if here == place:
            return issue
        rest = path[path.index("]") :]
        return replace(issue, where=replace(issue.where, path=f"$.{kind}[{here}{rest}"))

    def _is_in_focus(self, kind: str, part: Any) -> bool:
        if kind == "transitions":
            return part.source in self._focus.stages
        in_focus: set[str] = getattr(self._focus, kind)
        return _KEYS[kind](part) in in_focus

    def _place_of(self, kind: str, part: Any) -> int:
        if kind not in self._known:
            parts = getattr(self._now, kind)
            self._known[kind] = dict(zip(map(_KEYS[kind], parts), range(len(parts)), strict=True))
        return self._known[kind][_KEYS[kind](part)]


def _place(issue: Issue) -> int:
    return _parse(issue.where.path)[1]


def _parse(path: str) -> tuple[str, int]:
    kind, _, place = path.removeprefix("$.").partition("[")
    return kind, int(place[: place.index("]")])

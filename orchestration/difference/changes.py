"""Changed parts of two definitions.

Whole parts are compared, never a list of fields, so a new field of a part is compared without a
change here. The layout is ignored: it does not change any conversation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from pydantic import BaseModel

from orchestration.definition import PipelineDefinition, Transition

PartKind = Literal["agent", "stage", "transition", "rule", "tool", "setting"]
PartMark = Literal["added", "removed", "changed", "retargeted"]


class _Absent:
    """Type of `ABSENT`."""

    def __repr__(self) -> str:
        return "absent"

    def __bool__(self) -> bool:
        return False


ABSENT = _Absent()
"""Value of a path that one side does not have; None is JSON's null."""


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A changed value inside a part, as JSON values; `path` begins at the part."""

    path: str
    """`description`, `parameters.properties.order.type` or `cues[0].say`; empty: the part."""
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part that differs between two definitions."""

    kind: PartKind
    key: str
    """The key of the part in the later definition, otherwise in the earlier one.

    A transition's key is `source>target`, a setting's key the name of its field.
    """
    mark: PartMark
    before: Any = ABSENT
    """The part or the value in the earlier definition."""
    after: Any = ABSENT
    previous_key: str | None = None
    """The earlier key of a transition with another target."""

    @property
    def values(self) -> tuple[ValueChange, ...]:
        """The changed values inside the part; none for an added or removed part."""
        if self.before is ABSENT or self.after is ABSENT:
            return ()
        return tuple(_compare(_json(self.before), _json(self.after), ""))


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes that turn one definition into another, in the order of the parts."""

    changes: tuple[PartChange, ...]

    def __bool__(self) -> bool:
        """Report whether the two definitions behave differently."""
        return bool(self.changes)

    def counts(self) -> Mapping[PartMark, int]:
        """Return the number of changes by mark."""
        return Counter(change.mark for change in self.changes)

    def apply(self, definition: PipelineDefinition) -> PipelineDefinition:
        """Return the definition with the changes, in its own layout.

        Applied to the earlier definition, the result plays like the later one.
        """
        parts = {name: _keyed(getattr(definition, name), kind) for name, kind in _PARTS}
        settings = {name: getattr(definition, name) for name in _settings(definition)}
        names = {kind: name for name, kind in _PARTS}
        for change in self.changes:
            if change.kind == "setting":
                settings[change.key] = change.after
                continue
            present = parts[names[change.kind]]
            if change.mark in ("removed", "retargeted"):
                present.pop(change.previous_key or change.key, None)
            if change.mark != "removed":
                present[change.key] = change.after
        values = {name: tuple(present.values()) for name, present in parts.items()}
        return PipelineDefinition(**values, **settings, layout=definition.layout)


def difference(before: PipelineDefinition, after: PipelineDefinition) -> Difference:
    """Return the changes that turn `before` into `after`; linear in the number of parts."""
    changes: list[PartChange] = []
    for name, kind in _PARTS:
        old, new = getattr(before, name), getattr(after, name)
        if old is not new:
            changes += _changed_parts(kind, _keyed(old, kind), _keyed(new, kind))
    for name in dict.fromkeys((*_settings(before), *_settings(after))):
        old, new = getattr(before, name, ABSENT), getattr(after, name, ABSENT)
        if old != new:
            changes.append(PartChange("setting", name, "changed", old, new))
    return Difference(tuple(changes))


def share_parts(definition: PipelineDefinition, other: PipelineDefinition) -> PipelineDefinition:
    """Return the definition with the parts of `other` in place of equal ones.

    An edit keeps most parts of a definition, and `difference` skips parts that both sides share. So
    a comparison with each edition of a draft compares only the changed parts.
    """
    update: dict[str, tuple[Any, ...]] = {}
    for name, kind in _PARTS:
        own, others = getattr(definition, name), getattr(other, name)
        if own is not others:
            known = _keyed(others, kind)
            pairs = [(part, known.get(key)) for key, part in _keyed(own, kind).items()]
            shared = tuple([twin if part is twin or part == twin else part for part, twin in pairs])
            update[name] = others if shared == others else shared
    return definition.model_copy(update=update) if update else definition


_KEYS: Mapping[PartKind, Callable[[Collection[Any]], list[str]]] = {
    "agent": lambda agents: [agent.id for agent in agents],
    "stage": lambda stages: [stage.phase for stage in stages],
    "transition": lambda transitions: [f"{each.source}>{each.target}" for each in transitions],
    "rule": lambda rules: [rule.id for rule in rules],
    "tool": lambda tools: [tool.name for tool in tools],
}
_PARTS = tuple((f"{kind}s", kind) for kind in _KEYS)
"""Fields of a definition with parts, and the kinds of the parts."""

_IGNORED = {"format", "version", "layout", *(name for name, _ in _PARTS)}


def _settings(definition: PipelineDefinition) -> list[str]:
    """Return the fields that are neither parts nor layout."""
    return [name for name in type(definition).model_fields if name not in _IGNORED]


def _keyed(parts: Collection[Any], kind: PartKind) -> dict[str, Any]:
    """Return the parts by key; further parts with the same key, an issue, are numbered."""
    keys = _KEYS[kind](parts)
    if len(set(keys)) < len(keys):
        seen: Counter[str] = Counter()
        for index, key in enumerate(keys):
            seen[key] += 1
            keys[index] = key if seen[key] == 1 else f"{key} ({seen[key]})"
    return dict(zip(keys, parts, strict=True))


def _changed_parts(
    kind: PartKind, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[PartChange]:
    """Yield the changes of one kind of parts: changed, re-targeted and added ones, then removed."""
    removed = {key: part for key, part in old.items() if key not in new}
    for key, part in new.items():
        if key in old:
            if old[key] is not part and old[key] != part:
                yield PartChange(kind, key, "changed", old[key], part)
        elif kind == "transition" and (earlier := _earlier_target(part, removed)) is not None:
            yield PartChange(kind, key, "retargeted", removed.pop(earlier), part, earlier)
        else:
            yield PartChange(kind, key, "added", after=part)
    for key, part in removed.items():
        yield PartChange(kind, key, "removed", before=part)


def _earlier_target(transition: Transition, removed: Mapping[str, Transition]) -> str | None:
    """Return the key of a removed transition that differs only in its target.

    A stage has at most one `next`, so a new one replaces it although its texts differ.
    """
    same_source = [
        (key, each)
        for key, each in removed.items()
        if (each.source, each.kind) == (transition.source, transition.kind)
    ]
    for key, each in same_source:
        if each.model_copy(update={"target": transition.target}) == transition:
            return key
    return same_source[0][0] if same_source and transition.kind == "next" else None


def _json(value: Any) -> Any:
    """Return a part or a value of a definition as JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_json(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _json(each) for key, each in value.items()}
    return value


def _compare(before: Any, after: Any, path: str) -> Iterator[ValueChange]:
    """Yield the innermost values that differ: objects by key, arrays by position."""
    if type(before) is type(after) and before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            place = f"{path}.{key}" if path else cast("str", key)
            yield from _compare(before.get(key, ABSENT), after.get(key, ABSENT), place)
    elif isinstance(before, list) and isinstance(after, list) and _holds_objects(before, after):
        for number in range(max(len(before), len(after))):
            old = before[number] if number < len(before) else ABSENT
            new = after[number] if number < len(after) else ABSENT
            yield from _compare(old, new, f"{path}[{number}]")
    else:
        yield ValueChange(path, before, after)


def _holds_objects(*arrays: list[Any]) -> bool:
    """Report whether the arrays contain objects; arrays of plain values are compared as a whole."""
    return any(isinstance(each, dict | list) for array in arrays for each in array)

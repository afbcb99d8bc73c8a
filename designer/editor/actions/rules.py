"""Routing rules: adding, changing, ordering and deleting them."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch
from designer.editor.actions.topology import free_key
from designer.models import Pipeline
from orchestration.definition import MAX_RULES, PipelineDefinition, Rule

LOWEST, HIGHEST = -1_000_000, 1_000_000
"""The first and the last priority that a rule can have."""


@transaction.atomic
def add_rule(*, pipeline: Pipeline, user: User, rule: Rule) -> Change:
    """Add a routing rule."""
    pipeline = lock(pipeline)
    _refuse(pipeline, rule, but=None)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Add rule {rule.id}",
        patch=Patch(rules={rule.id: rule}),
    )


@transaction.atomic
def update_rule(*, pipeline: Pipeline, user: User, key: str, rule: Rule) -> Change:
    """Make a routing rule what `rule` says, its id too."""
    pipeline = lock(pipeline)
    _require(pipeline, key)
    _refuse(pipeline, rule, but=key)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change rule {rule.id}",
        patch=Patch(rules={key: None, rule.id: rule}),
    )


@transaction.atomic
def delete_rule(*, pipeline: Pipeline, user: User, key: str) -> Change:
    """Delete a routing rule."""
    pipeline = lock(pipeline)
    _require(pipeline, key)
    return make_edit(
        pipeline=pipeline, user=user, label=f"Delete rule {key}", patch=Patch(rules={key: None})
    )


@transaction.atomic
def duplicate_rule(*, pipeline: Pipeline, user: User, key: str) -> Change:
    """Add the same rule again, asked right after it, under the first name that is free."""
    pipeline = lock(pipeline)
    rules = definitions.read(pipeline).rules
    rule = next((rule for rule in rules if rule.id == key), None)
    if rule is None:
        raise _gone(key)
    if len(rules) >= MAX_RULES:
        raise RefusedError(f"A pipeline has at most {MAX_RULES} routing rules.")
    stem = key[:56]
    taken = {f"{stem}-1", *(other.id for other in rules)}
    twin = rule.model_copy(update={"id": free_key(stem, taken)})
    order = [other for one in rules for other in ((one, twin) if one is rule else (one,))]
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Duplicate rule {key}",
        patch=Patch(rules={twin.id: twin} | renumber(order, twin.id)),
    )


@transaction.atomic
def move_rule(*, pipeline: Pipeline, user: User, key: str, before: str) -> Change:
    """Have a rule asked right before another one, or after all others where that one is empty.

    As few priorities are changed as it takes.
    """
    pipeline = lock(pipeline)
    rules = definitions.read(pipeline).rules
    ids = [rule.id for rule in rules]
    for wanted in (key, *([before] if before else ())):
        if wanted not in ids:
            raise _gone(wanted)
    order = list(rules)
    if before != key:
        moved = order.pop(ids.index(key))
        at = next((place for place, rule in enumerate(order) if rule.id == before), len(order))
        order.insert(at, moved)
    up = [rule.id for rule in order].index(key) < ids.index(key)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Move rule {key} {'up' if up else 'down'}",
        patch=Patch(rules=renumber(order, key)),
    )


def with_rule(definition: PipelineDefinition, key: str, rule: Rule) -> PipelineDefinition:
    """The definition with a rule in place of the one of that key, or as a new one."""
    others = (other for other in definition.rules if other.id not in (key, rule.id))
    rules = sorted((*others, rule), key=_place)
    return definition.model_copy(update={"rules": tuple(rules)})


def renumber(order: Sequence[Rule], key: str) -> dict[str, Rule | None]:
    """The rules that need another priority for this order, in which one has been moved.

    The moved one alone, where its new neighbours leave it room. Else those after it make some, or
    those before it, whichever are fewer; and where neither can, all are numbered anew.
    """
    at = [rule.id for rule in order].index(key)
    if (placed := _between(order, at)) is not None:
        return {} if placed == order[at] else {key: placed}
    ways = [way for step in (1, -1) if (way := _pushed(order, at, step)) is not None]
    if ways:
        return min(ways, key=len)
    return {rule.id: _at(rule, place) for place, rule in enumerate(order) if rule.priority != place}


def _between(order: Sequence[Rule], at: int) -> Rule | None:
    """The rule there, as it can stand between its neighbours; None where they leave no room."""
    rule = order[at]
    before = order[at - 1] if at else None
    after = order[at + 1] if at + 1 < len(order) else None
    tried = [rule.priority]
    tried += [before.priority + 1] if before else []
    tried += [after.priority - 1] if after else []
    tried += [other.priority for other in (before, after) if other]
    for priority in tried:
        placed = _at(rule, priority)
        fits = (not before or _place(before) < _place(placed)) and (
            not after or _place(placed) < _place(after)
        )
        if fits and LOWEST <= priority <= HIGHEST:
            return placed
    return None


def _pushed(order: Sequence[Rule], at: int, step: int) -> dict[str, Rule | None] | None:
    """The rules that change where those on one side make room; None: there is none to be had."""
    if not 0 <= at - step < len(order):
        return None
    changed: dict[str, Rule | None] = {}
    last, place = order[at - step], at
    while 0 <= place < len(order):
        rule = order[place]
        if place != at and _follows(rule, last, step):
            break
        same = _at(rule, last.priority)
        last = same if _follows(same, last, step) else _at(rule, last.priority + step)
        if not LOWEST <= last.priority <= HIGHEST:
            return None
        changed[rule.id] = last
        place += step
    return changed


def _follows(rule: Rule, other: Rule, step: int) -> bool:
    """Report whether a rule comes after another one; with a step of -1: before it."""
    return _place(rule) > _place(other) if step > 0 else _place(rule) < _place(other)


def _place(rule: Rule) -> tuple[int, str]:
    return rule.priority, rule.id


def _at(rule: Rule, priority: int) -> Rule:
    return rule.model_copy(update={"priority": priority})


def _gone(key: str) -> GoneError:
    return GoneError(f"There is no rule “{key}” any more.")


def _require(pipeline: Pipeline, key: str) -> None:
    if not pipeline.rules.filter(key=key).exists():
        raise _gone(key)


def _refuse(pipeline: Pipeline, rule: Rule, *, but: str | None) -> None:
    if rule.id != but and pipeline.rules.filter(key=rule.id).exists():
        raise RefusedError(f"There is a rule “{rule.id}” already.", field="id")
    if not pipeline.agents.filter(key=rule.agent_id).exists():
        raise RefusedError(f"There is no agent “{rule.agent_id}” any more.", field="agent_id")

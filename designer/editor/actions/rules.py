"""Add, change, order and delete routing rules."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.editor.actions.topology import free_key
from designer.models import Pipeline
from orchestration.definition import MAX_RULES, PipelineDefinition, Rule

LOWEST, HIGHEST = -1_000_000, 1_000_000
"""Minimum and maximum priority of a rule."""


@edit_action
def add_rule(*, pipeline: Pipeline, user: User, rule: Rule) -> Change:
    """Add a routing rule."""
    pipeline = current_row(pipeline)
    _refuse(pipeline, rule, but=None)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Add rule {rule.id}",
        patch=Patch(rules={rule.id: rule}),
    )


@edit_action
def update_rule(*, pipeline: Pipeline, user: User, key: str, rule: Rule) -> Change:
    """Replace a routing rule, including its id."""
    pipeline = current_row(pipeline)
    _require(pipeline, key)
    _refuse(pipeline, rule, but=key)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change rule {rule.id}",
        patch=Patch(rules={key: None, rule.id: rule}),
    )


@edit_action
def delete_rule(*, pipeline: Pipeline, user: User, key: str) -> Change:
    """Delete a routing rule."""
    pipeline = current_row(pipeline)
    _require(pipeline, key)
    return make_edit(
        pipeline=pipeline, user=user, label=f"Delete rule {key}", patch=Patch(rules={key: None})
    )


@edit_action
def duplicate_rule(*, pipeline: Pipeline, user: User, key: str) -> Change:
    """Add a copy of a rule directly after it, with the first free id."""
    pipeline = current_row(pipeline)
    rules = definitions.read(pipeline).rules
    rule = next((rule for rule in rules if rule.id == key), None)
    if rule is None:
        raise _gone(key)
    if len(rules) >= MAX_RULES:
        raise RefusedError(f"A pipeline has at most {MAX_RULES} routing rules.")
    stem = key[:56]
    taken = {f"{stem}-1", *(other.id for other in rules)}
    copy = rule.model_copy(update={"id": free_key(stem, taken)})
    place = rules.index(rule) + 1
    order = [*rules[:place], copy, *rules[place:]]
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Duplicate rule {key}",
        patch=Patch(rules={copy.id: copy} | renumber(order, copy.id)),
    )


@edit_action
def move_rule(*, pipeline: Pipeline, user: User, key: str, before: str) -> Change:
    """Move a rule before another one, or to the end if `before` is empty.

    As few priorities as possible are changed.
    """
    pipeline = current_row(pipeline)
    rules = definitions.read(pipeline).rules
    ids = [rule.id for rule in rules]
    for rule_id in (key, *([before] if before else ())):
        if rule_id not in ids:
            raise _gone(rule_id)
    order = list(rules)
    if before != key:
        moved = order.pop(ids.index(key))
        at = next((place for place, rule in enumerate(order) if rule.id == before), len(order))
        order.insert(at, moved)
    is_up = [rule.id for rule in order].index(key) < ids.index(key)
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Move rule {key} {'up' if is_up else 'down'}",
        patch=Patch(rules=renumber(order, key)),
    )


def with_rule(definition: PipelineDefinition, key: str, rule: Rule) -> PipelineDefinition:
    """Return the definition with the rule of this key replaced, or with a new rule."""
    others = (other for other in definition.rules if other.id not in (key, rule.id))
    rules = sorted((*others, rule), key=_rank)
    return definition.model_copy(update={"rules": tuple(rules)})


def renumber(order: Sequence[Rule], key: str) -> dict[str, Rule | None]:
    """Return the rules that need another priority for this order, after one rule was moved.

    If there is a free priority between its new neighbours, only the moved rule changes. Otherwise
    the rules after it or the rules before it make room, depending on the number of changes. If
    neither can, all rules are renumbered.
    """
    at = [rule.id for rule in order].index(key)
    if (placed := _between_neighbours(order, at)) is not None:
        return {} if placed == order[at] else {key: placed}
    options = [rules for step in (1, -1) if (rules := _shift(order, at, step)) is not None]
    if options:
        return min(options, key=len)
    return {rule.id: _at(rule, place) for place, rule in enumerate(order) if rule.priority != place}


def _between_neighbours(order: Sequence[Rule], at: int) -> Rule | None:
    """Return the rule with a priority between its neighbours; None if there is no free one."""
    rule = order[at]
    before = order[at - 1] if at else None
    after = order[at + 1] if at + 1 < len(order) else None
    candidates = [rule.priority]
    candidates += [before.priority + 1] if before else []
    candidates += [after.priority - 1] if after else []
    candidates += [other.priority for other in (before, after) if other]
    for priority in candidates:
        placed = _at(rule, priority)
        fits = (not before or _rank(before) < _rank(placed)) and (
            not after or _rank(placed) < _rank(after)
        )
        if fits and LOWEST <= priority <= HIGHEST:
            return placed
    return None


def _shift(order: Sequence[Rule], at: int, step: int) -> dict[str, Rule | None] | None:
    """Return the rules that change when those on one side make room; None if they cannot."""
    if not 0 <= at - step < len(order):
        return None
    changed: dict[str, Rule | None] = {}
    previous, place = order[at - step], at
    while 0 <= place < len(order):
        rule = order[place]
        if place != at and _follows(rule, previous, step):
            break
        same = _at(rule, previous.priority)
        is_free = _follows(same, previous, step)
        previous = same if is_free else _at(rule, previous.priority + step)
        if not LOWEST <= previous.priority <= HIGHEST:
            return None
        changed[rule.id] = previous
        place += step
    return changed


def _follows(rule: Rule, other: Rule, step: int) -> bool:
    """Report whether a rule comes after another one, or before it if the step is -1."""
    return _rank(rule) > _rank(other) if step > 0 else _rank(rule) < _rank(other)


def _rank(rule: Rule) -> tuple[int, str]:
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
    is_unchanged = pipeline.rules.filter(key=but or "", unknown_agent=rule.agent_id).exists()
    if not is_unchanged and not pipeline.agents.filter(key=rule.agent_id).exists():
        raise RefusedError(f"There is no agent “{rule.agent_id}” any more.", field="agent_id")

"""A rule about routing rules that earlier rules always precede (contract O-5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from orchestration.definition import Conditions, Rule
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix, delete_rule
from orchestration.validation.issues import Issue, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch

MIN_PRIORITY = -1_000_000
"""Lowest priority of a rule."""

MAX_COMPARED = 200
"""Maximum number of earlier rules compared with one rule."""


def rule_shadowed(draft: Draft) -> Iterator[Issue]:
    """Require routing rules to match some message that no earlier rule matches.

    A rule hides a later one if each of its conditions is also a condition of the later rule. Rules
    that can never match are `rule-never` and are not compared.
    """
    if not draft.hands_over:
        return
    known = draft.definition.agents_by_id
    places = {rule.id: index for index, rule in enumerate(draft.definition.rules)}
    earlier = _EarlierRules()
    for rule in sorted(draft.definition.rules, key=lambda rule: rule.priority):
        if rule.agent_id not in known or () in _sets(rule.conditions).values():
            continue
        hiding = earlier.hiding(rule)
        if hiding is None:
            earlier.add(rule)
            continue
        yield warning(
            "rule-shadowed",
            f"The routing rule {rule.id!r} is never used, because {hiding.id!r} comes before it"
            " and matches the same messages: restrict that rule, or move this rule up.",
            "rule",
            (rule.id,),
            f"$.rules[{places[rule.id]}]",
        )


class _EarlierRules:
    """Index of the earlier rules by one of their conditions."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, object] | None, list[Rule]] = {}

    def add(self, rule: Rule) -> None:
        sets = {name: words for name, words in _sets(rule.conditions).items() if words is not None}
        if sets:
            name = min(sets, key=lambda name: len(sets[name]))
            keys: list[tuple[str, object] | None] = [(name, word) for word in sets[name]]
        else:
            keys = [None]
        for key in keys:
            self._of.setdefault(key, []).append(rule)

    def hiding(self, rule: Rule) -> Rule | None:
        """Return the first earlier rule that matches whenever this rule does."""
        sets = _sets(rule.conditions).items()
        keys = [None, *((name, words[0]) for name, words in sets if words)]
        candidates = (other for key in keys for other in self._of.get(key, ()))
        return next(
            (
                other
                for other in islice(candidates, MAX_COMPARED)
                if _is_implied(other.conditions, rule.conditions)
            ),
            None,
        )


def _sets(conditions: Conditions) -> dict[str, tuple[str, ...] | None]:
    return {
        "phases": conditions.phases,
        "channel_types": conditions.channel_types,
        "intents": conditions.intents,
        "source_channel_ids": conditions.source_channel_ids,
    }


def _is_implied(conditions: Conditions, other: Conditions) -> bool:
    """Report whether `conditions` hold whenever `other` do, as far as can be compared."""
    other_sets = _sets(other)
    for name, words in _sets(conditions).items():
        other_words = other_sets[name]
        if words is not None and (other_words is None or not set(other_words) <= set(words)):
            return False
    if conditions.custom is not None and conditions.custom != other.custom:
        return False
    if not conditions.rows:
        return True
    if conditions.match == "all" == other.match:
        return set(conditions.rows) <= set(other.rows)
    return conditions.match == other.match and set(conditions.rows) == set(other.rows)


def _move_up(draft: Draft, issue: Issue) -> Fix | None:
    """Move the rule before those that hide it, or delete it if it would then hide one of them."""
    _, index = path_steps(issue.where.path)
    *earlier, rule = draft.definition.rules[: int(index) + 1]
    known = draft.definition.agents_by_id
    hiding = [
        other
        for other in earlier
        if other.agent_id in known and _is_implied(other.conditions, rule.conditions)
    ]
    priority = min((other.priority for other in hiding), default=rule.priority) - 1
    would_hide = any(_is_implied(rule.conditions, other.conditions) for other in hiding)
    if would_hide or priority < MIN_PRIORITY:
        return delete_rule(draft, issue)
    return Fix("Move it up", (("set", f"{issue.where.path}.priority", priority),))


HELP: Mapping[str, RuleHelp] = {
    "rule-shadowed": RuleHelp(
        "A routing rule hidden by another",
        "Rules are checked in order, and the first match decides. An earlier rule matches the"
        " same messages.",
        "Move this rule up, restrict the other rule, or delete it.",
        sketch(
            "intake > review",
            rules=[
                {"id": "all", "agent_id": "agent-intake", "priority": 1},
                {"id": "sms", "agent_id": "agent-review", "priority": 2},
            ],
        ),
        _move_up,
    ),
}
"""Help of the rules, by the code of the issue."""

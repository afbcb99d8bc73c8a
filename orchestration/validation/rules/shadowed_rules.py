"""A rule about routing rules that earlier rules always precede (contract O-5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from orchestration.definition import Conditions, Rule
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import delete_rule
from orchestration.validation.issues import Issue, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import sketch

MOST_COMPARED = 200
"""With how many rules that could hide it one rule is compared."""


def rule_shadowed(draft: Draft) -> Iterator[Issue]:
    """A routing rule matches something that none asked before it takes away.

    A rule hides another when it asks for no more: whatever the later one wants, it wants too, or
    does not care. Of rules that can never match nothing is said; that is `rule-never`.
    """
    if not draft.hands_over:
        return
    known = draft.definition.agents_by_id
    places = {rule.id: index for index, rule in enumerate(draft.definition.rules)}
    earlier = _Earlier()
    for rule in sorted(draft.definition.rules, key=lambda rule: rule.priority):
        if rule.agent_id not in known or () in _sets(rule.conditions).values():
            continue
        hiding = earlier.hiding(rule)
        if hiding is None:
            earlier.add(rule)
            continue
        yield warning(
            "rule-shadowed",
            f"The routing rule {rule.id!r} never answers, because {hiding.id!r} is asked before it"
            " and matches whenever it would: ask for less there, or put this one first.",
            "rule",
            (rule.id,),
            f"$.rules[{places[rule.id]}]",
        )


class _Earlier:
    """The rules asked so far, found by one thing that each of them asks for."""

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
        """The first rule that matches whenever this one does."""
        sets = _sets(rule.conditions).items()
        keys = [None, *((name, words[0]) for name, words in sets if words)]
        candidates = (other for key in keys for other in self._of.get(key, ()))
        return next(
            (
                other
                for other in islice(candidates, MOST_COMPARED)
                if _asks_no_more(other.conditions, rule.conditions)
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


def _asks_no_more(one: Conditions, other: Conditions) -> bool:
    """Report whether `one` holds whenever `other` does, as far as their parts tell."""
    wanted = _sets(other)
    for name, words in _sets(one).items():
        asked = wanted[name]
        if words is not None and (asked is None or not set(asked) <= set(words)):
            return False
    if one.custom is not None and one.custom != other.custom:
        return False
    if not one.rows:
        return True
    if one.match == "all" == other.match:
        return set(one.rows) <= set(other.rows)
    return one.match == other.match and set(one.rows) == set(other.rows)


HELP: Mapping[str, RuleHelp] = {
    "rule-shadowed": RuleHelp(
        "A routing rule that is hidden by another",
        "Rules are asked in order, and the first that matches decides. One before this matches"
        " whenever this would.",
        "Put this rule first, let the other ask for more, or delete it.",
        sketch(
            "intake > review",
            rules=[
                {"id": "all", "agent_id": "agent-intake", "priority": 1},
                {"id": "sms", "agent_id": "agent-review", "priority": 2},
            ],
        ),
        delete_rule,
    ),
}
"""Help of the rules, by the code of the issue."""

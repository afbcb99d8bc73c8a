"""Gestures with routing rules."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from orchestration.definition import Conditions, Rule
from tests.designer.editor.machine.gestures import RULE, Gestures, picks, several
from tests.designer.editor_requests import now

MOST = 5
"""Maximum number of rules."""

ids = st.sampled_from(["by-sms", "refunds", "rest"])
priorities = st.sampled_from([-1, 0, 0, 7])


class Routing(Gestures):
    """Gestures in the table of routing rules."""

    def rule_of(self, name: str, agent: int, phases: set[int], priority: int) -> Rule:
        names = tuple(self.choose_some(phases, self.model.stages))
        return Rule(
            id=name,
            agent_id=self.choose(agent, self.model.agents),
            priority=priority,
            conditions=Conditions(phases=names or None, intents=None if phases else ("refund",)),
        )

    @precondition(lambda self: self.model.agents and len(self.model.rules) < MOST)
    @rule(name=ids, agent=picks, phases=several, priority=priorities)
    def add_rule(self, name: str, **fields: Any) -> None:
        new_rule = self.rule_of(name, **fields)
        if name in self.model.rules:
            self.send_refused("add_rule", new_rule, "")
            return
        with self.history.step() as model:
            model.rules[name] = new_rule
        self.gesture("add_rule", **_sent(new_rule, ""))

    @precondition(lambda self: self.model.agents and self.model.rules)
    @rule(pick=picks, name=ids, agent=picks, phases=several, priority=priorities)
    def change_rule(self, pick: int, name: str, **fields: Any) -> None:
        key, new_rule = self.choose(pick, self.model.rules), self.rule_of(name, **fields)
        if name != key and name in self.model.rules:
            self.send_refused("update_rule", new_rule, key)
            return
        with self.history.step() as model:
            del model.rules[key]
            model.rules[name] = new_rule
        self.gesture("update_rule", **_sent(new_rule, key))

    def send_refused(self, view: str, new_rule: Rule, key: str) -> None:
        response = self.send(view, _sent(new_rule, key))
        assert response.status_code == 422
        assert f'id="error-{RULE}-id"' in response.content.decode()

    @precondition(lambda self: self.model.rules)
    @rule(pick=picks)
    def delete_rule(self, pick: int) -> None:
        key = self.choose(pick, self.model.rules)
        with self.history.step() as model:
            del model.rules[key]
        self.gesture("delete_rule", rule=key)

    @precondition(lambda self: 0 < len(self.model.rules) < MOST)
    @rule(pick=picks)
    def duplicate_rule(self, pick: int) -> None:
        key = self.choose(pick, self.model.rules)
        names = (f"{key}-{number}" for number in range(2, 99))
        copy = next(name for name in names if name not in self.model.rules)
        order = self.order()
        order.insert(order.index(key) + 1, copy)
        with self.history.step() as model:
            model.rules[copy] = model.rules[key].model_copy(update={"id": copy})
            self.gesture("duplicate_rule", rule=key)
            self.read_priorities(order)

    @precondition(lambda self: self.model.rules)
    @rule(pick=picks, before=st.none() | picks)
    def move_rule(self, pick: int, before: int | None) -> None:
        order = self.order()
        key = self.choose(pick, order)
        other = None if before is None else self.choose(before, order)
        if other != key:
            order.remove(key)
            order.insert(len(order) if other is None else order.index(other), key)
        with self.history.step():
            self.gesture("move_rule", rule=key, before=other or "")
            self.read_priorities(order)

    def order(self) -> list[str]:
        """Return the rules in the order of evaluation."""
        return sorted(self.model.rules, key=lambda key: (self.model.rules[key].priority, key))

    def read_priorities(self, order: list[str]) -> None:
        """Copy the priorities from the definition, and check that they give this order."""
        for saved in now(self.pipeline).rules:
            self.model.change("rules", saved.id, priority=saved.priority)
        assert self.order() == order


def _sent(new_rule: Rule, key: str) -> dict[str, str]:
    """Return the fields of the form of a rule."""
    conditions = new_rule.conditions
    return {
        "form_token": RULE,
        "rule": key,
        "id": new_rule.id,
        "agent_id": new_rule.agent_id,
        "priority": str(new_rule.priority),
        "phases": "\n".join(conditions.phases or ()),
        "intents": "\n".join(conditions.intents or ()),
    }

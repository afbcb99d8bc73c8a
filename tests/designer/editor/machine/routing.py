"""Gestures with routing rules."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from orchestration.definition import Conditions, Rule
from tests.designer.editor.machine.gestures import RULE, Gestures, picks, several
from tests.designer.editor_requests import now

MOST = 5
"""How many rules there are at most."""

ids = st.sampled_from(["by-sms", "refunds", "rest"])
priorities = st.sampled_from([-1, 0, 0, 7])


class Routing(Gestures):
    """What one does in the table of routing rules."""

    def rule_of(self, name: str, agent: int, phases: set[int], priority: int) -> Rule:
        named = tuple(self.some(phases, self.sketch.stages))
        return Rule(
            id=name,
            agent_id=self.one(agent, self.sketch.agents),
            priority=priority,
            conditions=Conditions(phases=named or None, intents=None if phases else ("refund",)),
        )

    @precondition(lambda self: self.sketch.agents and len(self.sketch.rules) < MOST)
    @rule(name=ids, agent=picks, phases=several, priority=priorities)
    def add_rule(self, name: str, **said: Any) -> None:
        made = self.rule_of(name, **said)
        if name in self.sketch.rules:
            self.send_refused("add_rule", made, "")
            return
        with self.past.step() as sketch:
            sketch.rules[name] = made
        self.gesture("add_rule", **_sent(made, ""))

    @precondition(lambda self: self.sketch.agents and self.sketch.rules)
    @rule(pick=picks, name=ids, agent=picks, phases=several, priority=priorities)
    def change_rule(self, pick: int, name: str, **said: Any) -> None:
        key, made = self.one(pick, self.sketch.rules), self.rule_of(name, **said)
        if name != key and name in self.sketch.rules:
            self.send_refused("update_rule", made, key)
            return
        with self.past.step() as sketch:
            del sketch.rules[key]
            sketch.rules[name] = made
        self.gesture("update_rule", **_sent(made, key))

    def send_refused(self, view: str, made: Rule, key: str) -> None:
        response = self.send(view, _sent(made, key))
        assert response.status_code == 422
        assert f'id="error-{RULE}-id"' in response.content.decode()

    @precondition(lambda self: self.sketch.rules)
    @rule(pick=picks)
    def delete_rule(self, pick: int) -> None:
        key = self.one(pick, self.sketch.rules)
        with self.past.step() as sketch:
            del sketch.rules[key]
        self.gesture("delete_rule", rule=key)

    @precondition(lambda self: 0 < len(self.sketch.rules) < MOST)
    @rule(pick=picks)
    def duplicate_rule(self, pick: int) -> None:
        key = self.one(pick, self.sketch.rules)
        names = (f"{key}-{number}" for number in range(2, 99))
        twin = next(name for name in names if name not in self.sketch.rules)
        order = self.order()
        order.insert(order.index(key) + 1, twin)
        with self.past.step() as sketch:
            sketch.rules[twin] = sketch.rules[key].model_copy(update={"id": twin})
            self.gesture("duplicate_rule", rule=key)
            self.read_priorities(order)

    @precondition(lambda self: self.sketch.rules)
    @rule(pick=picks, before=st.none() | picks)
    def move_rule(self, pick: int, before: int | None) -> None:
        order = self.order()
        key = self.one(pick, order)
        other = None if before is None else self.one(before, order)
        if other != key:
            order.remove(key)
            order.insert(len(order) if other is None else order.index(other), key)
        with self.past.step():
            self.gesture("move_rule", rule=key, before=other or "")
            self.read_priorities(order)

    def order(self) -> list[str]:
        """The rules in the order in which they are asked."""
        return sorted(self.sketch.rules, key=lambda key: (self.sketch.rules[key].priority, key))

    def read_priorities(self, order: list[str]) -> None:
        """Which numbers make an order is read from the definition; the order is to be this one."""
        for one in now(self.pipeline).rules:
            self.sketch.change("rules", one.id, priority=one.priority)
        assert self.order() == order


def _sent(made: Rule, key: str) -> dict[str, str]:
    """The form of a rule as the page sends it."""
    conditions = made.conditions
    return {
        "form_token": RULE,
        "rule": key,
        "id": made.id,
        "agent_id": made.agent_id,
        "priority": str(made.priority),
        "phases": "\n".join(conditions.phases or ()),
        "intents": "\n".join(conditions.intents or ()),
    }

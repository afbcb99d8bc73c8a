"""Who answers an inbound message: affinity, then rules, then the default (rows O-3 to O-6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from orchestration.conditions import CustomCondition, RoutingContext, compile_conditions
from orchestration.definition import Conditions
from orchestration.hooks import HookContext
from orchestration.messages import InboundMessage
from orchestration.state import ConversationState

__all__ = [
    "PRIORITY",
    "ConversationRouter",
    "RoutingConditions",
    "RoutingContext",
    "RoutingDecision",
    "RoutingRule",
]

PRIORITY = -100
"""The priority of the router's hook: before the hooks of users (row O-6)."""


@dataclass(frozen=True, slots=True)
class RoutingConditions:
    """What a rule asks, ANDed. None: any. An empty set: never (row O-4)."""

    phases: Collection[str] | None = None
    channel_types: Collection[str] | None = None
    intents: Collection[str] | None = None
    source_channel_ids: Collection[str] | None = None
    custom: CustomCondition | None = None
    """Asked last. What it raises is reported, and the rule passed over."""

    @classmethod
    def from_definition(cls, conditions: Conditions) -> RoutingConditions:
        """The conditions of a definition: its rows and its expression become `custom`.

        Where those are wrong, `custom` raises when it is asked, so that a draft loses its rule and
        never a message.
        """
        return cls(
            phases=_set(conditions.phases),
            channel_types=_set(conditions.channel_types),
            intents=_set(conditions.intents),
            source_channel_ids=_set(conditions.source_channel_ids),
            custom=compile_conditions(conditions),
        )

    def hold(
        self, event: InboundMessage, context: RoutingContext, state: ConversationState
    ) -> bool:
        """Whether all of them hold. Passes on what `custom` raises."""
        return (
            (self.phases is None or state.phase in self.phases)
            and (self.channel_types is None or event.channel_type in self.channel_types)
            and (self.intents is None or event.intent in self.intents)
            and (
                self.source_channel_ids is None
                or event.source_channel_id in self.source_channel_ids
            )
            and (self.custom is None or bool(self.custom(event, context, state)))
        )


@dataclass(frozen=True, slots=True)
class RoutingRule:
    """The agent that answers where the conditions hold; the lowest priority is asked first."""

    agent_id: str
    conditions: RoutingConditions = RoutingConditions()
    priority: int = 0
    id: str = ""

    @property
    def name(self) -> str:
        """What reports call the rule."""
        return self.id or f"rule-for-{self.agent_id}"


class RoutingDecision(msgspec.Struct, frozen=True):
    """Who answers, by what, and which rules could not be asked."""

    agent_id: str | None
    by: Literal["affinity", "rule", "default", "human", "nobody"]
    reason: str
    rule_id: str | None = None
    failures: tuple[tuple[str, str], ...] = ()
    """Rule and error, for every condition that raised."""
    observers: tuple[str, ...] = ()
    """Who receives the event besides: the supervisor (row O-5)."""


@dataclass(frozen=True, slots=True)
class ConversationRouter:
    """Chooses who answers. `participants` are the agents in the room; None: whoever is named.

    >>> router = ConversationRouter(
    ...     rules=[RoutingRule("billing", RoutingConditions(intents={"invoice"}))],
    ...     default_agent_id="triage",
    ... )
    >>> message = InboundMessage(id="1", text="Is this right?", intent="invoice")
    >>> router.select(message, ConversationState()).reason
    'Rule rule-for-billing chose billing.'
    >>> router.select(message, ConversationState(active_agent_id="triage")).reason
    'triage has the conversation.'
    """

    rules: Iterable[RoutingRule] = ()
    default_agent_id: str | None = None
    supervisor_id: str | None = None
    participants: Collection[str] | None = None
    affinity: bool = True
    """Whether who has the conversation answers again; else every message is routed anew."""
    _ordered: tuple[RoutingRule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules = tuple(self.rules)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "_ordered", tuple(sorted(rules, key=lambda rule: rule.priority)))

    def select(
        self,
        event: InboundMessage,
        state: ConversationState,
        context: RoutingContext | None = None,
    ) -> RoutingDecision:
        """Who answers `event`: affinity, rules by priority, default; pure."""
        observers = (self.supervisor_id,) if self.supervisor_id else ()
        if event.from_agent is not None:
            return RoutingDecision(
                None, "nobody", "What agents say is not routed to agents.", observers=observers
            )
        if state.with_human:
            return RoutingDecision(
                None, "human", "The conversation is with the human.", observers=observers
            )
        active = state.active_agent_id
        if self.affinity and active is not None and self._takes_part(active):
            return RoutingDecision(
                active, "affinity", f"{active} has the conversation.", observers=observers
            )
        return self._by_rule(event, state, context or RoutingContext(), observers)

    def as_hook(self) -> Callable[[InboundMessage, HookContext], InboundMessage]:
        """A hook for `BEFORE_BROADCAST` at priority -100: stamps its choice on a copy (row O-6)."""

        def stamp_route(event: InboundMessage, context: HookContext) -> InboundMessage:
            return self.stamp(event, self.select(event, context.state))

        return stamp_route

    @staticmethod
    def stamp(event: InboundMessage, decision: RoutingDecision) -> InboundMessage:
        """A copy of `event` that carries `_routed_to` and `_always_process` in its metadata."""
        stamps = {"_routed_to": decision.agent_id, "_always_process": list(decision.observers)}
        return msgspec.structs.replace(event, metadata=event.metadata | stamps)

    def _takes_part(self, agent_id: str) -> bool:
        return self.participants is None or agent_id in self.participants

    def _by_rule(
        self,
        event: InboundMessage,
        state: ConversationState,
        context: RoutingContext,
        observers: tuple[str, ...],
    ) -> RoutingDecision:
        failures: list[tuple[str, str]] = []
        for rule in self._ordered:
            if not self._takes_part(rule.agent_id):
                continue
            try:
                holds = rule.conditions.hold(event, context, state)
            except Exception as error:  # noqa: BLE001 - a predicate is not ours: report it, go on
                failures.append((rule.name, f"{type(error).__name__}: {error}"))
                continue
            if holds:
                reason = f"Rule {rule.name} chose {rule.agent_id}."
                return RoutingDecision(
                    rule.agent_id, "rule", reason, rule.name, tuple(failures), observers
                )
        default = self.default_agent_id
        if default is not None and self._takes_part(default):
            reason = f"No rule matched; {default} is the default."
            return RoutingDecision(default, "default", reason, None, tuple(failures), observers)
        reason = "No rule matched, and there is no default agent."
        return RoutingDecision(None, "nobody", reason, None, tuple(failures), observers)


def _set(words: Collection[str] | None) -> frozenset[str] | None:
    return None if words is None else frozenset(words)

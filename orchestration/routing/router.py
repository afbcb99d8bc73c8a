"""Router of inbound messages: affinity, then rules, then the default (contract O-3 to O-6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

import msgspec

from orchestration.definition import Conditions
from orchestration.events import MessageReceived, MessageRouted
from orchestration.hooks import HookContext, Observer, report
from orchestration.messages import InboundMessage
from orchestration.names import names_of
from orchestration.routing.conditions import (
    CompiledConditions,
    CustomCondition,
    RoutingContext,
    compile_conditions,
)
from orchestration.state import ConversationState

__all__ = [
    "PRIORITY",
    "ConditionResult",
    "ConversationRouter",
    "RoutingConditions",
    "RoutingContext",
    "RoutingDecision",
    "RoutingExplanation",
    "RoutingRule",
    "RuleResult",
]

PRIORITY = -100
"""Priority of the router's hook: before the hooks of users (contract O-6)."""


@dataclass(frozen=True, slots=True)
class RoutingConditions:
    """Conditions of a rule, ANDed. None matches any value, an empty set none (contract O-4).

    A text in place of a set raises `ValueError`.
    """

    phases: Collection[str] | None = None
    channel_types: Collection[str] | None = None
    intents: Collection[str] | None = None
    source_channel_ids: Collection[str] | None = None
    custom: CustomCondition | None = None
    """Evaluated last. An exception is reported, and the rule is skipped."""

    def __post_init__(self) -> None:
        for name in ("phases", "channel_types", "intents", "source_channel_ids"):
            words = getattr(self, name)
            if words is not None:
                object.__setattr__(self, name, frozenset(names_of(words, name)))

    @classmethod
    def from_definition(cls, conditions: Conditions) -> RoutingConditions:
        """Compile the conditions of a definition; rows and expression become `custom`.

        If they are invalid, `custom` raises when it is evaluated: the rule is skipped, and no
        message is lost.
        """
        return cls(
            phases=conditions.phases,
            channel_types=conditions.channel_types,
            intents=conditions.intents,
            source_channel_ids=conditions.source_channel_ids,
            custom=compile_conditions(conditions),
        )

    def hold(
        self, event: InboundMessage, context: RoutingContext, state: ConversationState
    ) -> bool:
        """Report whether all conditions hold. An error of `custom` is raised."""
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

    def evaluate(
        self, event: InboundMessage, context: RoutingContext, state: ConversationState
    ) -> tuple[ConditionResult, ...]:
        """Return the result of each condition, in the order in which `hold` evaluates them."""
        sets = (
            ("phases", self.phases, state.phase),
            ("channel_types", self.channel_types, event.channel_type),
            ("intents", self.intents, event.intent),
            ("source_channel_ids", self.source_channel_ids, event.source_channel_id),
        )
        results = [
            ConditionResult(name, holds=value in allowed)
            for name, allowed, value in sets
            if allowed is not None
        ]
        parts = (
            self.custom.parts
            if isinstance(self.custom, CompiledConditions)
            else (("custom", self.custom),)
        )
        results += [_result(name, part, event, context, state) for name, part in parts if part]
        return tuple(results)


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """Result of one condition of a rule."""

    name: str
    """`phases`, `channel_types`, `intents`, `source_channel_ids`, `rows[0]`… or `custom`."""
    holds: bool
    error: str = ""
    """The error if the condition raised one."""


@dataclass(frozen=True, slots=True)
class RoutingRule:
    """The agent that answers if the conditions hold. The lowest priority comes first."""

    agent_id: str
    conditions: RoutingConditions = RoutingConditions()
    priority: int = 0
    id: str = ""

    @property
    def name(self) -> str:
        """Name of the rule in reports."""
        return self.id or f"rule-for-{self.agent_id}"


class RoutingDecision(msgspec.Struct, frozen=True):
    """The selected agent, the reason, and the rules that failed to evaluate."""

    agent_id: str | None
    by: Literal["affinity", "rule", "default", "human", "nobody", "start"]
    reason: str
    rule_id: str | None = None
    failures: tuple[tuple[str, str], ...] = ()
    """Name and error of each rule that raised."""
    observers: tuple[str, ...] = ()
    """Additional receivers of the event: the supervisor (contract O-5)."""


RuleOutcome = Literal["chose", "unmet", "failed", "absent"]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Result of one rule."""

    rule: RoutingRule
    outcome: RuleOutcome
    """`absent` if the rule is skipped because its agent does not participate."""
    error: str = ""
    conditions: tuple[ConditionResult, ...] = ()


@dataclass(frozen=True, slots=True)
class RoutingExplanation:
    """A decision with the result of each rule."""

    decision: RoutingDecision
    results: tuple[RuleResult, ...]
    """The evaluated rules, in order; the last one may have selected the agent."""
    unevaluated: tuple[RoutingRule, ...]
    """The remaining rules, in order."""


@dataclass(frozen=True, slots=True)
class ConversationRouter:
    """Selection of the agent for a message. `participants` limits the agents; None allows any.

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
    """True if the active agent answers again; otherwise the rules select an agent each time."""
    observers: Iterable[Observer] = ()
    """Functions that receive the events of each message that the hook routes (contract O-5)."""
    _ordered: tuple[RoutingRule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rules = tuple(self.rules)
        names_of(self.participants or (), "participants")
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "observers", tuple(self.observers))
        object.__setattr__(self, "_ordered", tuple(sorted(rules, key=lambda rule: rule.priority)))

    def select(
        self,
        event: InboundMessage,
        state: ConversationState,
        context: RoutingContext | None = None,
    ) -> RoutingDecision:
        """Select the agent for `event`: affinity, rules by priority, default. Pure."""
        return self._decide(event, state, context or RoutingContext(), None)

    def explain(
        self,
        event: InboundMessage,
        state: ConversationState,
        context: RoutingContext | None = None,
    ) -> RoutingExplanation:
        """Select the agent for `event`, and report the result of each rule.

        The decision is the same as that of `select`.

        >>> router = ConversationRouter(rules=[
        ...     RoutingRule("billing", RoutingConditions(intents={"invoice"}, phases={"intake"}))
        ... ])
        >>> message = InboundMessage(id="1", text="Is this right?", intent="complaint")
        >>> [result] = router.explain(message, ConversationState()).results
        >>> result.outcome, [(each.name, each.holds) for each in result.conditions]
        ('unmet', [('phases', True), ('intents', False)])
        """
        context = context or RoutingContext()
        results: list[RuleResult] = []
        decision = self._decide(event, state, context, results)
        return RoutingExplanation(decision, tuple(results), self._ordered[len(results) :])

    def _decide(
        self,
        event: InboundMessage,
        state: ConversationState,
        context: RoutingContext,
        results: list[RuleResult] | None,
    ) -> RoutingDecision:
        """Select the agent, and append the result of each evaluated rule to `results`."""
        observers = (self.supervisor_id,) if self.supervisor_id else ()
        if event.from_agent is not None:
            return RoutingDecision(
                None, "nobody", "Messages of agents are not routed to agents.", observers=observers
            )
        if state.with_human:
            return RoutingDecision(
                None, "human", "The conversation is with the human.", observers=observers
            )
        active = state.active_agent_id
        if self.affinity and active is not None and self._participates(active):
            return RoutingDecision(
                active, "affinity", f"{active} has the conversation.", observers=observers
            )
        return self._by_rule(event, state, context, observers, results)

    def as_hook(self) -> Callable[..., InboundMessage | Awaitable[InboundMessage]]:
        """Return a `BEFORE_BROADCAST` hook that stamps the route on a copy (contract O-6).

        With observers the hook is an async function, which first calls them with
        `message.received` and `message.routed`. Without a trace these have the `seq` 0.
        """

        def stamp_route(event: InboundMessage, context: HookContext) -> InboundMessage:
            return self.stamp(event, self.select(event, context.state))

        async def stamp_observed_route(
            event: InboundMessage, context: HookContext
        ) -> InboundMessage:
            decision = self.select(event, context.state)
            head = (0, datetime.now(UTC), context.session_id, "", context.state.phase)
            await report(self.observers, MessageReceived(*head, message=event))
            routed = MessageRouted(
                *head,
                decision.agent_id,
                by=decision.by,
                rule_id=decision.rule_id,
                reason=decision.reason,
                observers=decision.observers,
            )
            await report(self.observers, routed)
            return self.stamp(event, decision)

        return stamp_observed_route if self.observers else stamp_route

    @staticmethod
    def stamp(event: InboundMessage, decision: RoutingDecision) -> InboundMessage:
        """Return a copy of `event` with `_routed_to` and `_always_process` in its metadata."""
        stamps = {"_routed_to": decision.agent_id, "_always_process": list(decision.observers)}
        return msgspec.structs.replace(event, metadata=event.metadata | stamps)

    def _participates(self, agent_id: str) -> bool:
        return self.participants is None or agent_id in self.participants

    def _by_rule(
        self,
        event: InboundMessage,
        state: ConversationState,
        context: RoutingContext,
        observers: tuple[str, ...],
        results: list[RuleResult] | None,
    ) -> RoutingDecision:
        failures: list[tuple[str, str]] = []
        for rule in self._ordered:
            if not self._participates(rule.agent_id):
                if results is not None:
                    results.append(RuleResult(rule, "absent"))
                continue
            message = ""
            try:
                holds = rule.conditions.hold(event, context, state)
            except Exception as error:  # noqa: BLE001 - a custom predicate may raise anything
                holds, message = False, f"{type(error).__name__}: {error}"
                failures.append((rule.name, message))
            if results is not None:
                outcome: RuleOutcome = "failed" if message else "chose" if holds else "unmet"
                conditions = rule.conditions.evaluate(event, context, state)
                results.append(RuleResult(rule, outcome, message, conditions))
            if holds:
                reason = f"Rule {rule.name} chose {rule.agent_id}."
                return RoutingDecision(
                    rule.agent_id, "rule", reason, rule.name, tuple(failures), observers
                )
        default = self.default_agent_id
        if default is not None and self._participates(default):
            reason = f"No rule matched; {default} is the default."
            return RoutingDecision(default, "default", reason, None, tuple(failures), observers)
        reason = "No rule matched, and there is no default agent."
        return RoutingDecision(None, "nobody", reason, None, tuple(failures), observers)


def _result(
    name: str,
    condition: CustomCondition,
    event: InboundMessage,
    context: RoutingContext,
    state: ConversationState,
) -> ConditionResult:
    try:
        return ConditionResult(name, holds=bool(condition(event, context, state)))
    except Exception as error:  # noqa: BLE001 - a custom predicate may raise anything
        return ConditionResult(name, holds=False, error=str(error) or type(error).__name__)

"""Explanation of a routing decision: the agent for a message, and the reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from designer.editor.fragments.rules import Clause, clauses
from orchestration.conversation import router_of
from orchestration.definition import PipelineDefinition, Rule
from orchestration.messages import InboundMessage
from orchestration.routing import RoutingContext, RoutingExplanation, RuleResult, value_of
from orchestration.state import ConversationState


@dataclass(frozen=True, slots=True)
class TestedCondition:
    """One condition of a rule and its result."""

    clause: Clause
    holds: bool
    reason: str
    """The actual value if it does not hold, or the condition's error."""


@dataclass(frozen=True, slots=True)
class TesterStep:
    """One step of the decision."""

    name: str
    answer: str
    """`chose`, `unmet`, `failed`, `absent` or `unasked`."""
    text: str
    conditions: Sequence[TestedCondition] = ()


@dataclass(frozen=True, slots=True)
class RoutingAnswer:
    """Routing decision for a message, in a sentence and step by step."""

    sentence: str
    steps: Sequence[TesterStep]


def explain(
    definition: PipelineDefinition,
    message: InboundMessage,
    state: ConversationState,
    context: RoutingContext,
) -> RoutingAnswer:
    """Return the decision of the engine's router for a message."""
    explained = router_of(definition).explain(message, state, context)
    rules = {rule.id: rule for rule in definition.rules}

    def value(clause: Clause) -> str:
        actual = value_of(clause.field, message, context, state) if clause.field else None
        return "empty" if actual in (None, "") else str(actual)

    steps = [_affinity(definition, explained, state)]
    for result in explained.results:
        conditions = _conditions(rules[result.rule.id], result, value)
        text = _text(definition, result)
        steps.append(TesterStep(result.rule.id, result.outcome, text, conditions))
    steps += [
        TesterStep(rule.id, "unasked", "is not checked any more.") for rule in explained.unevaluated
    ]
    steps.append(_default(definition, explained))
    sentence = (
        f"{_message(message, state)} goes to {_recipient(definition, explained)},"
        f" because {_reason(definition, explained)}."
    )
    return RoutingAnswer(sentence, steps)


def _conditions(
    rule: Rule, result: RuleResult, value: Callable[[Clause], str]
) -> list[TestedCondition]:
    results = {condition.name: condition for condition in result.conditions}
    conditions = []
    for clause in clauses(rule.conditions):
        if (condition := results.get(clause.name)) is None:
            continue
        is_known = condition.holds or not clause.field
        reason = condition.error or ("" if is_known else f"it is {value(clause)}")
        conditions.append(TestedCondition(clause, condition.holds, reason))
    return conditions


def _message(message: InboundMessage, state: ConversationState) -> str:
    channel = _CHANNELS.get(message.channel_type, f"A message by {message.channel_type}")
    intent = f" with intent {message.intent}" if message.intent else ""
    return f"{channel}{intent} in stage {state.phase}" if state.phase else f"{channel}{intent}"


_CHANNELS = {
    "web": "A web message",
    "sms": "An SMS",
    "email": "An email",
    "voice": "A voice message",
}


def _agent_name(definition: PipelineDefinition, key: str | None) -> str:
    agent = definition.agents_by_id.get(key or "")
    return agent.name if agent else f"the group of {key}"


def _recipient(definition: PipelineDefinition, explained: RoutingExplanation) -> str:
    decision = explained.decision
    if decision.by == "human":
        return "the human"
    return "no agent" if decision.agent_id is None else _agent_name(definition, decision.agent_id)


def _reason(definition: PipelineDefinition, explained: RoutingExplanation) -> str:
    decision = explained.decision
    match decision.by:
        case "human":
            return "the human has the conversation"
        case "affinity":
            return "the active agent answers again"
        case "rule":
            first = "is the first that holds" if len(explained.results) > 1 else "holds"
            return f"rule {decision.rule_id} {first}"
        case "default":
            return f"{_no_rule(definition)} {_default_text(definition)}"
        case _:
            return f"{_no_rule(definition)} there is no default agent, and no agent at the entry"


def _no_rule(definition: PipelineDefinition) -> str:
    if definition.topology not in ("pipeline", "swarm"):
        return f"in a {definition.topology} no rule is checked, and"
    return "no rule holds, and" if definition.rules else "there is no rule, and"


def _default_text(definition: PipelineDefinition) -> str:
    if definition.topology in ("pipeline", "swarm") and definition.default_agent_id:
        return "it is the default agent"
    return "it serves the entry"


def _affinity(
    definition: PipelineDefinition, explained: RoutingExplanation, state: ConversationState
) -> TesterStep:
    name = "Active agent"
    active = state.active_agent_id
    if explained.decision.by == "human":
        return TesterStep(name, "chose", "The human has the conversation, so no agent answers.")
    if explained.decision.by == "affinity":
        return TesterStep(
            name,
            "chose",
            f"{_agent_name(definition, active)} has the conversation and answers again.",
        )
    if active is None:
        return TesterStep(name, "unmet", "No agent has the conversation yet.")
    return TesterStep(name, "unmet", f"{active} had the conversation and does not keep it.")


def _text(definition: PipelineDefinition, result: RuleResult) -> str:
    match result.outcome:
        case "chose":
            return f"holds: it goes to {_agent_name(definition, result.rule.agent_id)}."
        case "unmet":
            return "does not hold."
        case "failed":
            return "could not be checked, so it is skipped."
        case "absent":
            return f"is skipped: there is no agent {result.rule.agent_id}."


def _default(definition: PipelineDefinition, explained: RoutingExplanation) -> TesterStep:
    decision = explained.decision
    if decision.by == "default":
        name = _agent_name(definition, decision.agent_id)
        return TesterStep("Default", "chose", f"{name}: {_default_text(definition)}.")
    if decision.by == "nobody":
        return TesterStep("Default", "unmet", "There is no agent to answer when no rule holds.")
    return TesterStep("Default", "unasked", "is not needed.")

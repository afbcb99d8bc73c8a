"""To whom a message goes, and why: the router's own explanation in words."""

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
    """One condition of a rule, and what it answered."""

    clause: Clause
    holds: bool
    instead: str
    """Actual value in place of the required one; or the condition's error."""


@dataclass(frozen=True, slots=True)
class TesterStep:
    """One step on the way to an answer."""

    name: str
    answer: str
    """`chose`, `unmet`, `failed`, `absent` or `unasked`."""
    words: str
    asked: Sequence[TestedCondition] = ()


@dataclass(frozen=True, slots=True)
class RoutingAnswer:
    """Routing decision for a message, in a sentence and step by step."""

    sentence: str
    steps: Sequence[TesterStep]


def answer(
    definition: PipelineDefinition,
    message: InboundMessage,
    state: ConversationState,
    context: RoutingContext,
) -> RoutingAnswer:
    """Ask the router that the engine asks."""
    explained = router_of(definition).explain(message, state, context)
    rules = {rule.id: rule for rule in definition.rules}

    def value(clause: Clause) -> str:
        found = value_of(clause.field, message, context, state) if clause.field else None
        return "nothing" if found in (None, "") else str(found)

    steps = [_affinity(definition, explained, state)]
    for result in explained.results:
        tested = _tested(rules[result.rule.id], result, value)
        words = _words(definition, result)
        steps.append(TesterStep(result.rule.id, result.outcome, words, tested))
    steps += [
        TesterStep(rule.id, "unasked", "is not asked any more.") for rule in explained.unevaluated
    ]
    steps.append(_default(definition, explained))
    sentence = (
        f"{_message(message, state)} goes to {_who(definition, explained)},"
        f" because {_why(definition, explained)}."
    )
    return RoutingAnswer(sentence, steps)


def _tested(
    rule: Rule, result: RuleResult, value: Callable[[Clause], str]
) -> list[TestedCondition]:
    answers = {one.name: one for one in result.conditions}
    found = []
    for clause in clauses(rule.conditions):
        if (one := answers.get(clause.name)) is None:
            continue
        instead = one.error or ("" if one.holds or not clause.field else f"it is {value(clause)}")
        found.append(TestedCondition(clause, one.holds, instead))
    return found


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


def _called(definition: PipelineDefinition, key: str | None) -> str:
    agent = definition.agents_by_id.get(key or "")
    return agent.name if agent else f"the group of {key}"


def _who(definition: PipelineDefinition, explained: RoutingExplanation) -> str:
    decision = explained.decision
    if decision.by == "human":
        return "the human"
    return "nobody" if decision.agent_id is None else _called(definition, decision.agent_id)


def _why(definition: PipelineDefinition, explained: RoutingExplanation) -> str:
    decision = explained.decision
    match decision.by:
        case "human":
            return "the human has the conversation"
        case "affinity":
            return "whoever has the conversation answers again"
        case "rule":
            first = "is the first that holds" if len(explained.results) > 1 else "holds"
            return f"rule {decision.rule_id} {first}"
        case "default":
            return f"{_no_rule(definition)} {_usual(definition)}"
        case _:
            return f"{_no_rule(definition)} there is no default agent, and nobody at the entry"


def _no_rule(definition: PipelineDefinition) -> str:
    if definition.topology not in ("pipeline", "swarm"):
        return f"in a {definition.topology} no rule is asked, and"
    return "no rule holds, and" if definition.rules else "there is no rule, and"


def _usual(definition: PipelineDefinition) -> str:
    if definition.topology in ("pipeline", "swarm") and definition.default_agent_id:
        return "that is the default agent"
    return "that is who serves the entry"


def _affinity(
    definition: PipelineDefinition, explained: RoutingExplanation, state: ConversationState
) -> TesterStep:
    name = "Who has it"
    active = state.active_agent_id
    if explained.decision.by == "human":
        return TesterStep(
            name, "chose", "The human has the conversation, so that no agent answers."
        )
    if explained.decision.by == "affinity":
        return TesterStep(
            name, "chose", f"{_called(definition, active)} has it, and answers again."
        )
    if active is None:
        return TesterStep(name, "unmet", "Nobody has the conversation yet.")
    return TesterStep(name, "unmet", f"{active} had the conversation, and does not keep it.")


def _words(definition: PipelineDefinition, result: RuleResult) -> str:
    match result.outcome:
        case "chose":
            return f"holds: it goes to {_called(definition, result.rule.agent_id)}."
        case "unmet":
            return "does not hold."
        case "failed":
            return "could not be asked, so that it is passed over."
        case "absent":
            return f"is passed over: there is no agent {result.rule.agent_id}."


def _default(definition: PipelineDefinition, explained: RoutingExplanation) -> TesterStep:
    decision = explained.decision
    if decision.by == "default":
        who = _called(definition, decision.agent_id)
        return TesterStep("Default", "chose", f"{who}: {_usual(definition)}.")
    if decision.by == "nobody":
        return TesterStep("Default", "unmet", "There is nobody who answers where no rule holds.")
    return TesterStep("Default", "unasked", "is not needed.")

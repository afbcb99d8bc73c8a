"""Routing of a message to a stage: the active agent, then the rules, then the default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass
class IncomingMessage:
    """A message from outside."""

    text: str
    channel_type: str = "web"
    intent: str | None = None
    source_channel_id: str | None = None


@dataclass
class State:
    """State of a conversation. Keep one for each conversation, and update it after each run."""

    phase: str
    """The current stage."""
    active_agent_id: str | None = None
    """The agent that answered last; None before the first message."""
    messages: int = 0
    """Number of earlier messages."""
    handoff_count: int = 0
    channel: str = "same"
    variables: dict[str, str] = field(default_factory=dict)
    with_human: bool = False
    """True if a person has the conversation, so that no agent answers."""


@dataclass
class FieldComparison:
    """A comparison; case does not matter."""

    field: str
    operator: str
    value: str | int | Sequence[str]


@dataclass
class RouteRule:
    """A rule: its agent answers if all conditions hold. None allows any value."""

    id: str
    agent: str
    priority: int = 0
    phases: Sequence[str] | None = None
    channel_types: Sequence[str] | None = None
    intents: Sequence[str] | None = None
    source_channel_ids: Sequence[str] | None = None
    match: str = "all"
    rows: Sequence[FieldComparison] = ()
    expression: str | None = None
    """A CEL expression, evaluated last."""

    def holds(self, message: IncomingMessage, state: State) -> bool:
        """Report whether all conditions hold."""
        sets = (
            (self.phases, state.phase),
            (self.channel_types, message.channel_type),
            (self.intents, message.intent),
            (self.source_channel_ids, message.source_channel_id),
        )
        if not all(allowed is None or value in allowed for allowed, value in sets):
            return False
        rows = (row_holds(row, message, state) for row in self.rows)
        if self.rows and not (
            all(rows) if self.match == "all" else any(rows) == (self.match == "any")
        ):
            return False
        return self.expression is None or evaluate(self.expression, message, state)


@dataclass
class Router:
    """Rules and stages of a pipeline."""

    rules: Sequence[RouteRule]
    """Rules by priority, the lowest first."""
    default: str | None
    """The agent that answers if no rule matches."""
    entry: str | None
    stages: Mapping[str, Sequence[str]]
    """Stages of each agent."""
    targets: Mapping[str, Sequence[str]]
    """Stages that follow a stage."""
    sticky: bool = True
    """True if the active agent answers again; False if every message begins at the entry."""

    def agent_for(self, message: IncomingMessage, state: State) -> str | None:
        """Return the id of the agent that answers a message, or None."""
        if state.with_human:
            return None
        if self.sticky and state.active_agent_id is not None:
            return state.active_agent_id
        for rule in self.rules:
            if rule.holds(message, state):
                return rule.agent
        return self.default

    def route(self, message: IncomingMessage, state: State) -> str | None:
        """Return the stage that answers a message; for an agent without a stage, its id."""
        agent = self.agent_for(message, state)
        if agent is None:
            return None
        stages = self.stages.get(agent, ())
        if not stages:
            return agent
        if not self.sticky and self.entry in stages:
            return self.entry
        if state.phase in stages:
            return state.phase
        if self.entry in stages:
            return self.entry
        return next(
            (each for each in self.targets.get(state.phase, ()) if each in stages), stages[0]
        )


def row_holds(row: FieldComparison, message: IncomingMessage, state: State) -> bool:
    """Report whether a comparison holds. A missing value is an empty text."""
    value = value_of(row.field, message, state)
    if isinstance(value, int):
        return number_holds(row, value)
    text = (value or "").casefold()
    values = [row.value] if isinstance(row.value, (str, int)) else row.value
    words = [str(each).casefold() for each in values]
    match row.operator:
        case "is":
            return text == words[0]
        case "is_not":
            return text != words[0]
        case "contains":
            return words[0] in text
        case "starts_with":
            return text.startswith(words[0])
        case "ends_with":
            return text.endswith(words[0])
        case _:
            return text in words


def number_holds(row: FieldComparison, value: int) -> bool:
    """Report whether the comparison of a number holds."""
    values = [row.value] if isinstance(row.value, (str, int)) else row.value
    numbers = [int(each) for each in values]
    match row.operator:
        case "is":
            return value == numbers[0]
        case "is_not":
            return value != numbers[0]
        case "at_least":
            return value >= numbers[0]
        case "at_most":
            return value <= numbers[0]
        case _:
            return value in numbers


def value_of(name: str, message: IncomingMessage, state: State) -> str | int | None:
    """Return the value of a field, such as `event.intent` or `variables.plan`."""
    part, _, key = name.partition(".")
    match part:
        case "variables":
            return state.variables.get(key, "")
        case "event":
            value: str | int | None = getattr(message, key)
        case _:
            value = getattr(state, key)
    return value


def evaluate(expression: str, message: IncomingMessage, state: State) -> bool:
    """Evaluate a CEL expression over `event`, `conversation`, `state` and `variables`."""
    raise NotImplementedError(expression)

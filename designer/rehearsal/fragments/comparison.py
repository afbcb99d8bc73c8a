"""Two conversations side by side: the way each went, what was said, what it took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest

from designer.models import Conversation
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.payloads import in_short
from designer.rehearsal.fragments.spending import NOBODY, Asked, UsageTotal, cost_of, prices_of
from orchestration import events as e

MAX_STEPS = 1_000
"""Maximum number of compared steps."""

MAX_MATCHED = 300
"""Up to so many steps are laid beside those that they are like; of more the places count."""


CALLED = {
    "customer": "what the customer said",
    "answer": "an answer",
    "tool": "a tool call",
    "result": "a tool's result",
    "handoff": "a handoff",
    "refusal": "a refused handoff",
    "approval": "what was decided about a call",
    "stage": "a change of stage",
    "human": "what the human said",
    "end": "the end of a run",
}
"""Kinds of steps, in words."""


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """One thing that happened, as it is compared."""

    kind: str
    """Kind of step: a key of `CALLED`."""
    who: Speaker | None
    text: str
    seq: int
    tokens: int = 0
    milliseconds: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity of the step in the comparison."""
        return (self.kind, self.who.name if self.who else "", self.text)


@dataclass(frozen=True, slots=True)
class ComparedConversation:
    """One of the two."""

    conversation: Conversation
    path: tuple[str, ...]
    """The stages that it went through, in order."""
    steps: tuple[ComparedStep, ...]
    spent: UsageTotal
    handoffs: int
    refused: int
    end: str
    has_more: bool
    """True if the conversation has more steps."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A step of the one beside a step of the other; where one has none, None."""

    left: ComparedStep | None
    right: ComparedStep | None
    is_first: bool = False
    """True for the first difference."""

    @property
    def called(self) -> str:
        """Kind of step in words."""
        step = self.left or self.right
        return f"{CALLED[step.kind]}, event {step.seq}" if step else ""

    @property
    def differs(self) -> bool:
        """True if the two steps differ."""
        left, right = self.left, self.right
        return left is None or right is None or left.key != right.key


@dataclass(frozen=True, slots=True)
class ConversationComparison:
    """Both, and their steps in rows."""

    left: ComparedConversation
    right: ComparedConversation
    rows: tuple[ComparedRow, ...]

    @property
    def first(self) -> ComparedRow | None:
        """The first row in which they differ."""
        return next((row for row in self.rows if row.is_first), None)

    @property
    def measures(self) -> list[tuple[str, str, str]]:
        """Usage of both: name, first value, second value."""
        left, right = self.left, self.right
        shown = [
            ("Path", _path(left), _path(right)),
            ("Turns", f"{left.spent.turns}", f"{right.spent.turns}"),
            ("Handoffs", _handoffs(left), _handoffs(right)),
            ("Tokens sent", f"{left.spent.input_tokens:,}", f"{right.spent.input_tokens:,}"),
            ("Tokens answered", f"{left.spent.output_tokens:,}", f"{right.spent.output_tokens:,}"),
            ("Time of models", left.spent.seconds, right.spent.seconds),
            ("Cost", left.spent.money, right.spent.money),
            ("Ended", left.end, right.end),
        ]
        return [row for row in shown if row[1] or row[2]]


def compare(left: Conversation, right: Conversation) -> ConversationComparison:
    """Two conversations, with the first difference marked."""
    sides = _side(left), _side(right)
    return ConversationComparison(*sides, tuple(_marked(_rows(sides[0].steps, sides[1].steps))))


def _rows(left: Sequence[ComparedStep], right: Sequence[ComparedStep]) -> Iterator[ComparedRow]:
    """Steps beside those that they are like."""
    if max(len(left), len(right)) > MAX_MATCHED:
        yield from (ComparedRow(one, other) for one, other in zip_longest(left, right))
        return
    keys = [step.key for step in left], [step.key for step in right]
    for _, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        yield from (ComparedRow(one, other) for one, other in zip_longest(left[a:b], right[c:d]))


def _marked(rows: Iterator[ComparedRow]) -> Iterator[ComparedRow]:
    is_found = False
    for row in rows:
        yield replace(row, is_first=True) if row.differs and not is_found else row
        is_found = is_found or row.differs


def _side(conversation: Conversation) -> ComparedConversation:
    definition = conversation.rehearsed()
    names = Names.of(definition)
    steps: list[ComparedStep] = []
    path = [definition.entry or ""]
    asked: dict[tuple[str, str], Asked] = {}
    prices = prices_of(conversation)
    spent, handoffs, refused, end = UsageTotal(), 0, 0, ""
    for event in conversation.events():
        if event.asked_model:
            asked[event.session_id, event.run_id] = event.asked_model
        match event:
            case e.MessageCompleted():
                who = asked.get((event.session_id, event.run_id), NOBODY)
                spent = spent.plus(event.usage, cost_of(who, event.usage, prices))
            case e.HandoffAccepted():
                handoffs += 1
            case e.HandoffRejected():
                refused += 1
            case e.PhaseChanged() if event.session_id == conversation.session_id:
                path.append(event.to_phase)
            case e.RunCompleted() if event.session_id == conversation.session_id:
                end = event.reason.value.replace("_", " ")
            case e.RunFailed() if event.session_id == conversation.session_id:
                end = f"failed: {event.error}"
            case _:
                pass
        steps += _steps(event, names)
    return ComparedConversation(
        conversation,
        tuple(path),
        tuple(steps[:MAX_STEPS]),
        spent,
        handoffs,
        refused,
        end,
        len(steps) > MAX_STEPS,
    )


def _steps(event: e.Event, names: Names) -> Iterator[ComparedStep]:  # noqa: C901 - one arm for each event
    """Yield the compared steps of an event; none for an intermediate event."""
    seq, who = event.seq, names.speaker(event.agent_id) if event.agent_id else None
    match event:
        case e.MessageReceived():
            yield ComparedStep("customer", None, event.message.text, seq)
        case e.MessageCompleted() if event.text or not event.tool_calls:
            usage = event.usage
            tokens = usage.input_tokens + usage.output_tokens
            yield ComparedStep("answer", who, event.text, seq, tokens, usage.milliseconds)
        case e.ToolCalled():
            yield ComparedStep("tool", who, f"{event.call.name} {event.call.arguments}", seq)
        case e.ToolReturned():
            text = f"{event.result.name} → {event.result.for_model()}"
            yield ComparedStep("result", who, text, seq, 0, event.result.milliseconds)
        case e.ApprovalGiven():
            yield ComparedStep("approval", None, f"{event.decision} by {event.by}", seq)
        case e.HandoffAccepted():
            to = names.speaker(event.to_agent).name
            told = in_short(event.payload) or event.summary
            past = "past the check" if event.forced else ""
            text = ": ".join(filter(None, [f"to {to}", event.reason, told, past]))
            yield ComparedStep("handoff", names.speaker(event.from_agent), text, seq)
        case e.HandoffRejected():
            yield ComparedStep("refusal", who, f"to {event.target}: {names.called(event.why)}", seq)
        case e.PhaseChanged():
            yield ComparedStep("stage", None, f"{event.from_phase} → {event.to_phase}", seq)
        case e.HumanReplied():
            yield ComparedStep("human", Speaker.called(event.by), event.text, seq)
        case e.RunCompleted() if event.reason != e.StopReason.REPLIED:
            yield ComparedStep("end", None, event.reason.value.replace("_", " "), seq)
        case e.RunFailed():
            yield ComparedStep("end", None, f"failed: {event.message}", seq)
        case _:
            pass


def _path(side: ComparedConversation) -> str:
    return " → ".join(filter(None, side.path))


def _handoffs(side: ComparedConversation) -> str:
    return f"{side.handoffs}, {side.refused} refused" if side.refused else f"{side.handoffs}"

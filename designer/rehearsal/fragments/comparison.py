"""Two conversations side by side: their paths, their steps and their usage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest

from django.utils.safestring import SafeString

from designer.models import Conversation
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.path_drawing import draw_path
from designer.rehearsal.fragments.payloads import in_short
from designer.rehearsal.fragments.spending import (
    UNKNOWN_MODEL,
    ModelKey,
    UsageTotal,
    cost_of,
    prices_of,
)
from orchestration import events as e

MAX_STEPS = 1_000
"""Maximum number of compared steps."""

MAX_MATCHED = 300
"""Maximum number of steps that are aligned by content; more steps are aligned by position."""


LABELS = {
    "customer": "a message of the customer",
    "answer": "an answer",
    "tool": "a tool call",
    "result": "a tool's result",
    "handoff": "a handoff",
    "refusal": "a refused handoff",
    "approval": "a decision about a call",
    "stage": "a change of stage",
    "human": "an answer of the human",
    "end": "the end of a run",
}
"""Labels of the kinds of steps."""


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """Compared event of a conversation."""

    kind: str
    """Kind of step: a key of `LABELS`."""
    speaker: Speaker | None
    text: str
    seq: int
    tokens: int = 0
    milliseconds: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity of the step in the comparison."""
        return (self.kind, self.speaker.name if self.speaker else "", self.text)


@dataclass(frozen=True, slots=True)
class ComparedConversation:
    """One of the two compared conversations."""

    conversation: Conversation
    path: tuple[str, ...]
    """Visited stages, in order."""
    steps: tuple[ComparedStep, ...]
    spent: UsageTotal
    handoffs: int
    refused: int
    end: str
    has_more: bool
    """True if the conversation has more steps."""
    drawing: SafeString
    """Canvas with the path."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Aligned steps of both conversations; None if one of them has no such step."""

    left: ComparedStep | None
    right: ComparedStep | None
    number: int = 0
    """Number of the difference that begins with this row, from 1; 0 for any other row."""

    @property
    def label(self) -> str:
        """Kind and event of the step."""
        step = self.left or self.right
        return f"{LABELS[step.kind]}, event {step.seq}" if step else ""

    @property
    def is_first(self) -> bool:
        """True for the first difference."""
        return self.number == 1

    @property
    def differs(self) -> bool:
        """True if the two steps differ."""
        left, right = self.left, self.right
        return left is None or right is None or left.key != right.key


@dataclass(frozen=True, slots=True)
class ConversationComparison:
    """Both conversations, with their steps in rows."""

    left: ComparedConversation
    right: ComparedConversation
    rows: tuple[ComparedRow, ...]

    @property
    def first(self) -> ComparedRow | None:
        """First row with a difference."""
        return next((row for row in self.rows if row.is_first), None)

    @property
    def differences(self) -> int:
        """Number of differences: of rows in a row that differ."""
        return max((row.number for row in self.rows), default=0)

    @property
    def measures(self) -> list[tuple[str, str, str]]:
        """Usage of both: name, first value, second value."""
        left, right = self.left, self.right
        rows = [
            ("Path", _path(left), _path(right)),
            ("Turns", f"{left.spent.turns}", f"{right.spent.turns}"),
            ("Handoffs", _handoffs(left), _handoffs(right)),
            ("Tokens sent", f"{left.spent.input_tokens:,}", f"{right.spent.input_tokens:,}"),
            ("Tokens answered", f"{left.spent.output_tokens:,}", f"{right.spent.output_tokens:,}"),
            ("Time of models", left.spent.seconds, right.spent.seconds),
            ("Cost", left.spent.money, right.spent.money),
            ("Ended", left.end, right.end),
        ]
        return [row for row in rows if row[1] or row[2]]


def compare(left: Conversation, right: Conversation) -> ConversationComparison:
    """Compare two conversations, and number their differences."""
    sides = _side(left), _side(right)
    return ConversationComparison(*sides, tuple(_numbered(_rows(sides[0].steps, sides[1].steps))))


def _rows(left: Sequence[ComparedStep], right: Sequence[ComparedStep]) -> Iterator[ComparedRow]:
    """Yield the aligned steps."""
    if max(len(left), len(right)) > MAX_MATCHED:
        yield from (ComparedRow(*steps) for steps in zip_longest(left, right))
        return
    keys = [step.key for step in left], [step.key for step in right]
    for _, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        yield from (ComparedRow(*steps) for steps in zip_longest(left[a:b], right[c:d]))


def _numbered(rows: Iterator[ComparedRow]) -> Iterator[ComparedRow]:
    number, is_within = 0, False
    for row in rows:
        if row.differs and not is_within:
            number += 1
            yield replace(row, number=number)
        else:
            yield row
        is_within = row.differs


def _side(conversation: Conversation) -> ComparedConversation:
    definition = conversation.snapshot()
    names = Names.of(definition)
    steps: list[ComparedStep] = []
    path = [definition.entry or ""]
    models: dict[tuple[str, str], ModelKey] = {}
    prices = prices_of(conversation.pk)
    spent, handoffs, refused, end = UsageTotal(), 0, 0, ""
    for event in conversation.events():
        if event.asked_model:
            models[event.session_id, event.run_id] = event.asked_model
        match event:
            case e.MessageCompleted():
                model = models.get((event.session_id, event.run_id), UNKNOWN_MODEL)
                spent = spent.plus(event.usage, cost_of(model, event.usage, prices))
            case e.HandoffAccepted():
                handoffs += 1
            case e.HandoffRejected():
                refused += 1
            case e.RunStarted(message=message) if message is not None and event.seq == 1:
                path[0] = message.start_phase or path[0]
            case e.PhaseChanged() if event.session_id == conversation.session_id:
                path.append(event.to_phase)
            case e.RunCompleted() if event.session_id == conversation.session_id:
                end = event.reason.value.replace("_", " ")
            case e.RunFailed() if event.session_id == conversation.session_id:
                end = f"failed: {event.error}"
            case _:
                pass
        steps += _steps(event, names, conversation.session_id)
    return ComparedConversation(
        conversation,
        tuple(path),
        tuple(steps[:MAX_STEPS]),
        spent,
        handoffs,
        refused,
        end,
        len(steps) > MAX_STEPS,
        draw_path(definition, list(filter(None, path))),
    )


def _steps(event: e.Event, names: Names, session_id: str) -> Iterator[ComparedStep]:  # noqa: C901 - one arm for each event
    """Yield the compared steps of an event; none for an intermediate event.

    A message of another session is the task of a group, a worker or the supervisor.
    """
    seq, speaker = event.seq, names.speaker(event.agent_id) if event.agent_id else None
    match event:
        case e.MessageReceived() if event.session_id == session_id:
            yield ComparedStep("customer", None, event.message.text, seq)
        case e.MessageCompleted() if event.text or not event.tool_calls:
            usage = event.usage
            tokens = usage.input_tokens + usage.output_tokens
            yield ComparedStep("answer", speaker, event.text, seq, tokens, usage.milliseconds)
        case e.ToolCalled():
            yield ComparedStep("tool", speaker, f"{event.call.name} {event.call.arguments}", seq)
        case e.ToolReturned():
            text = f"{event.result.name} → {event.result.for_model()}"
            yield ComparedStep("result", speaker, text, seq, 0, event.result.milliseconds)
        case e.ApprovalGiven():
            yield ComparedStep("approval", None, f"{event.decision} by {event.by}", seq)
        case e.HandoffAccepted():
            to = names.speaker(event.to_agent).name
            details = in_short(event.payload) or event.summary
            forced = "past the check" if event.forced else ""
            why = " · ".join(filter(None, [event.reason, details, forced]))
            text = ": ".join(filter(None, [f"to {to}", why]))
            yield ComparedStep("handoff", names.speaker(event.from_agent), text, seq)
        case e.HandoffRejected():
            yield ComparedStep(
                "refusal", speaker, f"to {event.target}: {names.replace_ids(event.why)}", seq
            )
        case e.PhaseChanged():
            yield ComparedStep("stage", None, f"{event.from_phase} → {event.to_phase}", seq)
        case e.HumanReplied():
            yield ComparedStep("human", Speaker.named(event.by), event.text, seq)
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

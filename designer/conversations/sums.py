"""Sums of a conversation's events, as columns of its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from designer.models import MAX_FIRST_WORDS, ConversationSummary
from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRejected,
    HumanJoined,
    HumanLeft,
    MessageCompleted,
    MessageReceived,
    PhaseChanged,
    RunCompleted,
    RunFailed,
    RunStarted,
    StopReason,
)
from orchestration.messages import Usage

ModelKey = tuple[str, str]
"""Names of a provider and its model."""

CostOf = Callable[[ModelKey, Usage], float | None]
"""Returns the cost of a model call; None without a price."""

FirstWordOf = Callable[[str], datetime | None]
"""Returns the time of the first text of a run, by its id; None if it is unknown."""

REJECTED = "!"
"""Mark of a rejected handoff in a path."""

MAX_STEPS = 40
"""Maximum number of steps of a path."""

MAX_PATH = 1_000
"""Maximum length of a path; PostgreSQL indexes no longer texts."""

MAX_TIMES = 20
"""Maximum number of stored times of one agent."""

MAX_REJECTED = 50
"""Maximum number of different rejections that are counted apart."""


class SumsReader:
    """Adds events to the sums of a summary, from the start of a run to its end."""

    def __init__(
        self,
        summary: ConversationSummary,
        session_id: str,
        cost_of: CostOf,
        first_word_of: FirstWordOf = lambda _: None,
        copied: int = 0,
    ) -> None:
        """Create a reader; `copied` is the number of the last event that a fork copied."""
        self._summary = summary
        self._session_id = session_id
        self._cost_of = cost_of
        self._first_word_of = first_word_of
        self._copied = copied
        self._models: dict[str, ModelKey] = {}
        self._started_at: datetime | None = None
        self._answered_at: datetime | None = None
        self._speaker = ""

    def add(self, events: Iterable[Event]) -> None:
        """Add events in order; `seq` advances to the last one."""
        for event in events:
            self._add_usage(event)
            if event.session_id == self._session_id:
                self._add_own(event)
            self._summary.seq = event.seq
            self._summary.last_at = event.at

    def _add_usage(self, event: Event) -> None:
        """Add the usage of a model call, those of subtasks and the supervisor too."""
        if event.asked_model:
            self._models[event.session_id] = event.asked_model
        if not isinstance(event, MessageCompleted):
            return
        summary, usage = self._summary, event.usage
        summary.turns += 1
        tokens = usage.input_tokens + usage.output_tokens
        summary.tokens += tokens
        cost = self._cost_of(self._models.get(event.session_id, ("", "")), usage)
        summary.cost += cost or 0.0
        summary.unpriced += cost is None
        if event.seq <= self._copied:
            summary.copied_tokens += tokens
            summary.copied_cost += cost or 0.0

    def _add_own(self, event: Event) -> None:
        """Add an event of the main conversation."""
        summary = self._summary
        match event:
            case RunStarted():
                add_start(summary, event)
                self._started_at, self._answered_at, self._speaker = event.at, None, ""
            case MessageReceived() if not summary.path:
                self._step(event.phase)
            case MessageCompleted() if event.agent_id:
                self._add_speaker(event)
            case HandoffAccepted():
                summary.handoffs += 1
                self._step(event.to_phase)
            case PhaseChanged() if self._last_step() != event.to_phase:
                self._step(event.to_phase)
            case HandoffRejected():
                self._reject(event)
            case HumanJoined() if summary.outcome != "running":
                summary.outcome = StopReason.WAITING_FOR_HUMAN.value
            case HumanLeft() if summary.outcome == StopReason.WAITING_FOR_HUMAN.value:
                summary.outcome = StopReason.REPLIED.value
            case RunCompleted() | RunFailed():
                self._end(event)

    def _add_speaker(self, event: MessageCompleted) -> None:
        agent_id = event.agent_id or ""
        if f" {agent_id} " not in self._summary.agents:
            self._summary.agents = f"{self._summary.agents.rstrip()} {agent_id} "
        if event.text:
            self._answered_at = self._answered_at or event.at
            self._speaker = agent_id

    def _reject(self, event: HandoffRejected) -> None:
        summary = self._summary
        summary.rejections += 1
        self._step(REJECTED)
        if event.seq <= self._copied:
            return
        target = event.to_phase or event.to_agent or event.target.split(" ")[0][:64] or "?"
        key = f"{event.phase} {target} {event.code}"
        if key in summary.rejected or len(summary.rejected) < MAX_REJECTED:
            summary.rejected[key] = summary.rejected.get(key, 0) + 1

    def _end(self, event: RunCompleted | RunFailed) -> None:
        summary, started_at = self._summary, self._started_at
        first_at = self._first_word_of(event.run_id) or self._answered_at
        summary.outcome = event.reason.value if isinstance(event, RunCompleted) else "failed"
        self._started_at = None
        if started_at is None:
            return
        seconds = max(0.0, (event.at - started_at).total_seconds())
        summary.seconds += seconds
        if not self._speaker or event.seq <= self._copied:
            return
        times = summary.answer_times.setdefault(self._speaker, [])
        if first_at is not None and len(times) < MAX_TIMES:
            first = max(0.0, (first_at - started_at).total_seconds())
            times.append([round(first, 3), round(seconds, 3)])

    def _step(self, phase: str) -> None:
        steps = self._summary.path.split()
        path = " ".join([*steps, phase])
        if len(steps) < MAX_STEPS and len(path) <= MAX_PATH:
            self._summary.path = path

    def _last_step(self) -> str:
        steps = [step for step in self._summary.path.split() if step != REJECTED]
        return steps[-1] if steps else ""


def add_start(summary: ConversationSummary, event: RunStarted) -> None:
    """Set the columns that change at the start of a run."""
    summary.outcome = "running"
    summary.last_at = event.at
    message = event.message
    if message is not None and not summary.channel:
        summary.channel = message.channel_type[:40]
        words = " ".join(message.text.split()).replace("\0", "\N{REPLACEMENT CHARACTER}")
        summary.first_words = words[:MAX_FIRST_WORDS]

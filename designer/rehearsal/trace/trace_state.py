"""State of a rendered trace, and the conversations in it: the main one and its subtasks'."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Self

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import (
    UNKNOWN_MODEL,
    ModelKey,
    Price,
    UsageTotal,
    call_cost_of,
    cost_of,
)
from designer.rehearsal.trace.supervisor_calls import SupervisorCall
from orchestration import events as e
from orchestration.conversation import SWARM_MARK, Budget, RunLimits
from orchestration.definition import PipelineDefinition
from orchestration.messages import SubtaskRequest

HumanStatus = Literal["", "waits", "taken", "ended"]
"""Human's part in the conversation: "" while an agent has it; otherwise it waits for a human, is
taken by one, or has ended without a later message.
"""

FindPipeline = Callable[[SubtaskRequest], PipelineDefinition | None]
"""Function that returns the pipeline of a subtask."""


@dataclass(frozen=True, slots=True)
class TracedConversation:
    """The conversation of an event, and its display: the main one or that of a subtask."""

    names: Names
    kind: e.TaskKind | None = None
    """Kind of subtask; None for the main conversation."""
    title: str = ""
    """Executor: an agent's id, a stage's phase, a pipeline's name."""
    label: str = ""
    """Name of the executor for people."""
    task_id: str = ""
    caller_phase: str = ""
    """Phase that requested the subtask."""
    depth: int = 0
    """Nesting depth of the conversation."""
    speaks_to_user: bool = True
    """False for delegates and other pipelines: only members of a group speak to the user."""
    is_on_canvas: bool = True
    """True if the canvas shows its stages; false for another pipeline and for the supervisor."""

    def subtask(self, event: e.SubtaskStarted, find_pipeline: FindPipeline) -> TracedConversation:
        """Return the conversation of a subtask that was started in this one."""
        if event.kind == "subtask":
            names = self.names.of_subtask(find_pipeline(event.request) if event.request else None)
            label = event.title
        else:
            names, label = self.names, self.names.speaker(event.title).name
        return TracedConversation(
            names,
            event.kind,
            event.title,
            label,
            event.task_id,
            event.phase,
            self.depth + 1,
            self.speaks_to_user and event.kind == "member",
            self.is_on_canvas and event.kind not in ("subtask", "supervision"),
        )


@dataclass(slots=True)
class TraceState:
    """State of a rendered trace: the effects of earlier events on later ones."""

    own: TracedConversation
    """The main conversation."""
    find_pipeline: FindPipeline
    tasks: dict[str, TracedConversation] = field(default_factory=dict)
    """Conversations of the subtasks in progress, by session id."""
    open: set[str] = field(default_factory=set)
    """Ids of the page's elements that a later event completes."""
    models: dict[tuple[str, str], ModelKey] = field(default_factory=dict)
    """Provider and model of each turn in progress, by session and run."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices of connections, by their names."""
    human: str = ""
    """Name of the answering human; empty without one."""
    human_status: HumanStatus = ""
    """The human's part in the main conversation."""
    answered_phase: str = ""
    """Stage that has answered in the current run, or in the last one."""
    end_phase: str = ""
    """Stage in which the main conversation reached its end; empty if it has not."""
    spent: UsageTotal = field(default_factory=UsageTotal)
    """Usage of all turns."""
    spent_by_run: UsageTotal = field(default_factory=UsageTotal)
    """Usage of the current run's turns, including its subtasks."""
    context_tokens: int = 0
    """Tokens of the request of the main conversation's last turn in the current run."""
    budget: Budget = field(default_factory=Budget)
    """Budget of the current run, or of the last one."""
    call: SupervisorCall | None = None
    """Call of the supervisor in progress."""

    @classmethod
    def of(
        cls,
        names: Names,
        find_pipeline: FindPipeline = lambda _: None,
        prices: Mapping[str, Price] | None = None,
    ) -> Self:
        """Return the state before the first event."""
        prices = prices or {}
        budget = Budget(RunLimits.of(names.limits), call_cost_of(prices))
        return cls(TracedConversation(names), find_pipeline, prices=prices, budget=budget)

    def copy(self) -> TraceState:
        """Return an independent copy."""
        return replace(
            self,
            tasks=dict(self.tasks),
            open=set(self.open),
            models=dict(self.models),
            budget=self.budget.copy(),
        )

    def conversation_of(self, event: e.Event) -> TracedConversation:
        """Return the conversation of an event."""
        session_id = event.session_id
        traced = self.tasks.get(session_id)
        if traced is None and self.tasks:
            # In a swarm, the turns of each peer have a session id of their own.
            traced = self.tasks.get(session_id.rpartition(SWARM_MARK)[0])
        return traced or self.own

    def model_of(self, event: e.MessageCompleted) -> str:
        """Return the model of an answer; empty if its turn is unknown."""
        return self.models.get((event.session_id, event.run_id), UNKNOWN_MODEL)[1]

    def cost_of(self, event: e.MessageCompleted) -> float | None:
        """Return the cost of the turn that an event completes; None if unknown."""
        model = self.models.get((event.session_id, event.run_id), UNKNOWN_MODEL)
        return cost_of(model, event.usage, self.prices)

    def count_in_budget(self, event: e.Event, traced: TracedConversation, budget: Budget) -> Budget:
        """Add the usage of an event to a budget of the current run, and return the budget."""
        match event:
            case e.RunStarted() if traced.kind is None:
                budget.start()
            case e.ModelCallEvent():
                budget.calls += 1
            case e.MessageCompleted():
                model = self.models.get((event.session_id, event.run_id), UNKNOWN_MODEL)
                budget.add_usage(model, event.usage, event.at)
            case e.ToolReturned():
                budget.add_work(event.result.milliseconds, event.at)
            case _:
                pass
        return budget

    def set_start(self, at: datetime) -> None:
        """Set the start time of the conversation."""
        self.own = replace(self.own, names=replace(self.own.names, started_at=at))

    def human_status_after(self, event: e.Event, traced: TracedConversation) -> HumanStatus:
        """Return the human's part after an event that is not applied yet."""
        match event:
            case e.HandoffAccepted(to_agent=to_agent) if traced.kind is None:
                return "waits" if to_agent is None else ""
            case e.HumanJoined():
                return "taken"
            case e.HumanLeft(ended=ended):
                return "ended" if ended else ""
            case e.RunCompleted(reason=e.StopReason.WAITING_FOR_HUMAN) if traced.kind is None:
                return self.human_status if self.human_status == "taken" else "waits"
            case _:
                return self.human_status

    @property
    def has_ended(self) -> bool:
        """True if the main conversation reached its end, or a person ended it."""
        return bool(self.end_phase) or self.human_status == "ended"

    def end_phase_after(self, event: e.Event, traced: TracedConversation) -> str:
        """Return the stage in which the conversation has ended after an event, or ""."""
        if traced.kind is not None:
            return self.end_phase
        match event:
            case e.RunCompleted(reason=e.StopReason.REPLIED, phase=phase):
                is_end = phase == self.answered_phase and phase in traced.names.ends
                return phase if is_end else ""
            case e.RunStarted() | e.HandoffAccepted() | e.HumanJoined():
                return ""
            case _:
                return self.end_phase

    def apply(self, event: e.Event, traced: TracedConversation) -> None:
        """Include an event in the state."""
        if self.own.names.started_at is None:
            self.set_start(event.at)
        self.human_status = self.human_status_after(event, traced)
        self.end_phase = self.end_phase_after(event, traced)
        self._note_answer(event, traced)
        if event.asked_model:
            self.models[event.session_id, event.run_id] = event.asked_model
        self.count_in_budget(event, traced, self.budget)
        self._apply_to_call(event, traced)
        match event:
            case e.SubtaskStarted():
                self.tasks[event.task_id] = traced.subtask(event, self.find_pipeline)
            case e.SubtaskCompleted():
                self.tasks.pop(event.task_id, None)
            case e.HumanJoined(by=by):
                self.human = by
            case e.HumanLeft():
                self.human = ""
            case e.MessageCompleted(usage=usage):
                cost = self.cost_of(event)
                self.spent = self.spent.plus(usage, cost)
                self.spent_by_run = self.spent_by_run.plus(usage, cost)
                self.models.pop((event.session_id, event.run_id), None)
            case e.RunStarted() | e.TurnStarted() if traced.kind is None:
                self._note_start(event)
            case e.RunCompleted() | e.RunFailed() if traced.kind is None:
                self.tasks.clear()
                self.open.clear()
                self.models.clear()
                self.call = None
            case _:
                pass

    def _note_start(self, event: e.RunStarted | e.TurnStarted) -> None:
        """Begin the sums of a run, or keep the context of a turn."""
        if isinstance(event, e.TurnStarted):
            self.context_tokens = event.context_tokens
        else:
            self.spent_by_run = UsageTotal()

    def _note_answer(self, event: e.Event, traced: TracedConversation) -> None:
        match event:
            case e.RunStarted() if traced.kind is None:
                self.answered_phase = ""
            case e.MessageCompleted(tool_calls=()) if traced.kind is None:
                self.answered_phase = event.phase
            case e.SubtaskCompleted(kind="member") if traced.kind is None:
                self.answered_phase = event.phase

    def _apply_to_call(self, event: e.Event, traced: TracedConversation) -> None:
        """Include an event in the supervisor's call in progress."""
        match event:
            case e.SubtaskStarted(kind="supervision"):
                self.call = SupervisorCall(traced.names.speaker(event.title).name)
            case e.SubtaskCompleted(kind="supervision"):
                self.call = None
            case _ if self.call is not None and traced.kind == "supervision":
                cost = self.cost_of(event) if isinstance(event, e.MessageCompleted) else None
                self.call = self.call.after(event, traced.names, cost)

"""The conversations that one trace tells of: the rehearsal's own, and those of its subtasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Self

from designer.rehearsal.fragments.names import Names
from designer.rehearsal.fragments.spending import NOBODY, Asked, Price, UsageTotal, cost_of
from orchestration import events as e
from orchestration.conversation import SWARM_MARK
from orchestration.definition import PipelineDefinition
from orchestration.messages import SubtaskRequest

Given = Literal["", "waits", "taken", "ended"]
"""Human's part: "" while an agent has the conversation; otherwise it waits for a human, is taken,
or has ended and nobody has written since.
"""

FindPipeline = Callable[[SubtaskRequest], PipelineDefinition | None]
"""Finds the pipeline that a subtask runs."""


@dataclass(frozen=True, slots=True)
class TracedConversation:
    """One of these conversations, and how its events are to be shown."""

    names: Names
    kind: e.TaskKind | None = None
    """Kind of subtask; None for the rehearsal's own conversation."""
    title: str = ""
    """Name of the executor: an agent's id, a stage's phase, a pipeline's name."""
    called: str = ""
    """The same as people read it."""
    task_id: str = ""
    asked_in: str = ""
    """The phase from which the subtask was asked for."""
    depth: int = 0
    """Nesting depth of the conversation."""
    is_heard: bool = True
    """True if it speaks to the user: a group's members do, a delegate does not."""
    is_drawn: bool = True
    """True if its stages are those of the canvas; a subtask's pipeline has others."""

    def within(self, event: e.SubtaskStarted, find: FindPipeline) -> TracedConversation:
        """The scene of a subtask that this one began."""
        if event.kind == "subtask":
            names = self.names.of_subtask(find(event.request) if event.request else None)
            called = event.title
        else:
            names, called = self.names, self.names.speaker(event.title).name
        return TracedConversation(
            names,
            event.kind,
            event.title,
            called,
            event.task_id,
            event.phase,
            self.depth + 1,
            self.is_heard and event.kind == "member",
            self.is_drawn and event.kind != "subtask",
        )


@dataclass(slots=True)
class TraceState:
    """State of a rendered trace: the effects of earlier events on later ones."""

    own: TracedConversation
    """The scene of the rehearsal's own conversation."""
    find: FindPipeline
    tasks: dict[str, TracedConversation] = field(default_factory=dict)
    """The subtasks under way, by their session ids."""
    open: set[str] = field(default_factory=set)
    """Elements of the page that wait for what a later event brings, by their ids."""
    asked: dict[tuple[str, str], Asked] = field(default_factory=dict)
    """Provider and model of each turn in progress, by session and run."""
    prices: Mapping[str, Price] = field(default_factory=dict)
    """Prices of connections, by their names."""
    human: str = ""
    """Name of the answering human; empty without one."""
    given: Given = ""
    """The human's part in the conversation."""
    spent: UsageTotal = field(default_factory=UsageTotal)
    """Usage of all turns."""
    spent_by_run: UsageTotal = field(default_factory=UsageTotal)
    """Usage of the current run's turns, its subtasks included."""

    @classmethod
    def of(
        cls,
        names: Names,
        find: FindPipeline = lambda _: None,
        prices: Mapping[str, Price] | None = None,
    ) -> Self:
        """A trace of which nothing was told yet."""
        return cls(TracedConversation(names), find, prices=prices or {})

    def copy(self) -> TraceState:
        """The same, to be gone on with apart."""
        return replace(self, tasks=dict(self.tasks), open=set(self.open), asked=dict(self.asked))

    def scene_of(self, event: e.Event) -> TracedConversation:
        """The conversation that an event is of. In a swarm each peer's turns have their own ids."""
        session_id = event.session_id
        found = self.tasks.get(session_id)
        if found is None and self.tasks:
            found = self.tasks.get(session_id.rpartition(SWARM_MARK)[0])
        return found or self.own

    def model_of(self, event: e.MessageCompleted) -> str:
        """The model whose answer an event is; empty where its turn is not known."""
        return self.asked.get((event.session_id, event.run_id), NOBODY)[1]

    def cost_of(self, event: e.MessageCompleted) -> float | None:
        """Return the cost of the turn that an event completes; None if unknown."""
        asked = self.asked.get((event.session_id, event.run_id), NOBODY)
        return cost_of(asked, event.usage, self.prices)

    def begin(self, at: datetime) -> None:
        """Take in when the conversation began."""
        self.own = replace(self.own, names=replace(self.own.names, began=at))

    def given_after(self, event: e.Event, scene: TracedConversation) -> Given:
        """Return the human's part after an event that is not included yet."""
        match event:
            case e.HandoffAccepted(to_agent=to_agent) if scene.kind is None:
                return "waits" if to_agent is None else ""
            case e.HumanJoined():
                return "taken"
            case e.HumanLeft(ended=ended):
                return "ended" if ended else ""
            case e.RunCompleted(reason=e.StopReason.WAITING_FOR_HUMAN) if scene.kind is None:
                return self.given if self.given == "taken" else "waits"
            case _:
                return self.given

    def take(self, event: e.Event, scene: TracedConversation) -> None:
        """Take in that an event was told."""
        if self.own.names.began is None:
            self.begin(event.at)
        self.given = self.given_after(event, scene)
        if event.asked_model:
            self.asked[event.session_id, event.run_id] = event.asked_model
        match event:
            case e.SubtaskStarted():
                self.tasks[event.task_id] = scene.within(event, self.find)
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
                self.asked.pop((event.session_id, event.run_id), None)
            case e.RunStarted() if scene.kind is None:
                self.spent_by_run = UsageTotal()
            case e.RunCompleted() | e.RunFailed() if scene.kind is None:
                self.tasks.clear()
                self.open.clear()
                self.asked.clear()
            case _:
                pass

"""The conversations of a session: the main conversation and its subtasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from orchestration import events as e
from orchestration.conversation.budget import Budget, CallCost
from orchestration.conversation.compiled import CompiledPipeline
from orchestration.conversation.event_factory import SWARM_MARK, EventFactory
from orchestration.conversation.memory import View
from orchestration.conversation.merge_streams import Trace
from orchestration.conversation.observed_states import ObservedState, SupervisedState
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.subtasks import Lineage, Task
from orchestration.conversation.supervision.log import MAX_TURNS, SupervisionLog
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import SessionError
from orchestration.handoff import Filter
from orchestration.messages import SubtaskRequest, Usage
from orchestration.providers import PromptMessage
from orchestration.state import ConversationState

FindPipeline = Callable[[SubtaskRequest], PipelineDefinition | None]
"""Finds the pipeline for the request of a subtask tool."""


class ConversationNode(msgspec.Struct, frozen=True, eq=False):
    """A conversation with its compiled pipeline and its event factory."""

    conversation: ReducedState
    pipeline: CompiledPipeline
    event_factory: EventFactory
    parent: ConversationNode | None = None
    started: e.SubtaskStarted | None = None
    """The event that started the subtask; None for the main conversation."""


@dataclass(slots=True)
class ConversationTree:
    """The open conversations of a session by id, the main conversation first."""

    root_id: str
    clock: Callable[[], datetime]
    filters: Mapping[tuple[str, str], Filter] = field(default_factory=dict)
    find_pipeline: FindPipeline | None = None
    trace: Trace = field(default_factory=Trace)
    budget: Budget = field(default_factory=Budget)
    nodes: dict[str, ConversationNode] = field(default_factory=dict)
    subtask_pipelines: dict[tuple[str, str], PipelineDefinition] = field(default_factory=dict)
    """Pipelines of the subtasks that are about to start, by session and call."""
    supervision: SupervisionLog | None = None
    """Supervision of the main conversation; None if no supervisor is called."""

    @classmethod
    def of(
        cls,
        session_id: str,
        pipeline: CompiledPipeline,
        clock: Callable[[], datetime],
        filters: Mapping[tuple[str, str], Filter],
        find_pipeline: FindPipeline | None,
        call_cost: CallCost | None = None,
    ) -> ConversationTree:
        """Return the tree of a new session, which has only the main conversation."""
        budget = Budget(pipeline.run_limits, call_cost)
        tree = cls(session_id, clock, filters, find_pipeline, budget=budget)
        tree.supervision = SupervisionLog.of(session_id, pipeline.definition)
        tree.nodes[session_id] = tree._create_node(session_id, pipeline)
        return tree

    @property
    def root(self) -> ConversationNode:
        """The main conversation."""
        return self.nodes[self.root_id]

    def apply(self, event: e.Event) -> e.Event:
        """Apply an event to its conversation; subtask events open and close conversations."""
        node = self.node_of(event.session_id)
        if node is None:
            raise KeyError(event.session_id)
        node.conversation.apply(event)
        if isinstance(event, e.SubtaskStarted):
            self._begin(event, node)
        elif isinstance(event, e.SubtaskCompleted):
            completed = self.nodes.pop(event.task_id, None)
            if self.supervision is not None and completed is not None and event.error is None:
                self._remember(event, completed, self.supervision)
        return event

    @staticmethod
    def _remember(
        event: e.SubtaskCompleted, completed: ConversationNode, log: SupervisionLog
    ) -> None:
        if event.kind == "supervision":
            log.remember(completed.conversation.history)

    def node_of(self, session_id: str) -> ConversationNode | None:
        """Return the open conversation with a session id, or None."""
        node = self.nodes.get(session_id)
        if node is None:
            # In a swarm the events of a turn have the session id of the peer.
            parent_id = session_id
            while parent_id and parent_id not in self.nodes:
                parent_id = parent_id.rpartition(SWARM_MARK)[0]
            node = self.nodes.get(parent_id)
        return node

    def missing_pipeline(self, task: Task, parent: ConversationNode) -> str | None:
        """Find the pipeline of a task; return an error text if there is none."""
        if task.request is None or task.id in self.nodes:
            return None
        key = (parent.conversation.id, task.call_id or "")
        try:
            pipeline = self.subtask_pipelines.get(key) or self._find(task.request)
        except Exception as error:  # noqa: BLE001 - foreign code: its error is a result
            return f"The pipeline {task.title!r} could not be found: {error}"
        if pipeline is None:
            return f"There is no pipeline {task.title!r} for this subtask."
        self.subtask_pipelines[key] = pipeline
        return None

    def _find(self, request: SubtaskRequest) -> PipelineDefinition | None:
        return self.find_pipeline(request) if self.find_pipeline else None

    def _begin(self, event: e.SubtaskStarted, parent: ConversationNode) -> None:
        request = (event.title, event.input)
        lineage = (*parent.conversation.lineage, request)
        node = self._create_node(
            event.task_id,
            self._pipeline(event, parent),
            depth=parent.conversation.depth + 1,
            lineage=lineage,
            parent=parent,
            started=event,
        )
        if event.kind == "member" and parent.pipeline.sticky:
            view = parent.conversation.view_before_run(event.title)
            node.conversation.set_view(event.title, view)
        if event.kind == "supervision" and self.supervision is not None:
            node.conversation.history.extend(self.supervision.memory)
        self.nodes[event.task_id] = node

    def _pipeline(self, event: e.SubtaskStarted, parent: ConversationNode) -> CompiledPipeline:
        if event.kind == "subtask":
            return CompiledPipeline.of(self._definition(event, parent))
        if event.kind == "member":
            return parent.pipeline.part(event.phase, event.title)
        if event.kind == "supervision":
            turns = self.supervision.turns_left if self.supervision else MAX_TURNS
            return parent.pipeline.supervisor(event.title, event.phase, turns)
        return parent.pipeline.part(_delegated_phase(event, parent))

    def _definition(self, event: e.SubtaskStarted, parent: ConversationNode) -> PipelineDefinition:
        """Return the definition of a subtask, or an empty one if it no longer exists."""
        definition = self.subtask_pipelines.pop((parent.conversation.id, event.call_id or ""), None)
        request = event.request or SubtaskRequest(type=event.title)
        try:
            return definition or self._find(request) or PipelineDefinition(name=event.title)
        except Exception:  # noqa: BLE001 - foreign code: the run then fails with a message
            return PipelineDefinition(name=event.title)

    def _create_node(
        self,
        session_id: str,
        pipeline: CompiledPipeline,
        *,
        depth: int = 0,
        lineage: Lineage = (),
        parent: ConversationNode | None = None,
        started: e.SubtaskStarted | None = None,
    ) -> ConversationNode:
        # The caller's filters apply only to the stages of the main pipeline.
        filters = self.filters if parent is None else {}
        conversation = self._state_type(parent)(
            session_id,
            pipeline.first_state(parent.conversation.state.variables if parent else {}),
            depth,
            lineage,
            self.trace,
            self.budget,
            pipeline.view,
            state_at=pipeline.state_at if parent is None else None,
        )
        if filters or pipeline.filters:
            conversation.filter_view = _view_filter(conversation, pipeline)
        if self.supervision is not None:
            self._connect(conversation, self.supervision, started)
        event_factory = EventFactory(conversation, pipeline, self.clock, filters)
        return ConversationNode(conversation, pipeline, event_factory, parent, started)

    @staticmethod
    def _connect(
        conversation: ReducedState, log: SupervisionLog, started: e.SubtaskStarted | None
    ) -> None:
        """Connect a conversation of a supervised session with the log of the supervision."""
        if isinstance(conversation, SupervisedState):
            conversation.supervision = log
        elif isinstance(conversation, ObservedState):
            conversation.log = log
            conversation.is_supervisor = started is not None and started.kind == "supervision"

    def _state_type(self, parent: ConversationNode | None) -> type[ReducedState]:
        if self.supervision is None:
            return ReducedState
        return SupervisedState if parent is None else ObservedState


def _view_filter(
    conversation: ReducedState, pipeline: CompiledPipeline
) -> Callable[[e.HandoffAccepted, ConversationState], None]:
    """Return the function that applies the filter of a handoff to the receivers' views."""

    def filter_view(event: e.HandoffAccepted, state: ConversationState) -> None:
        members = pipeline.members(event.to_phase)
        if event.to_agent is None:
            return
        if not members:
            shown = [PromptMessage("user", event.prompt)] if event.prompt is not None else None
            restrict(conversation.view(event.to_agent), shown, event, state)
        for name in members:
            view = conversation.member_view(name)
            restrict(view, None if event.prompt is None else [], event, state)
            view.remove_question()  # the input of the members contains it

    def restrict(
        view: View,
        shown: list[PromptMessage] | None,
        event: e.HandoffAccepted,
        state: ConversationState,
    ) -> None:
        if shown is not None:
            view.replace(shown)
        else:
            pipeline.apply_filter(view, event.from_phase, event.to_phase, event.payload, state)

    return filter_view


def subtask_started(task: Task, parent: ConversationNode) -> e.Event:
    """Return the event that starts a subtask of a conversation."""
    return e.SubtaskStarted(
        *parent.event_factory.head(),
        task_id=task.id,
        kind=task.kind,
        title=task.title,
        call_id=task.call_id,
        input=task.input,
        request=task.request,
        point=task.point,
    )


def subtask_completed(node: ConversationNode) -> e.Event:
    """Return the event that reports the end of a subtask to its parent."""
    parent, started, conversation = node.parent, node.started, node.conversation
    if parent is None or started is None:
        raise SessionError(f"{conversation.id!r} is not a subtask.")
    end = conversation.run_end
    return e.SubtaskCompleted(
        *parent.event_factory.head(),
        task_id=started.task_id,
        kind=started.kind,
        title=started.title,
        call_id=started.call_id,
        output=conversation.output,
        error=_error_of(end),
        truncated=isinstance(end, e.RunCompleted) and end.reason == e.StopReason.TRUNCATED,
        usage=end.usage if end else Usage(),
    )


def _error_of(end: e.RunCompleted | e.RunFailed | None) -> str | None:
    """Return the reason for a missing answer, or None."""
    if end is None:
        return "It did not finish."
    if isinstance(end, e.RunFailed):
        return end.message
    if end.reason in _ANSWERED:
        return None
    return f"It ended without an answer: {end.reason.replace('_', ' ')}."


_ANSWERED = (e.StopReason.REPLIED, e.StopReason.TRUNCATED, e.StopReason.WAITING_FOR_USER)


def _delegated_phase(event: e.SubtaskStarted, parent: ConversationNode) -> str:
    """Return the phase to which a lead's call delegates."""
    run = parent.conversation.run
    call = run.open_calls.get(event.call_id or "") if isinstance(run, RunProgress) else None
    if call is None or run is None:
        return event.phase
    offered = parent.pipeline.offer(run.turn_phase, run.caller or "").by_name
    return offered[call.name].options[0].phase

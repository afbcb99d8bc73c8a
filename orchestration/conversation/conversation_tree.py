"""The conversations of a session: its own, and those of the subtasks within it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from orchestration import events as e
from orchestration.conversation.compiled import Blueprint
from orchestration.conversation.event_factory import SWARM_MARK, Facts
from orchestration.conversation.memory import View
from orchestration.conversation.merge_streams import Trace
from orchestration.conversation.progress import RunProgress
from orchestration.conversation.reducer import ReducedState
from orchestration.conversation.subtasks import Lineage, Task
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import SessionError
from orchestration.handoff import Filter
from orchestration.messages import SubtaskRequest, Usage
from orchestration.providers import PromptMessage
from orchestration.state import ConversationState

FindPipeline = Callable[[SubtaskRequest], PipelineDefinition | None]
"""Finds the pipeline that does what a subtask tool asks for."""


class Branch(msgspec.Struct, frozen=True, eq=False):
    """One conversation being driven, with what its definition says and what makes its events."""

    conversation: ReducedState
    blueprint: Blueprint
    facts: Facts
    parent: Branch | None = None
    started: e.SubtaskStarted | None = None
    """The event that started it, if it is a subtask."""


@dataclass(slots=True)
class Branches:
    """The conversations of a session by their ids, the session's own first."""

    root_id: str
    clock: Callable[[], datetime]
    filters: Mapping[tuple[str, str], Filter] = field(default_factory=dict)
    find_pipeline: FindPipeline | None = None
    trace: Trace = field(default_factory=Trace)
    open: dict[str, Branch] = field(default_factory=dict)
    found: dict[tuple[str, str], PipelineDefinition] = field(default_factory=dict)
    """By session and call, the pipelines of subtasks that are about to begin."""

    @classmethod
    def of(
        cls,
        session_id: str,
        blueprint: Blueprint,
        clock: Callable[[], datetime],
        filters: Mapping[tuple[str, str], Filter],
        find_pipeline: FindPipeline | None,
    ) -> Branches:
        """The branches of a session that is new: one, its own."""
        branches = cls(session_id, clock, filters, find_pipeline)
        branches.open[session_id] = branches._branch(session_id, blueprint)
        return branches

    @property
    def root(self) -> Branch:
        """The session's own conversation."""
        return self.open[self.root_id]

    def apply(self, event: e.Event) -> e.Event:
        """Fold an event into the conversation that it is of; subtasks begin and end by theirs."""
        branch = self.branch_of(event.session_id)
        if branch is None:
            raise KeyError(event.session_id)
        branch.conversation.apply(event)
        if isinstance(event, e.SubtaskStarted):
            self._begin(event, branch)
        elif isinstance(event, e.SubtaskCompleted):
            self.open.pop(event.task_id, None)
        return event

    def branch_of(self, session_id: str) -> Branch | None:
        """The conversation that the events of a session are of; None where it is not open."""
        branch = self.open.get(session_id)
        if branch is None:
            # In a swarm the events of a turn carry the session of the peer.
            within = session_id
            while within and within not in self.open:
                within = within.rpartition(SWARM_MARK)[0]
            branch = self.open.get(within)
        return branch

    def lacks(self, task: Task, parent: Branch) -> str | None:
        """Why a task cannot begin: there is no pipeline for it; None where it can, or has begun."""
        if task.request is None or task.id in self.open:
            return None
        place = (parent.conversation.id, task.call_id or "")
        try:
            found = self.found.get(place) or self._find(task.request)
        except Exception as error:  # noqa: BLE001 - the callable is not ours: its error is a result
            return f"The pipeline {task.title!r} could not be found: {error}"
        if found is None:
            return f"There is no pipeline {task.title!r} that could do this."
        self.found[place] = found
        return None

    def _find(self, request: SubtaskRequest) -> PipelineDefinition | None:
        return self.find_pipeline(request) if self.find_pipeline else None

    def _begin(self, event: e.SubtaskStarted, parent: Branch) -> None:
        request = (event.title, event.input)
        lineage = (*parent.conversation.lineage, request)
        branch = self._branch(
            event.task_id,
            self._blueprint(event, parent),
            depth=parent.conversation.depth + 1,
            lineage=lineage,
            parent=parent,
            started=event,
        )
        if event.kind == "member" and parent.blueprint.sticky:
            known = parent.conversation.before_the_run(event.title)
            branch.conversation.lend(event.title, known)
        self.open[event.task_id] = branch

    def _blueprint(self, event: e.SubtaskStarted, parent: Branch) -> Blueprint:
        if event.kind == "subtask":
            return Blueprint.of(self._definition(event, parent))
        if event.kind == "member":
            return parent.blueprint.part(event.phase, event.title)
        return parent.blueprint.part(_worked_in(event, parent))

    def _definition(self, event: e.SubtaskStarted, parent: Branch) -> PipelineDefinition:
        """The pipeline of a subtask; an empty one where it is gone when its trace is read again."""
        found = self.found.pop((parent.conversation.id, event.call_id or ""), None)
        request = event.request or SubtaskRequest(type=event.title)
        try:
            return found or self._find(request) or PipelineDefinition(name=event.title)
        except Exception:  # noqa: BLE001 - the callable is not ours: its run then fails in words
            return PipelineDefinition(name=event.title)

    def _branch(
        self,
        session_id: str,
        blueprint: Blueprint,
        *,
        depth: int = 0,
        lineage: Lineage = (),
        parent: Branch | None = None,
        started: e.SubtaskStarted | None = None,
    ) -> Branch:
        def filtered(event: e.HandoffAccepted, before: ConversationState) -> None:
            members = blueprint.members(event.to_phase)
            if event.to_agent is None:
                return
            if not members:
                shown = [PromptMessage("user", event.prompt)] if event.prompt is not None else None
                keep(conversation.view(event.to_agent), shown, event, before)
            for name in members:
                view = conversation.earlier(name)
                keep(view, None if event.prompt is None else [], event, before)
                view.forget_question()  # members are told it in their input

        def keep(
            view: View,
            shown: list[PromptMessage] | None,
            event: e.HandoffAccepted,
            before: ConversationState,
        ) -> None:
            if shown is not None:
                view.keep(shown)
            else:
                blueprint.keep(view, event.from_phase, event.to_phase, event.payload, before)

        # The caller's own filters are for the stages of the session's own pipeline.
        filters = self.filters if parent is None else {}
        conversation = ReducedState(
            session_id,
            blueprint.first_state(),
            depth,
            lineage,
            self.trace,
            blueprint.view,
            filtered if filters or blueprint.filters else None,
        )
        facts = Facts(conversation, blueprint, self.clock, filters)
        return Branch(conversation, blueprint, facts, parent, started)


def completed(branch: Branch) -> e.Event:
    """The end of a subtask, for whoever asked for it."""
    parent, started, conversation = branch.parent, branch.started, branch.conversation
    if parent is None or started is None:
        raise SessionError(f"{conversation.id!r} is no subtask.")
    end = conversation.ended
    return e.SubtaskCompleted(
        *parent.facts.head(),
        task_id=started.task_id,
        kind=started.kind,
        title=started.title,
        call_id=started.call_id,
        output=conversation.output,
        error=_why(end),
        usage=end.usage if end else Usage(),
    )


def _why(end: e.RunCompleted | e.RunFailed | None) -> str | None:
    """Why a subtask gave no answer; None where it did."""
    if end is None:
        return "It did not come to its end."
    if isinstance(end, e.RunFailed):
        return end.message
    if end.reason in (e.StopReason.REPLIED, e.StopReason.WAITING_FOR_USER):
        return None
    return f"It ended without an answer: {end.reason.replace('_', ' ')}."


def _worked_in(event: e.SubtaskStarted, parent: Branch) -> str:
    """The stage to which a lead's call delegates."""
    run = parent.conversation.run
    call = run.open_calls.get(event.call_id or "") if isinstance(run, RunProgress) else None
    if call is None or run is None:
        return event.phase
    offered = parent.blueprint.offer(run.asked_in, run.caller or "").by_name
    return offered[call.name].options[0].phase

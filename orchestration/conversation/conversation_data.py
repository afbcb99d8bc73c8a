"""Data of a conversation; only the reducer and interventions change it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from orchestration import events as e
from orchestration.conversation.budget import Budget
from orchestration.conversation.memory import View
from orchestration.conversation.merge_streams import Trace
from orchestration.conversation.progress import RunProgress, TurnUsage
from orchestration.conversation.subtasks import Lineage
from orchestration.conversation.supervision.log import SupervisionLog
from orchestration.messages import Message
from orchestration.state import ConversationState


@dataclass(slots=True)
class ConversationData:
    """Data of a conversation: its state, its history and the agents' views of it."""

    id: str
    """Its session id."""
    state: ConversationState
    depth: int = 0
    """Nesting depth of the conversation."""
    lineage: Lineage = ()
    trace: Trace = field(default_factory=Trace)
    """Number of the last event, shared by all conversations of the session."""
    budget: Budget = field(default_factory=Budget)
    """Budget of the run, shared by all conversations of the session."""
    new_view: Callable[[str], View] = View
    """Creates the empty view of an agent."""
    filter_view: Callable[[e.HandoffAccepted, ConversationState], None] | None = None
    """Applies the filter of a handoff to the receiver's view."""
    state_at: Callable[[str], ConversationState] | None = None
    """Returns the state of a conversation that begins at a stage."""
    history: list[Message] = field(default_factory=list)
    message_ids: set[str] = field(default_factory=set)
    """Ids of the messages that have started a run."""
    run: RunProgress | None = None
    """The run that started and has not ended."""
    open_question: e.InputRequested | None = None
    """The unanswered question to the user."""
    asker: str | None = None
    """The agent whose call asked it."""
    came_from: str | None = None
    """The agent that handed over and whose receiver has not answered yet."""
    received_from: dict[str, e.HandoffAccepted] = field(default_factory=dict)
    """Last handoff to each agent."""
    warned_limit: int | None = None
    """Context limit of the last warning; None again once the usage falls below four fifths."""
    tasks_begun: int = 0
    run_end: e.RunCompleted | e.RunFailed | None = None
    """The event that ended the last run."""
    output: str = ""
    """Output of the last run."""
    usage: TurnUsage = field(default_factory=TurnUsage)
    human: str | None = None
    """The person who answers in place of the agents."""
    ended_by_person: bool = False
    """True after a person ended their part, until the next message."""
    notes: list[Message] = field(default_factory=list)
    """Notes of the supervisor that have not joined the history yet."""
    supervision: SupervisionLog | None = None
    """Supervision of a main conversation; None if no supervisor is called."""
    _views: dict[str, View] = field(default_factory=dict)
    _member_views: dict[str, View] = field(default_factory=dict)

    def view(self, agent_id: str) -> View:
        """Return an agent's view, updated from the history."""
        view = self._views.get(agent_id)
        if view is None:
            view = self._views[agent_id] = self.new_view(agent_id)
        view.catch_up(self.history)
        return view

    def begin_at(self, phase: str) -> None:
        """Begin the conversation at a stage, whose agent receives the user's message."""
        if self.state_at is None:
            return
        self.state = self.state_at(phase).with_variables(self.state.variables)
        if self.state.active_agent_id is None:
            return
        view = self.view(self.state.active_agent_id)
        if view.authors is not None:  # in a workflow only the entry receives it otherwise
            view.authors |= {None}

    def set_view(self, agent_id: str, view: View) -> None:
        """Set an agent's view, for a subtask that continues an earlier one."""
        self._views[agent_id] = view

    def view_before_run(self, agent_id: str) -> View:
        """Return a copy of an agent's view of the history before the current run."""
        return self.member_view(agent_id, self.run.history_start if self.run else None).copy()

    def member_view(self, agent_id: str, until: int | None = None) -> View:
        """Return the view of a group's member, now or up to `until`."""
        view = self._member_views.get(agent_id)
        if view is None:
            view = self._member_views[agent_id] = self.new_view(agent_id)
        view.catch_up(self.history, until)
        return view

    def apply_handoff(self, event: e.HandoffAccepted) -> None:
        """Make the target of a handoff the active agent."""
        if self.filter_view is not None and event.to_agent is not None:
            self.filter_view(event, self.state)
        self.state = self.state.transition(
            event.to_phase,
            event.to_agent,
            event.reason,
            at=event.at,
            channel=event.channel_escalation,
        )
        self.came_from = event.from_agent
        if event.to_agent is not None:
            self.received_from[event.to_agent] = event

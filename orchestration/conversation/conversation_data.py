"""Data of a conversation, changed only by the reducer and by interventions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from orchestration import events as e
from orchestration.conversation.memory import View
from orchestration.conversation.merge_streams import Trace
from orchestration.conversation.progress import RunProgress, TurnUsage
from orchestration.conversation.subtasks import Lineage
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
    """The number of the last event, shared with the conversations around and within it."""
    new_view: Callable[[str], View] = View
    """Makes the view of an agent that has none yet."""
    filtered: Callable[[e.HandoffAccepted, ConversationState], None] | None = None
    """Takes from the receiver's view what a handoff keeps from it."""
    history: list[Message] = field(default_factory=list)
    run: RunProgress | None = None
    """The run that started and has not ended."""
    asked: e.InputRequested | None = None
    """The unanswered question to the user."""
    asker: str | None = None
    """The agent whose call that is."""
    came_from: str | None = None
    """The agent that handed over and whose receiver has not answered yet."""
    received_from: dict[str, e.HandoffAccepted] = field(default_factory=dict)
    """For each agent the last handoff it received."""
    warned_limit: int | None = None
    """The context limit that was warned of, while four fifths of it are used."""
    tasks_begun: int = 0
    ended: e.RunCompleted | e.RunFailed | None = None
    """The event that ended the last run."""
    output: str = ""
    """Output of the last run."""
    spent: TurnUsage = field(default_factory=TurnUsage)
    human: str | None = None
    """The person who answers in the agents' place."""
    let_go: bool = False
    """True if a person ended the human's part and nobody has written since."""
    notes: list[Message] = field(default_factory=list)
    """Notes of the supervisor that have not joined the history yet."""
    _views: dict[str, View] = field(default_factory=dict)
    _earlier: dict[str, View] = field(default_factory=dict)

    def view(self, agent_id: str) -> View:
        """The history as one agent sees it, up to date."""
        view = self._views.get(agent_id)
        if view is None:
            view = self._views[agent_id] = self.new_view(agent_id)
        view.catch_up(self.history)
        return view

    def lend(self, agent_id: str, view: View) -> None:
        """Let an agent remember what it knows from elsewhere."""
        self._views[agent_id] = view

    def before_the_run(self, agent_id: str) -> View:
        """Return a copy of an agent's view of the history before the current run."""
        return self.earlier(agent_id, self.run.began if self.run else None).branch()

    def earlier(self, agent_id: str, until: int | None = None) -> View:
        """Return the view of a group's member, now or up to `until`."""
        view = self._earlier.get(agent_id)
        if view is None:
            view = self._earlier[agent_id] = self.new_view(agent_id)
        view.catch_up(self.history, until)
        return view

    def pass_on(self, event: e.HandoffAccepted) -> None:
        """The conversation is another's from here on."""
        if self.filtered is not None and event.to_agent is not None:
            self.filtered(event, self.state)
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

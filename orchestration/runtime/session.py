"""A live conversation: its runs, its state and its commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Unpack

from orchestration.control import (
    AnyCommand,
    BreakPoints,
    HandBack,
    Reply,
    TakeOver,
    check_queued,
    command_events,
    pending_approvals,
)
from orchestration.definition import PipelineDefinition
from orchestration.events import ApprovalRequested, Event, InputRequested, RunPaused
from orchestration.exceptions import SteeringError
from orchestration.messages import Message
from orchestration.providers import Provider, TurnListener
from orchestration.resources import ResourceMetrics
from orchestration.runtime.engine import Engine
from orchestration.runtime.engine_settings import EngineSettings
from orchestration.runtime.preparation import add_tools, require_no_errors
from orchestration.state import ConversationState


class Session(Engine):
    """A conversation with its runs, its state and its commands.

    The definition and the events alone determine the state of a session, in any process.

    >>> import asyncio
    >>> from orchestration import InboundMessage, PipelineDefinition, ScriptedProvider
    >>> desk = PipelineDefinition.model_validate({
    ...     "name": "Desk",
    ...     "agents": [{"id": "clerk", "name": "Clerk", "cues": [{"say": "Good morning."}]}],
    ...     "stages": [{"phase": "desk", "agent_id": "clerk"}],
    ...     "entry": "desk",
    ... })
    >>> async def main():
    ...     model = ScriptedProvider(tokens_per_second=None)
    ...     session = Session(desk, session_id="one", providers={"default": model})
    ...     async for event in session.run(InboundMessage(id="1", text="Hello!")):
    ...         if event.type == "message.completed":
    ...             print(event.agent_id, "says:", event.text)
    ...     return session.metrics().turns.used, session.state.active_agent_id
    >>> asyncio.run(main())
    clerk says: Good morning.
    (1, 'clerk')
    """

    def __init__(
        self,
        definition: PipelineDefinition,
        events: Iterable[Event] = (),
        *,
        session_id: str,
        history: Iterable[Message] = (),
        state: ConversationState | None = None,
        **settings: Unpack[EngineSettings],
    ) -> None:
        """Open a session; the tools in code are offered to the agents that name them.

        Raises `DefinitionError` with all errors of the definition if the conversation is new.
        """
        recorded = tuple(events)
        if tools := settings.get("tools"):
            definition, filters = add_tools(definition, tools)
            settings["filters"] = {**filters, **(settings.get("filters") or {})}
        if not recorded:
            require_no_errors(definition, finds_pipelines="pipelines" in settings)
        super().__init__(
            definition,
            recorded,
            session_id=session_id,
            settings=settings,
            history=history,
            state=state,
        )

    @property
    def state(self) -> ConversationState:
        """Current state of the conversation."""
        return self._root.conversation.state

    @property
    def history(self) -> list[Message]:
        """Messages, calls and results in order; do not modify the list."""
        return self._root.conversation.history

    @property
    def open_question(self) -> InputRequested | None:
        """The unanswered question to the user: the next message is its answer."""
        return self._root.conversation.open_question

    @property
    def paused(self) -> RunPaused | None:
        """The pause of the current run, if it is paused."""
        run = self._root.conversation.run
        return run.pause if run else None

    @property
    def approvals(self) -> tuple[ApprovalRequested, ...]:
        """Calls that wait for approval, also in subtasks; a decision names one by its `seq`."""
        return tuple(request for _, request in pending_approvals(self._tree))

    @property
    def human(self) -> str | None:
        """Name of the person who answers in place of the agents."""
        return self._root.conversation.human

    @property
    def providers(self) -> Mapping[str, Provider]:
        """Providers of the agents, by the names that the definition uses."""
        return self._turns.providers

    @property
    def listen(self) -> TurnListener | None:
        """Listener to every exchange with a vendor; a change applies from the next turn on."""
        return self._turns.listen

    @listen.setter
    def listen(self, listener: TurnListener | None) -> None:
        self._turns.listen = listener

    @property
    def break_points(self) -> BreakPoints:
        """Stages and transitions at which runs pause; can be changed while a run is in progress."""
        return self.steering.break_points

    @break_points.setter
    def break_points(self, points: BreakPoints) -> None:
        self.steering.watch(points)

    @property
    def queued(self) -> list[AnyCommand]:
        """Commands that wait for the next safe point of the current run."""
        return self.steering.queued

    def queue(self, command: AnyCommand) -> None:
        """Queue a command for the current run, which applies it between two steps.

        Raises `SteeringError` for a command that a running conversation does not accept.
        """
        check_queued(command, self._tree)
        self.steering.queued.append(command)

    def steer(self, command: AnyCommand) -> Iterator[Event]:
        """Apply a command at once: no run is in progress, or it is paused.

        Yields the events, already applied; the caller records all of them. Raises `SteeringError`
        before the first if the state of the conversation does not allow the command.
        """
        run = self._root.conversation.run
        if run is not None and run.pause is None:
            raise SteeringError("A run is in progress: pause it or stop it first.")
        if isinstance(command, TakeOver | Reply | HandBack) and run is not None:
            raise SteeringError("A run is in progress, though it is paused: stop it first.")
        for event in command_events(command, self._tree):
            self._observation.add(event)
            yield self._tree.apply(event)

    async def deliver(self) -> None:
        """Pass the recorded events of commands on to the observers; the next run does it too."""
        await self._observation.deliver()

    @property
    def seq(self) -> int:
        """Number of the last recorded event."""
        return self._tree.trace.seq

    def metrics(self) -> ResourceMetrics:
        """Usage and limits of the conversation (contract T-6)."""
        return ResourceMetrics.of(self._root.conversation, self.definition.limits)

    get_resource_metrics = metrics
    """Alias with the name used in the contract (contract T-6)."""

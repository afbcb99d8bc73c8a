"""Effect of commands on a conversation, as events.

A command takes effect between two steps of the engine, or at once if no run is in progress or the
run is paused. Its events lead to the same state for every source of the command.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from orchestration import events as e
from orchestration.control.approvals import check_decision, decision_events
from orchestration.control.commands import (
    MAX_TEXT,
    AnyCommand,
    ApproveCall,
    ChangeCall,
    Decision,
    End,
    GiveFeedback,
    GoOn,
    HandBack,
    HandOver,
    Pause,
    RefuseCall,
    Reply,
    RunCommand,
    SendNote,
    TakeOver,
)
from orchestration.conversation import (
    CallModel,
    ConversationTree,
    DecideHandoff,
    EventFactory,
    RunProgress,
    Spawn,
    Step,
    Task,
    next_step,
)
from orchestration.definition import HUMAN
from orchestration.exceptions import SteeringError
from orchestration.handoff import MAX_SUMMARY, HandoffResult
from orchestration.messages import Value, clean


class BreakPoints(Value, frozen=True, kw_only=True):
    """Stages and transitions at which runs pause."""

    stages: frozenset[str] = frozenset()
    """Stages: pause before each turn, and before a team's lead delegates to them."""
    transitions: frozenset[tuple[str, str]] = frozenset()
    """Transitions, source to target: pause before a handoff is decided, or a task delegated."""


NO_BREAK_POINTS = BreakPoints()


@dataclass(slots=True)
class Steering:
    """Pending commands and break points of a running conversation."""

    break_points: BreakPoints = NO_BREAK_POINTS
    queued: list[AnyCommand] = field(default_factory=list)
    """Pending commands in the order of their arrival."""

    def watch(self, points: BreakPoints) -> None:
        """Pause at these points from now on."""
        self.break_points = points if points.stages or points.transitions else NO_BREAK_POINTS

    def is_due(self, run: RunProgress) -> bool:
        """Report whether a command or a break point must be handled before the next step."""
        if self.queued or self.break_points is not NO_BREAK_POINTS or run.stepping:
            return run.pause is None
        return run.requested_pause is not None and run.pause is None

    def step_in(self, tree: ConversationTree, run: RunProgress) -> Iterator[e.Event]:
        """Yield the events of the commands that apply before the next step, then of a due pause.

        Apply each event before requesting the next.
        """
        factory = tree.root.event_factory
        for command in list(self.queued):
            # A command can be withdrawn between two events.
            if command in self.queued and not _waits(command, factory, run):
                self.queued.remove(command)
                yield from command_events(command, tree)
        command_pause = next((each for each in self.queued if isinstance(each, Pause)), None)
        if command_pause is None and (request := run.requested_pause) is not None:
            command_pause = Pause(id=request.command_id, by=request.by, reason=request.reason)
        step = next_step(factory.conversation, run, factory.pipeline)
        pause = _pause_before(step, run, factory, self.break_points, command_pause)
        if pause is not None:
            self.queued = [each for each in self.queued if not isinstance(each, Pause)]
            yield pause


def check_queued(command: AnyCommand, tree: ConversationTree) -> None:
    """Raise `SteeringError` for a command that a running conversation does not accept."""
    if not isinstance(command, RunCommand):
        raise SteeringError("A run is in progress: pause it or stop it first.")
    match command:
        case SendNote(to_agent=agent_id):
            _receiver(agent_id, tree.root.event_factory)
            _checked_text(command.text, "The note")
        case GiveFeedback():
            _check_rated(command, tree.root.event_factory)
        case Decision():
            check_decision(command, tree)


def _pause_before(
    step: Step, run: RunProgress, factory: EventFactory, points: BreakPoints, command: Pause | None
) -> e.RunPaused | None:
    """Return the pause before a step, due to a command, step mode or a break point."""
    if run.pause_passed:
        return None
    state = factory.conversation.state
    to_phase, at_point = None, False
    match step:
        case CallModel(agent_id=target, started=False):
            at_point = state.phase in points.stages
        case Spawn(tasks) if tasks[0].kind == "supervision":
            return None
        case Spawn(tasks) if all((task.call_id or task.id) not in run.tasks for task in tasks):
            target, at_point = state.active_agent_id or "", state.phase in points.stages
            for delegate, phase in _delegates(tasks, run, factory):
                if phase in points.stages or (state.phase, phase) in points.transitions:
                    target, at_point = delegate, True
        case DecideHandoff(request):
            target, to_phase = request.target, request.to_phase
            result = factory.pipeline.handoffs.judge(target, to_phase, state)
            at_point = (state.phase, result.to_phase) in points.transitions
        case _:
            return None
    if command is None and not run.stepping and not at_point:
        return None
    return e.RunPaused(
        *factory.head(),
        why="asked" if command else "step" if run.stepping else "break_point",
        ahead="handoff" if isinstance(step, DecideHandoff) else "turn",
        target=target,
        to_phase=to_phase,
        by=command.by if command else "",
        command_id=command.id if command else "",
        reason=command.reason if command else "",
    )


def _delegates(
    tasks: Sequence[Task], run: RunProgress, factory: EventFactory
) -> Iterator[tuple[str, str]]:
    """Yield the target and the phase of each task that a team's lead delegates."""
    for task in tasks:
        if task.kind == "delegate" and (call := run.open_calls.get(task.call_id or "")):
            offered = factory.pipeline.offer(run.turn_phase, run.caller or "").by_name
            yield task.title, offered[call.name].options[0].phase


def _waits(command: AnyCommand, factory: EventFactory, run: RunProgress) -> bool:
    """Report whether a command must wait for a later moment of the run."""
    if isinstance(command, HandOver):
        moving = run.routing is None or run.in_turn or run.previous_phase is not None
        return moving or factory.conversation.state.with_human
    return not isinstance(command, SendNote | GiveFeedback | Decision)


def command_events(  # noqa: C901 - one arm for each command
    command: AnyCommand, tree: ConversationTree
) -> Iterator[e.Event]:
    """Yield the events of a command; apply each before requesting the next.

    Raises `SteeringError` before the first if the state of the conversation does not allow it.
    """
    factory = tree.root.event_factory
    match command:
        case Pause():
            raise SteeringError("There is no run to pause: send a message first.")
        case GoOn():
            yield _resume_event(command, factory)
        case SendNote():
            yield _note_event(command, factory)
        case HandOver():
            yield from _hand_over_events(command, factory)
        case TakeOver():
            yield from _take_over_events(command, factory)
        case Reply():
            yield _reply_event(command, factory)
        case HandBack():
            yield from _hand_back_events(command, factory)
        case End():
            yield _end_event(command, factory)
        case GiveFeedback():
            yield _feedback_event(command, factory)
        case ApproveCall() | ChangeCall() | RefuseCall():
            yield from decision_events(command, tree)


def _resume_event(command: GoOn, factory: EventFactory) -> e.Event:
    run = factory.conversation.run
    if run is None or run.pause is None:
        raise SteeringError("The conversation is not paused.")
    if run.pause.why == "approval":
        raise SteeringError("A call waits for approval: approve it, change it or refuse it.")
    return e.RunResumed(*factory.head(), step=command.step, by=command.by, command_id=command.id)


def _note_event(command: SendNote, factory: EventFactory) -> e.Event:
    receiver = _receiver(command.to_agent, factory)
    return e.SupervisorNoted(
        *factory.head(),
        text=_checked_text(command.text, "The note"),
        to_agent=receiver,
        by=command.by,
        command_id=command.id,
    )


def _feedback_event(command: GiveFeedback, factory: EventFactory) -> e.Event:
    _check_rated(command, factory)
    agent_id = factory.conversation.trace.answers[command.about]
    return e.FeedbackGiven(
        *factory.head_of(agent_id),
        about=command.about,
        rating=command.rating,
        comment=clean(command.comment).strip(),
        by=command.by,
        command_id=command.id,
    )


def _check_rated(command: GiveFeedback, factory: EventFactory) -> None:
    if command.about not in factory.conversation.trace.answers:
        raise SteeringError(
            f"Event {command.about} is not an answer of an agent: choose an answer of the chat."
        )


def _reply_event(command: Reply, factory: EventFactory) -> e.Event:
    if factory.conversation.human is None:
        raise SteeringError("An agent has the conversation: take it over first.")
    text = _checked_text(command.text, "The reply")
    return e.HumanReplied(*factory.head(), text=text, by=command.by, command_id=command.id)


def _hand_over_events(command: HandOver, factory: EventFactory) -> Iterator[e.Event]:
    """Yield the request, then its outcome; past the check only an unknown target is refused."""
    if factory.conversation.state.with_human:
        raise SteeringError("A person has the conversation: hand it back instead.")
    requested = _request_event(command, factory, command.target, command.reason, command.summary)
    yield requested
    yield from hand_over_outcome(command, requested, factory)


def hand_over_outcome(
    command: HandOver, requested: e.HandoffRequested, factory: EventFactory
) -> Iterator[e.Event]:
    """Yield the events that follow the request of a command."""
    state, run = factory.conversation.state, factory.conversation.run
    result = factory.check_handoff(requested, run)
    forced = not result.accepted and command.past_check
    if forced:
        result = factory.resolve_unchecked(requested)
    if result.accepted and (result.to_agent, result.to_phase) == (
        state.active_agent_id,
        state.phase,
    ):
        result = result.refused("not_allowed", f"{result.to_agent} has the conversation already.")
    if result.accepted and run is None and result.to_agent and not factory.pipeline.sticky:
        topology = factory.pipeline.definition.topology
        why = f"In a {topology} every message begins at the entry: hand over to a human only."
        result = result.refused("not_allowed", why)
    if not result.accepted:
        yield factory.handoff_rejected(requested, result, state.active_agent_id)
        return
    yield from _handoff_events(requested, result, factory, forced=forced)


def _take_over_events(command: TakeOver, factory: EventFactory) -> Iterator[e.Event]:
    conversation = factory.conversation
    if conversation.human is not None:
        raise SteeringError(f"{conversation.human} has the conversation already.")
    if not conversation.state.with_human:
        reason = f"{command.by} takes over."
        requested = _request_event(command, factory, HUMAN, reason, "")
        yield requested
        result = factory.check_handoff(requested, conversation.run)
        forced = not result.accepted
        yield from _handoff_events(
            requested,
            factory.resolve_unchecked(requested) if forced else result,
            factory,
            forced=forced,
        )
    yield e.HumanJoined(*factory.head(), by=command.by, command_id=command.id)


def _hand_back_events(command: HandBack, factory: EventFactory) -> Iterator[e.Event]:
    conversation = factory.conversation
    if not conversation.state.with_human:
        raise SteeringError("An agent has the conversation already.")
    reason = f"{command.by} hands the conversation back."
    request = _request_event(command, factory, command.target, reason, command.summary)
    result = factory.check_handoff(request, conversation.run)
    forced = not result.accepted
    if forced:
        result = factory.resolve_unchecked(request)
    if not result.accepted or result.to_agent is None:
        raise SteeringError(f"There is no agent or stage {command.target!r} to hand back to.")
    yield e.HumanLeft(*factory.head(), by=command.by, command_id=command.id)
    requested = _request_event(command, factory, command.target, reason, command.summary)
    yield requested
    yield from _handoff_events(requested, result, factory, forced=forced)


def _end_event(command: End, factory: EventFactory) -> e.Event:
    if not factory.conversation.state.with_human or factory.conversation.ended_by_person:
        raise SteeringError("There is nothing to end: no person has the conversation.")
    return e.HumanLeft(*factory.head(), by=command.by, command_id=command.id, ended=True)


def _request_event(
    command: HandOver | TakeOver | HandBack,
    factory: EventFactory,
    target: str,
    reason: str,
    summary: str,
) -> e.HandoffRequested:
    return e.HandoffRequested(
        *factory.head(),
        call_id="",
        target=target,
        to_phase=None if isinstance(command, TakeOver) else command.to_phase,
        reason=clean(reason)[:MAX_SUMMARY],
        summary=clean(summary)[:MAX_SUMMARY],
        by=command.by,
        command_id=command.id,
    )


def _handoff_events(
    requested: e.HandoffRequested, result: HandoffResult, factory: EventFactory, *, forced: bool
) -> Iterator[e.Event]:
    """Yield the handoff; outside of a run also the change of phase, which a run records itself."""
    conversation = factory.conversation
    before = conversation.state
    yield factory.handoff_accepted(requested, result, before.active_agent_id, forced=forced)
    if conversation.run is None and result.to_phase != before.phase:
        yield e.PhaseChanged(
            *factory.head(),
            from_phase=before.phase,
            to_phase=result.to_phase,
            reason=requested.reason,
        )


def _receiver(name: str | None, factory: EventFactory) -> str | None:
    """Return the agent that a name means; None means all agents."""
    if name is None:
        return None
    agents = factory.pipeline.definition.agents_by_id
    matches = factory.pipeline.handoffs.matches(name, factory.conversation.state)
    if name in agents:
        return name
    if len(matches) != 1 or matches[0] not in agents:
        raise SteeringError(f"There is no agent {name!r} in this pipeline.")
    return matches[0]


def _checked_text(text: str, label: str) -> str:
    text = clean(text).strip()
    if not text:
        raise SteeringError(f"{label} is empty: write a text first.")
    if len(text) > MAX_TEXT:
        raise SteeringError(f"{label} has {len(text):,} characters; {MAX_TEXT:,} are allowed.")
    return text

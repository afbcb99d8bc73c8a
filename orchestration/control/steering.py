"""Effect of commands on a conversation, as events.

A command takes effect between two steps of the engine, or at once if no run is in progress or the
run is paused. Its events lead to the same state, wherever the command came from.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    Branches,
    CallModel,
    DecideHandoff,
    Facts,
    RunProgress,
    Spawn,
    Step,
    next_step,
)
from orchestration.definition import HUMAN
from orchestration.exceptions import SteeringError
from orchestration.handoff import MAX_SUMMARY, HandoffResult
from orchestration.messages import Value, clean


class BreakPoints(Value, frozen=True, kw_only=True):
    """Stages and transitions at which runs pause."""

    stages: frozenset[str] = frozenset()
    """Stages: pause before each turn."""
    ways: frozenset[tuple[str, str]] = frozenset()
    """Transitions, source to target: pause before a handoff is decided."""


@dataclass(slots=True)
class Steering:
    """Pending commands and break points of a running conversation."""

    break_points: BreakPoints = BreakPoints()  # noqa: RUF009 - a value, which may be shared
    queued: list[AnyCommand] = field(default_factory=list)
    """Pending commands in the order of their arrival."""

    def is_due(self, run: RunProgress) -> bool:
        """Report whether a command or a break point must be handled before the next step."""
        points = self.break_points
        due = self.queued or run.stepping or points.stages or points.ways
        return bool(due) and run.paused is None

    def step_in(self, branches: Branches, run: RunProgress) -> Iterator[e.Event]:
        """Yield the events of the commands that apply before the next step, then of a due pause.

        Apply each event before requesting the next.
        """
        facts = branches.root.facts
        for command in list(self.queued):
            # A command can be withdrawn between two events.
            if command in self.queued and not _waits(command, facts, run):
                self.queued.remove(command)
                yield from command_events(command, branches)
        asked = next((one for one in self.queued if isinstance(one, Pause)), None)
        step = next_step(facts.conversation, run, facts.blueprint)
        pause = _pause_before(step, run, facts, self.break_points, asked)
        if pause is not None:
            self.queued = [one for one in self.queued if not isinstance(one, Pause)]
            yield pause


def check_queued(command: AnyCommand, branches: Branches) -> None:
    """Raise `SteeringError` for a command that a running conversation does not accept."""
    if not isinstance(command, RunCommand):
        raise SteeringError("An answer is under way: pause it or stop it first.")
    match command:
        case SendNote(to_agent=named):
            _known(named, branches.root.facts)
            _said(command.text, "The note")
        case Decision():
            check_decision(command, branches)


def _pause_before(
    step: Step, run: RunProgress, facts: Facts, points: BreakPoints, asked: Pause | None
) -> e.RunPaused | None:
    """Return the pause that is due before a step: by a command, by stepping or a break point."""
    if run.passed:
        return None
    state = facts.conversation.state
    to_phase, at_point = None, False
    match step:
        case CallModel(agent_id=target, started=False):
            at_point = state.phase in points.stages
        case Spawn(tasks) if all((task.call_id or task.id) not in run.tasks for task in tasks):
            target, at_point = state.active_agent_id or "", state.phase in points.stages
        case DecideHandoff(request):
            target, to_phase = request.target, request.to_phase
            led = facts.blueprint.handoffs.judge(target, to_phase, state)
            at_point = (state.phase, led.to_phase) in points.ways
        case _:
            return None
    if asked is None and not run.stepping and not at_point:
        return None
    return e.RunPaused(
        *facts.head(),
        why="asked" if asked else "step" if run.stepping else "break_point",
        ahead="handoff" if isinstance(step, DecideHandoff) else "turn",
        target=target,
        to_phase=to_phase,
        by=asked.by if asked else "",
        command_id=asked.id if asked else "",
    )


def _waits(command: AnyCommand, facts: Facts, run: RunProgress) -> bool:
    """Report whether a command must wait for a later moment of the run."""
    if isinstance(command, HandOver):
        moving = run.routed is None or run.asking or run.phase_left is not None
        return moving or facts.conversation.state.with_human
    return not isinstance(command, SendNote | Decision)


def command_events(command: AnyCommand, branches: Branches) -> Iterator[e.Event]:
    """Yield the events of a command; apply each before requesting the next.

    Raises `SteeringError` before the first if the state of the conversation does not allow it.
    """
    facts = branches.root.facts
    match command:
        case Pause():
            raise SteeringError("No answer is under way that could be paused.")
        case GoOn():
            yield _resumed(command, facts)
        case SendNote():
            yield _noted(command, facts)
        case HandOver():
            yield from _handed_over(command, facts)
        case TakeOver():
            yield from _taken(command, facts)
        case Reply():
            yield _replied(command, facts)
        case HandBack():
            yield from _given_back(command, facts)
        case End():
            yield _ended(command, facts)
        case ApproveCall() | ChangeCall() | RefuseCall():
            yield from decision_events(command, branches)


def _resumed(command: GoOn, facts: Facts) -> e.Event:
    run = facts.conversation.run
    if run is None or run.paused is None:
        raise SteeringError("The conversation is not paused.")
    if run.paused.why == "approval":
        raise SteeringError("A call waits for a person: approve it, change it or refuse it.")
    return e.RunResumed(*facts.head(), step=command.step, by=command.by, command_id=command.id)


def _noted(command: SendNote, facts: Facts) -> e.Event:
    _known(command.to_agent, facts)
    return e.SupervisorNoted(
        *facts.head(),
        text=_said(command.text, "The note"),
        to_agent=command.to_agent,
        by=command.by,
        command_id=command.id,
    )


def _replied(command: Reply, facts: Facts) -> e.Event:
    if facts.conversation.human is None:
        raise SteeringError("Take the conversation over first: an agent has it.")
    text = _said(command.text, "The reply")
    return e.HumanReplied(*facts.head(), text=text, by=command.by, command_id=command.id)


def _handed_over(command: HandOver, facts: Facts) -> Iterator[e.Event]:
    """Yield the request, then its outcome; past the check only an unknown target is refused."""
    conversation = facts.conversation
    state, run = conversation.state, conversation.run
    if state.with_human:
        raise SteeringError("A person has the conversation: it can only be handed back.")
    requested = _requested(command, facts, command.target, command.reason, command.summary)
    yield requested
    result = facts.judged(requested, run)
    forced = not result.accepted and command.past_check
    if forced:
        result = facts.led(requested)
    if result.accepted and (result.to_agent, result.to_phase) == (
        state.active_agent_id,
        state.phase,
    ):
        result = result.refused("not_allowed", f"{result.to_agent} has the conversation already.")
    if not result.accepted:
        yield facts.rejected(requested, result, state.active_agent_id)
        return
    yield from _passed_on(requested, result, facts, forced=forced)


def _taken(command: TakeOver, facts: Facts) -> Iterator[e.Event]:
    conversation = facts.conversation
    if conversation.human is not None:
        raise SteeringError(f"{conversation.human} has the conversation already.")
    if not conversation.state.with_human:
        reason = f"{command.by} takes over."
        requested = _requested(command, facts, HUMAN, reason, "")
        yield requested
        result = facts.judged(requested, conversation.run)
        forced = not result.accepted
        yield from _passed_on(
            requested, facts.led(requested) if forced else result, facts, forced=forced
        )
    yield e.HumanJoined(*facts.head(), by=command.by, command_id=command.id)


def _given_back(command: HandBack, facts: Facts) -> Iterator[e.Event]:
    conversation = facts.conversation
    if not conversation.state.with_human:
        raise SteeringError("An agent has the conversation already.")
    reason = f"{command.by} gives the conversation back."
    asked = _requested(command, facts, command.target, reason, command.summary)
    result = facts.judged(asked, conversation.run)
    forced = not result.accepted
    if forced:
        result = facts.led(asked)
    if not result.accepted or result.to_agent is None:
        raise SteeringError(f"There is no agent or stage {command.target!r} to hand back to.")
    yield e.HumanLeft(*facts.head(), by=command.by, command_id=command.id)
    requested = _requested(command, facts, command.target, reason, command.summary)
    yield requested
    yield from _passed_on(requested, result, facts, forced=forced)


def _ended(command: End, facts: Facts) -> e.Event:
    if not facts.conversation.state.with_human or facts.conversation.let_go:
        raise SteeringError("Nothing is under way here, and nothing waits for a person.")
    return e.HumanLeft(*facts.head(), by=command.by, command_id=command.id, ended=True)


def _requested(
    command: HandOver | TakeOver | HandBack, facts: Facts, target: str, reason: str, summary: str
) -> e.HandoffRequested:
    return e.HandoffRequested(
        *facts.head(),
        call_id="",
        target=target,
        to_phase=None if isinstance(command, TakeOver) else command.to_phase,
        reason=clean(reason)[:MAX_SUMMARY],
        summary=clean(summary)[:MAX_SUMMARY],
        by=command.by,
        command_id=command.id,
    )


def _passed_on(
    requested: e.HandoffRequested, result: HandoffResult, facts: Facts, *, forced: bool
) -> Iterator[e.Event]:
    """Yield the handoff; outside of a run also the change of phase, which a run records itself."""
    conversation = facts.conversation
    before = conversation.state
    yield facts.accepted(requested, result, before.active_agent_id, forced=forced)
    if conversation.run is None and result.to_phase != before.phase:
        yield e.PhaseChanged(
            *facts.head(),
            from_phase=before.phase,
            to_phase=result.to_phase,
            reason=requested.reason,
        )


def _known(agent_id: str | None, facts: Facts) -> None:
    if agent_id is not None and agent_id not in facts.blueprint.definition.agents_by_id:
        raise SteeringError(f"There is no agent {agent_id!r} here.")


def _said(text: str, what: str) -> str:
    text = clean(text).strip()
    if not text:
        raise SteeringError(f"{what} is empty: write something first.")
    if len(text) > MAX_TEXT:
        raise SteeringError(f"{what} has {len(text):,} characters; {MAX_TEXT:,} are allowed.")
    return text

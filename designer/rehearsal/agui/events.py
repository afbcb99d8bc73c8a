"""Events in the words of the AG-UI protocol, version 1.0: one table, for other front ends.

A conversation is a thread, a run a run. What a front end may show otherwise than as text has the
protocol's own words: tool calls, steps (one for each turn), subagents (one for each subtask), state
(phase and agent). What the protocol has no word for is a `CUSTOM` event with our name and fields.
Within the protocol everything happens in a run, so what a person does between two runs gets one of
its own, and a run that waits for approval is told in several (`interrupts`); and after `RUN_ERROR`
nothing may follow, so that the stream ends there and is gone on with by another connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ag_ui.core import (
    PROTOCOL_VERSION,
    BaseEvent,
    CustomEvent,
    Interrupt,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from designer.rehearsal.agui.agui_text import AnswerPart, AnswerProgress, message_id, whole_text
from designer.rehearsal.agui.interrupts import ProtocolRun
from designer.rehearsal.fragments.names import Names
from orchestration import events as e
from orchestration.conversation import SWARM_MARK, refusal

Heard = Iterator[BaseEvent]


@dataclass(slots=True)
class Retelling:
    """Position of an AG-UI client in the trace."""

    thread_id: str
    names: Names
    state: dict[str, Any] = field(default_factory=dict)
    answers: dict[tuple[str, int], AnswerProgress] = field(default_factory=dict)
    """By run and turn."""
    steps: dict[tuple[str, int], str] = field(default_factory=dict)
    """The steps that were begun and not ended: by run and turn their names."""
    tasks: dict[str, SubagentStartedEvent] = field(default_factory=dict)
    """The subtasks under way, as they were told of; the outer ones first."""
    asked: e.InputRequested | None = None
    run: ProtocolRun = field(init=False)

    def __post_init__(self) -> None:
        self.run = ProtocolRun(self.thread_id, "")

    def tell(self, event: e.Event) -> list[BaseEvent]:
        """Return the protocol's events for an event."""
        heard: list[BaseEvent] = []
        if stood := self.run.stands and bool(event.run_id):
            heard += self.run.go_on(event.seq, self.tasks.values())
        heard += TABLE.get(type(event), _custom)(event, self)
        if stood and self.run.asked and not isinstance(event, _MOVES):
            heard += self.stand()
        if heard and not event.run_id:
            aside = {"thread_id": self.thread_id, "run_id": f"aside-{event.seq}"}
            heard = [
                RunStartedEvent(**aside, protocol_version=PROTOCOL_VERSION),
                *heard,
                RunFinishedEvent(**aside, outcome=RunFinishedSuccessOutcome()),
            ]
        stamp = int(event.at.timestamp() * 1000)
        for one in heard:
            one.timestamp = stamp
        return heard

    def tell_piece(self, piece: AnswerPart) -> list[BaseEvent]:
        """Return the protocol's events for a piece of an answer, without the part already sent."""
        place = (piece.run_id, piece.turn)
        if place not in self.steps:
            return []  # complete already, or of a turn that was not told of yet
        answer = self.answers.get(place)
        heard: list[BaseEvent] = []
        if answer is None or piece.fence > answer.fence:
            if piece.offset:
                return []  # its beginning was lost: the next frame from the beginning has it
            if answer is not None:
                heard.append(TextMessageEndEvent(**self._ends(place, answer)))
            answer = AnswerProgress(message_id(*place, piece.fence), piece.fence, 0)
            self.answers[place] = answer
            heard.append(self._begins(place, answer))
        if piece.fence < answer.fence or piece.offset > answer.sent:
            return heard
        if text := piece.text[answer.sent - piece.offset :]:
            answer.sent += len(text)
            heard.append(TextMessageContentEvent(**self._ends(place, answer), delta=text))
        return heard

    def within(self, event: e.Event) -> str | None:
        """The subtask that an event is of; None: it is the conversation's own."""
        session_id = event.session_id
        if session_id not in self.tasks:
            session_id = session_id.rpartition(SWARM_MARK)[0]
        return session_id if session_id in self.tasks else None

    def finish_answer(self, event: e.MessageCompleted) -> Heard:
        """The rest of an answer, whose beginning may have streamed."""
        place = (event.run_id, event.turn)
        answer = self.answers.pop(place, None)
        if answer is None:
            answer = AnswerProgress(message_id(*place), 0, 0)
            yield self._begins(place, answer, event.agent_id)
        if rest := event.text[answer.sent :]:
            yield TextMessageContentEvent(**self._ends(place, answer), delta=rest)
        yield TextMessageEndEvent(**self._ends(place, answer))

    def finish_open(self, run_id: str) -> Heard:
        """The ends of what a run that is over has left open."""
        for place in [one for one in self.answers if one[0] == run_id]:
            yield TextMessageEndEvent(**self._ends(place, self.answers.pop(place)))
        for place in [one for one in self.steps if one[0] == run_id]:
            name = self.steps.pop(place)
            yield StepFinishedEvent(step_name=name, subagent_run_id=self._task(place))

    def stand(self) -> Heard:
        """The ends of all that is open in a run that waits for a person, and its own."""
        for run_id in dict.fromkeys(run_id for run_id, _ in [*self.answers, *self.steps]):
            yield from self.finish_open(run_id)
        yield from self.run.stand(self.tasks.values())

    def _begins(
        self, place: tuple[str, int], answer: AnswerProgress, agent_id: str | None = None
    ) -> TextMessageStartEvent:
        name = self.names.speaker(agent_id).name if agent_id else self.steps[place].split(",")[0]
        return TextMessageStartEvent(**self._ends(place, answer), role="assistant", name=name)

    def _ends(self, place: tuple[str, int], answer: AnswerProgress) -> dict[str, Any]:
        return {"message_id": answer.message_id, "subagent_run_id": self._task(place)}

    def _task(self, place: tuple[str, int]) -> str | None:
        """A subtask's run goes by the subtask's own id."""
        return place[0] if place[0] in self.tasks else None


# What is told of each event, where it is more than its name and fields


def _run_started(event: e.RunStarted, telling: Retelling) -> Heard:
    if telling.within(event) is not None:
        return
    telling.run = ProtocolRun(telling.thread_id, event.run_id)
    yield telling.run.begin()
    telling.state = {"phase": event.phase, "agent": event.agent_id}
    yield StateSnapshotEvent(snapshot=dict(telling.state))


def _message_received(event: e.MessageReceived, telling: Retelling) -> Heard:
    if telling.within(event) is None:
        yield from whole_text(f"user-{event.seq}", event.message.text, role="user")


def _turn_started(event: e.TurnStarted, telling: Retelling) -> Heard:
    place = (event.run_id, event.turn)
    task = telling.within(event)
    speaker = telling.names.speaker(event.agent_id).name
    name = f"{speaker}, turn {event.turn}" + (f" of {task}" if task else "")
    if place not in telling.steps:
        telling.steps[place] = name
        yield StepStartedEvent(step_name=name, subagent_run_id=task)


def _message_completed(event: e.MessageCompleted, telling: Retelling) -> Heard:
    telling.run.counted += event.usage
    task, place = telling.within(event), (event.run_id, event.turn)
    answer = telling.answers.get(place)
    parent = answer.message_id if answer else message_id(*place)
    if answer is not None or event.text:
        yield from telling.finish_answer(event)
    for call in event.tool_calls:
        yield ToolCallStartEvent(
            tool_call_id=call.id,
            tool_call_name=call.name,
            parent_message_id=parent,
            subagent_run_id=task,
        )
        yield ToolCallArgsEvent(tool_call_id=call.id, delta=call.arguments, subagent_run_id=task)
        yield ToolCallEndEvent(tool_call_id=call.id, subagent_run_id=task)
    if (name := telling.steps.pop(place, None)) is not None:
        yield StepFinishedEvent(step_name=name, subagent_run_id=task)


def _tool_returned(event: e.ToolReturned, telling: Retelling) -> Heard:
    yield _result(event, telling, event.result.call_id, event.result.for_model())


def _approval_requested(event: e.ApprovalRequested, telling: Retelling) -> Heard:
    speaker = telling.names.speaker(event.agent_id).name
    telling.run.ask(event, speaker, telling.within(event))
    yield from _custom(event, telling)


def _approval_given(event: e.ApprovalGiven, telling: Retelling) -> Heard:
    run = telling.run
    run.decide(event, telling.within(event))
    yield from _custom(event, telling)
    if event.decision == "refused":
        yield _result(event, telling, event.call_id, refusal(event))


def _run_paused(event: e.RunPaused, telling: Retelling) -> Heard:
    yield from _custom(event, telling)
    if event.waits_for and telling.run.asked:
        yield from telling.stand()


def _input_requested(event: e.InputRequested, telling: Retelling) -> Heard:
    telling.asked = event
    speaker = telling.names.speaker(event.agent_id).name
    task = telling.within(event)
    yield from whole_text(f"question-{event.seq}", event.question, name=speaker, task=task)


def _input_received(event: e.InputReceived, telling: Retelling) -> Heard:
    telling.asked = None
    yield _result(event, telling, event.call_id, event.text)


def _subtask_started(event: e.SubtaskStarted, telling: Retelling) -> Heard:
    parent = telling.within(event)
    is_agent = event.kind != "subtask"
    begun = telling.tasks[event.task_id] = SubagentStartedEvent(
        subagent_run_id=event.task_id,
        name=telling.names.speaker(event.title).name if is_agent else event.title,
        description=event.input,
        parent_subagent_run_id=parent,
        parent_tool_call_id=event.call_id,
    )
    yield begun.model_copy()


def _subtask_completed(event: e.SubtaskCompleted, telling: Retelling) -> Heard:
    yield from telling.finish_open(event.task_id)
    telling.tasks.pop(event.task_id, None)
    if event.error is None:
        yield SubagentFinishedEvent(subagent_run_id=event.task_id, result=event.output)
    else:
        yield SubagentErrorEvent(subagent_run_id=event.task_id, message=event.error)
    if event.call_id is not None:
        told = event.output if event.error is None else f"Error: {event.error}"
        yield _result(event, telling, event.call_id, told)


def _handoff_accepted(event: e.HandoffAccepted, telling: Retelling) -> Heard:
    yield from _custom(event, telling)
    if event.call_id:
        to_agent = event.to_agent or "human"
        yield _result(event, telling, event.call_id, f"Handed over to {to_agent}.")
    if telling.within(event) is None:
        telling.state = {"phase": event.to_phase, "agent": event.to_agent}
        yield StateSnapshotEvent(snapshot=dict(telling.state))


def _handoff_rejected(event: e.HandoffRejected, telling: Retelling) -> Heard:
    yield from _custom(event, telling)
    if event.call_id:
        yield _result(event, telling, event.call_id, f"Refused: {event.why}")


def _phase_changed(event: e.PhaseChanged, telling: Retelling) -> Heard:
    state = {"phase": event.to_phase, "agent": event.agent_id}
    if telling.within(event) is None and state != telling.state:
        telling.state = state
        yield StateSnapshotEvent(snapshot=dict(state))
    yield from _custom(event, telling)


def _human_replied(event: e.HumanReplied, telling: Retelling) -> Heard:
    yield from whole_text(f"human-{event.seq}", event.text, name=event.by)


def _run_completed(event: e.RunCompleted, telling: Retelling) -> Heard:
    yield from telling.finish_open(event.run_id)
    if telling.within(event) is not None:
        return
    usage = telling.run.spent(event.usage)
    run = {"thread_id": telling.thread_id, "run_id": telling.run.run_id, "usage": usage}
    match event.reason:
        case e.StopReason.REPLIED:
            yield RunFinishedEvent(**run, outcome=RunFinishedSuccessOutcome())
        case e.StopReason.WAITING_FOR_USER | e.StopReason.WAITING_FOR_HUMAN:
            asked = telling.asked
            waiting = Interrupt(
                id=f"{event.run_id}.{event.seq}",
                reason=event.reason,
                message=asked.question if asked else None,
                tool_call_id=asked.call_id if asked else None,
            )
            yield RunFinishedEvent(**run, outcome=RunFinishedInterruptOutcome(interrupts=[waiting]))
        case e.StopReason.FAILED:
            yield RunErrorEvent(message="The run failed.", code=event.reason.value, usage=usage)
        case _:  # stopped by a person, or by a limit: it did not fail, and did not complete
            yield RunFinishedEvent(**run, outcome=RunFinishedCancelledOutcome())


def _run_failed(event: e.RunFailed, telling: Retelling) -> Heard:
    yield from telling.finish_open(event.run_id)
    if telling.within(event) is None:
        usage = telling.run.spent(event.usage)
        yield RunErrorEvent(message=event.message, code=event.error, usage=usage)


def _custom(event: e.Event, telling: Retelling) -> Heard:
    """Return a custom event with our name and all of our fields."""
    yield CustomEvent(name=event.type, value=e.dump(event), subagent_run_id=telling.within(event))


def _nothing(event: e.Event, telling: Retelling) -> Heard:
    """Return nothing: another event covers it."""
    yield from ()


TABLE: dict[type[e.Event], Callable[[Any, Retelling], Heard]] = {
    e.RunStarted: _run_started,
    e.MessageReceived: _message_received,
    e.TurnStarted: _turn_started,
    e.MessageDelta: _nothing,  # `Retelling.tell_piece` tells of texts as they stream
    e.MessageCompleted: _message_completed,
    e.ToolCalled: _nothing,  # the model's call was told of with its answer
    e.ToolReturned: _tool_returned,
    e.ApprovalRequested: _approval_requested,
    e.ApprovalGiven: _approval_given,
    e.InputRequested: _input_requested,
    e.InputReceived: _input_received,
    e.SubtaskStarted: _subtask_started,
    e.SubtaskCompleted: _subtask_completed,
    e.HandoffAccepted: _handoff_accepted,
    e.HandoffRejected: _handoff_rejected,
    e.PhaseChanged: _phase_changed,
    e.RunPaused: _run_paused,
    e.HumanReplied: _human_replied,
    e.RunCompleted: _run_completed,
    e.RunFailed: _run_failed,
}
"""Function that converts an event to the protocol; events without one are custom events."""

_MOVES = (e.RunResumed, e.RunPaused, e.RunCompleted, e.RunFailed)
"""Events that continue a waiting run; after any other event it still waits."""


def _result(event: e.Event, telling: Retelling, call_id: str, content: str) -> ToolCallResultEvent:
    return ToolCallResultEvent(
        message_id=f"result-{event.seq}",
        tool_call_id=call_id,
        content=content,
        role="tool",
        subagent_run_id=telling.within(event),
    )

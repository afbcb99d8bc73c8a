"""AG-UI form of each event type: the protocol's events for it, version 1.0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    Interrupt,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from designer.rehearsal.agui.agui_text import message_id, whole_text
from designer.rehearsal.agui.interrupts import QUESTION, ProtocolRun
from designer.rehearsal.agui.thread import AguiThread
from orchestration import events as e
from orchestration.conversation import refusal

ProtocolEvents = Iterator[BaseEvent]

EventForm = Callable[[Any, AguiThread], ProtocolEvents]
"""Function that yields the protocol's events for an event, and updates the thread."""


def run_started(event: e.RunStarted, thread: AguiThread) -> ProtocolEvents:
    """Start a run with its state."""
    if thread.subtask_of(event) is not None:
        return
    thread.run = ProtocolRun(thread.thread_id, event.run_id)
    yield thread.run.begin()
    thread.state = {"phase": event.phase, "agent": event.agent_id}
    yield StateSnapshotEvent(snapshot=dict(thread.state))


def message_received(event: e.MessageReceived, thread: AguiThread) -> ProtocolEvents:
    """Send the user's message."""
    if thread.subtask_of(event) is None:
        yield from whole_text(f"user-{event.seq}", event.message.text, role="user")


def turn_started(event: e.TurnStarted, thread: AguiThread) -> ProtocolEvents:
    """Start a step."""
    key = (event.run_id, event.turn)
    task = thread.subtask_of(event)
    speaker = thread.names.speaker(event.agent_id).name
    name = f"{speaker}, turn {event.turn}" + (f" of {task}" if task else "")
    if key not in thread.steps:
        thread.steps[key] = name
        yield StepStartedEvent(step_name=name, subagent_run_id=task)


def message_completed(event: e.MessageCompleted, thread: AguiThread) -> ProtocolEvents:
    """Send the rest of an answer with its tool calls, and finish the step."""
    thread.run.usage += event.usage
    task, key = thread.subtask_of(event), (event.run_id, event.turn)
    answer = thread.answers.get(key)
    parent = answer.message_id if answer else message_id(*key)
    if answer is not None or event.text:
        yield from thread.finish_answer(event)
    for call in event.tool_calls:
        call_id = thread.begin_call(event, call.id)
        yield ToolCallStartEvent(
            tool_call_id=call_id,
            tool_call_name=call.name,
            parent_message_id=parent,
            subagent_run_id=task,
        )
        yield ToolCallArgsEvent(tool_call_id=call_id, delta=call.arguments, subagent_run_id=task)
        yield ToolCallEndEvent(tool_call_id=call_id, subagent_run_id=task)
    if (name := thread.steps.pop(key, None)) is not None:
        yield StepFinishedEvent(step_name=name, subagent_run_id=task)


def tool_returned(event: e.ToolReturned, thread: AguiThread) -> ProtocolEvents:
    """Send the result of a tool."""
    yield _result(event, thread, event.result.call_id, event.result.for_model())


def approval_requested(event: e.ApprovalRequested, thread: AguiThread) -> ProtocolEvents:
    """Add an interrupt for an approval request."""
    speaker = thread.names.speaker(event.agent_id).name
    call_id = thread.call_id(event, event.call.id)
    thread.run.ask(event, call_id, speaker, thread.subtask_of(event))
    yield from custom(event, thread)


def approval_given(event: e.ApprovalGiven, thread: AguiThread) -> ProtocolEvents:
    """Remove the interrupt, and send the result of a refused call."""
    run = thread.run
    run.decide(thread.call_id(event, event.call_id))
    yield from custom(event, thread)
    if event.decision == "refused":
        yield _result(event, thread, event.call_id, refusal(event))


def run_paused(event: e.RunPaused, thread: AguiThread) -> ProtocolEvents:
    """Suspend the run if it waits for an approval."""
    yield from custom(event, thread)
    if event.waits_for and thread.run.interrupts:
        yield from thread.suspend()


def input_requested(event: e.InputRequested, thread: AguiThread) -> ProtocolEvents:
    """Send a question to the user."""
    thread.question = event
    speaker = thread.names.speaker(event.agent_id).name
    task = thread.subtask_of(event)
    yield from whole_text(f"question-{event.seq}", event.question, name=speaker, task=task)


def input_received(event: e.InputReceived, thread: AguiThread) -> ProtocolEvents:
    """Send the user's answer as the result of the call."""
    thread.question = None
    yield _result(event, thread, event.call_id, event.text)


def subtask_started(event: e.SubtaskStarted, thread: AguiThread) -> ProtocolEvents:
    """Start a subagent."""
    parent = thread.subtask_of(event)
    is_agent = event.kind != "subtask"
    start = thread.tasks[event.task_id] = SubagentStartedEvent(
        subagent_run_id=event.task_id,
        name=thread.names.speaker(event.title).name if is_agent else event.title,
        description=event.input,
        parent_subagent_run_id=parent,
        parent_tool_call_id=thread.call_id(event, event.call_id) if event.call_id else None,
    )
    yield start.model_copy()


def subtask_completed(event: e.SubtaskCompleted, thread: AguiThread) -> ProtocolEvents:
    """Finish a subagent, and send the result of its call."""
    yield from thread.finish_open(event.task_id)
    thread.tasks.pop(event.task_id, None)
    if event.error is None:
        yield SubagentFinishedEvent(subagent_run_id=event.task_id, result=event.output)
    else:
        yield SubagentErrorEvent(subagent_run_id=event.task_id, message=event.error)
    if event.call_id is not None:
        content = event.output if event.error is None else f"Error: {event.error}"
        yield _result(event, thread, event.call_id, content)


def handoff_accepted(event: e.HandoffAccepted, thread: AguiThread) -> ProtocolEvents:
    """Send a handoff, the result of its call, and the new state."""
    yield from custom(event, thread)
    if event.call_id:
        to_agent = event.to_agent or "human"
        yield _result(event, thread, event.call_id, f"Handed over to {to_agent}.")
    if thread.subtask_of(event) is None:
        thread.state = {"phase": event.to_phase, "agent": event.to_agent}
        yield StateSnapshotEvent(snapshot=dict(thread.state))


def handoff_rejected(event: e.HandoffRejected, thread: AguiThread) -> ProtocolEvents:
    """Send a rejected handoff and the result of its call."""
    yield from custom(event, thread)
    if event.call_id:
        yield _result(event, thread, event.call_id, f"Refused: {event.why}")


def phase_changed(event: e.PhaseChanged, thread: AguiThread) -> ProtocolEvents:
    """Send a change of stage and the new state."""
    state = {"phase": event.to_phase, "agent": event.agent_id}
    if thread.subtask_of(event) is None and state != thread.state:
        thread.state = state
        yield StateSnapshotEvent(snapshot=dict(state))
    yield from custom(event, thread)


def human_replied(event: e.HumanReplied, thread: AguiThread) -> ProtocolEvents:
    """Send the human's answer."""
    yield from whole_text(f"human-{event.seq}", event.text, name=event.by)


def run_completed(event: e.RunCompleted, thread: AguiThread) -> ProtocolEvents:
    """Finish a run with its outcome.

    A conversation that waits for the human waits for nothing that the front end could answer.
    """
    yield from thread.finish_open(event.run_id)
    if thread.subtask_of(event) is not None:
        return
    usage = thread.run.unreported(event.usage)
    run = {"thread_id": thread.thread_id, "run_id": thread.run.run_id, "usage": usage}
    match event.reason:
        case e.StopReason.REPLIED | e.StopReason.WAITING_FOR_HUMAN:
            yield RunFinishedEvent(**run, outcome=RunFinishedSuccessOutcome())
        case e.StopReason.WAITING_FOR_USER:
            question = thread.question
            interrupt = Interrupt(
                id=f"{QUESTION}{event.seq}",
                reason=event.reason,
                message=question.question if question else None,
                tool_call_id=thread.call_id(question, question.call_id) if question else None,
                response_schema={"type": "string"},
            )
            yield RunFinishedEvent(
                **run, outcome=RunFinishedInterruptOutcome(interrupts=[interrupt])
            )
        case e.StopReason.FAILED:
            yield RunErrorEvent(message="The run failed.", code=event.reason.value, usage=usage)
        case _:  # stopped by a person, or by a limit: it did not fail, and did not complete
            yield RunFinishedEvent(**run, outcome=RunFinishedCancelledOutcome())


def run_failed(event: e.RunFailed, thread: AguiThread) -> ProtocolEvents:
    """Finish a run with its error."""
    yield from thread.finish_open(event.run_id)
    if thread.subtask_of(event) is None:
        usage = thread.run.unreported(event.usage)
        yield RunErrorEvent(message=event.message, code=event.error, usage=usage)


def custom(event: e.Event, thread: AguiThread) -> ProtocolEvents:
    """Send a custom event with our name and all of our fields."""
    yield CustomEvent(
        name=event.type, value=e.dump(event), subagent_run_id=thread.subtask_of(event)
    )


def nothing(event: e.Event, thread: AguiThread) -> ProtocolEvents:
    """Send nothing: another event covers it."""
    yield from ()


def _result(event: e.Event, thread: AguiThread, call_id: str, content: str) -> ToolCallResultEvent:
    return ToolCallResultEvent(
        message_id=f"result-{event.seq}",
        tool_call_id=thread.call_id(event, call_id),
        content=content,
        role="tool",
        subagent_run_id=thread.subtask_of(event),
    )

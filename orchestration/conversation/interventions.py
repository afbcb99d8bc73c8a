"""Effect of interventions on a conversation: a part of the reducer."""

from __future__ import annotations

import msgspec

from orchestration import events as e
from orchestration.conversation.conversation_data import ConversationData
from orchestration.conversation.progress import RunProgress
from orchestration.definition import HUMAN
from orchestration.messages import Message, ToolCall


def apply_intervention(conversation: ConversationData, event: e.Event) -> None:
    """Apply an event outside of a run: an intervention, or the start of a run."""
    match event:
        case e.RunStarted():
            _start_run(conversation, event)
        case e.SupervisorNoted():
            add_note(conversation, event)
            deliver_notes(conversation)
        case e.HandoffAccepted():
            _drop_question(conversation, event, "the conversation was handed over")
            conversation.ended_by_person = False
            conversation.apply_handoff(event)
        case e.HumanJoined():
            _drop_question(conversation, event, "a person took over")
            conversation.human, conversation.ended_by_person = event.by, False
        case e.HumanReplied():
            reply = Message(role="assistant", text=event.text, at=event.at, agent_id=HUMAN)
            conversation.history.append(reply)
        case e.HumanLeft():
            conversation.human, conversation.ended_by_person = None, event.ended
        case _:
            pass


def _start_run(conversation: ConversationData, event: e.RunStarted) -> None:
    if conversation.depth == 0:
        conversation.budget.start()
    message = event.message
    conversation.run = run = RunProgress(event.run_id, message, last_event=event)
    if message is not None:
        if message.start_phase is not None and not conversation.message_ids:
            run.start_phase = message.start_phase
            conversation.begin_at(run.start_phase)
        conversation.message_ids.add(message.id)
        run.from_agent = message.from_agent is not None
        if message.variables:
            conversation.state = conversation.state.with_variables(message.variables)
    conversation.run_end, conversation.ended_by_person = None, False
    if event.goes_on:
        run.received = run.handed_back = True
        run.history_start, conversation.usage.turns = len(conversation.history), 0


def add_note(conversation: ConversationData, event: e.SupervisorNoted) -> None:
    """Store a supervisor's note until it can join the history."""
    conversation.notes.append(
        Message(role="user", text=event.text, at=event.at, agent_id=event.to_agent, note=True)
    )


def deliver_notes(conversation: ConversationData) -> None:
    """Move the notes to the history, unless a call waits for its result."""
    run = conversation.run
    if conversation.open_question is None and (run is None or not (run.in_turn or run.open_calls)):
        conversation.history.extend(conversation.notes)
        conversation.notes.clear()


def decided_call(call: ToolCall, event: e.ApprovalGiven) -> ToolCall:
    """Return the call with the arguments of a person's decision."""
    if event.arguments is None:
        return call
    return msgspec.structs.replace(call, arguments=event.arguments)


def refusal(event: e.ApprovalGiven) -> str:
    """Return the error text of a refused call."""
    return f"Error: A person refused this call{f': {event.reason}' if event.reason else '.'}"


def decided_result(text: str, decision: e.ApprovalGiven | None) -> str:
    """Return the result of a call, after the arguments that a person changed and their reason."""
    if decision is None:
        return text
    lines = []
    if decision.arguments is not None:
        lines.append(f"(A person changed the arguments to {decision.arguments})")
    if decision.reason:
        lines.append(f"(A person approved this call: {decision.reason})")
    return "\n".join([*lines, text])


def _drop_question(conversation: ConversationData, event: e.Event, why: str) -> None:
    """Close the open question with an error, because every call needs a result."""
    question, asker = conversation.open_question, conversation.asker
    conversation.open_question = conversation.asker = None
    if question is not None:
        text = f"Error: {why} before the user answered."
        conversation.history.append(
            Message(
                role="tool",
                text=text,
                at=event.at,
                agent_id=asker,
                tool_call_id=question.call_id,
            )
        )
        deliver_notes(conversation)

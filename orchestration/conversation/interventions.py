"""Changes that people's interventions make to a conversation: a part of the reducer."""

from __future__ import annotations

import msgspec

from orchestration import events as e
from orchestration.conversation.conversation_data import ConversationData
from orchestration.conversation.progress import RunProgress
from orchestration.definition import HUMAN
from orchestration.messages import Message, ToolCall


def step_in(conversation: ConversationData, event: e.Event) -> None:
    """Take in what happens outside of a run: a person's doing, or a run's beginning."""
    match event:
        case e.RunStarted():
            conversation.run = run = RunProgress(event.run_id, event.message, last=event)
            conversation.ended, conversation.let_go = None, False
            if event.goes_on:
                run.received = run.given_back = True
                run.began, conversation.spent.turns = len(conversation.history), 0
        case e.SupervisorNoted():
            note(conversation, event)
            tell_notes(conversation)
        case e.HandoffAccepted():
            _drop_question(conversation, event, "the conversation was handed over")
            conversation.let_go = False
            conversation.pass_on(event)
        case e.HumanJoined():
            _drop_question(conversation, event, "a person took over")
            conversation.human, conversation.let_go = event.by, False
        case e.HumanReplied():
            said = Message(role="assistant", text=event.text, at=event.at, agent_id=HUMAN)
            conversation.history.append(said)
        case e.HumanLeft():
            conversation.human, conversation.let_go = None, event.ended
        case _:
            pass


def note(conversation: ConversationData, event: e.SupervisorNoted) -> None:
    """Keep what the supervisor said until it can join the history."""
    text, to = event.text, event.to_agent
    conversation.notes.append(Message(role="user", text=text, at=event.at, agent_id=to, note=True))


def tell_notes(conversation: ConversationData) -> None:
    """Notes join the history, but never between a call and its result."""
    run = conversation.run
    if conversation.asked is None and (run is None or not (run.asking or run.open_calls)):
        conversation.history.extend(conversation.notes)
        conversation.notes.clear()


def changed(call: ToolCall, event: e.ApprovalGiven) -> ToolCall:
    """The call as a person has it made."""
    if event.arguments is None:
        return call
    return msgspec.structs.replace(call, arguments=event.arguments)


def refusal(event: e.ApprovalGiven) -> str:
    """Return the tool error that an agent gets for a refused call."""
    return f"Error: A person refused this call{f': {event.reason}' if event.reason else '.'}"


def as_decided(text: str, decided: e.ApprovalGiven | None) -> str:
    """A call's result, with what a person had changed: the call itself stands as it was written."""
    if decided is None or decided.arguments is None:
        return text
    return f"(A person changed the arguments to {decided.arguments})\n{text}"


def _drop_question(conversation: ConversationData, event: e.Event, why: str) -> None:
    """A question that the user will not answer any more gets a result: every call has one."""
    asked, asker = conversation.asked, conversation.asker
    conversation.asked = conversation.asker = None
    if asked is not None:
        text = f"Error: {why} before the user had answered."
        conversation.history.append(
            Message(
                role="tool",
                text=text,
                at=event.at,
                agent_id=asker,
                tool_call_id=asked.call_id,
            )
        )
        tell_notes(conversation)

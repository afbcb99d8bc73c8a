"""Questions of agents to the user."""

from __future__ import annotations

import asyncio
import inspect

from orchestration import events as e
from orchestration.cancellation import being_cancelled
from orchestration.conversation import ConversationNode, Events, RunProgress
from orchestration.messages import ToolCall, ToolResult, clean
from orchestration.runtime.engine_settings import AskTheUser
from orchestration.tools import question_of


async def ask_user(
    call: ToolCall, node: ConversationNode, run: RunProgress, ask: AskTheUser | None
) -> Events:
    """Ask the user and record the answer; without one the run waits for the next message."""
    conversation, factory = node.conversation, node.event_factory
    if conversation.open_question is None:
        if ask is None:
            yield _skip_question(call, node, "No user is connected to this conversation")
            return
        head = factory.turn_head(run.caller)
        request = e.InputRequested(*head, call_id=call.id, question=question_of(call))
        yield conversation.apply(request)
    question = conversation.open_question
    try:
        reply = ask(question) if ask and question else None
        reply = await reply if inspect.isawaitable(reply) else reply
        answer = None if reply is None else clean(str(reply))
    except (Exception, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and being_cancelled():
            raise
        why = f"The question to the user failed ({type(error).__name__}: {error})"
        yield _skip_question(call, node, why)
        return
    if answer is not None:
        head = factory.turn_head(run.caller)
        yield conversation.apply(e.InputReceived(*head, call_id=call.id, text=answer))
    elif node.parent is None:
        yield conversation.apply(factory.run_completed(run, e.StopReason.WAITING_FOR_USER))
    else:
        yield _skip_question(call, node, "A subtask cannot wait for the user")


def _skip_question(call: ToolCall, node: ConversationNode, why: str) -> e.Event:
    """Answer the call with an error, so that the model continues without the user."""
    error = f"{why}: continue without the answer."
    result = ToolResult(call_id=call.id, name=call.name, error=error)
    return node.conversation.apply(node.event_factory.tool_returned(result))

"""Calls of the hooks for the events of a run."""

from __future__ import annotations

from orchestration import events as e
from orchestration.conversation import ConversationNode, RunProgress
from orchestration.hooks import HookContext, Hooks, Subject, trigger_of
from orchestration.routing import ConversationRouter, RoutingDecision


async def call_hooks(hooks: Hooks, node: ConversationNode, run: RunProgress) -> e.HookFailed | None:
    """Call the hooks for the last event of a run; return an event if one fails."""
    event = run.last_event
    if event is None or (trigger := trigger_of(event)) is None or not hooks.has(trigger):
        return None
    subject: Subject
    if isinstance(event, e.MessageRouted) and run.message is not None:
        decision = RoutingDecision(
            event.agent_id, event.by, event.reason, observers=event.observers
        )
        subject = ConversationRouter.stamp(run.message, decision)
    elif isinstance(event, e.HandoffAccepted | e.HandoffRejected | e.PhaseChanged):
        subject = event
    else:
        return None
    conversation = node.conversation
    context = HookContext(conversation.id, conversation.state, event)
    error = await hooks.call(trigger, subject, context)
    head = node.event_factory.head()
    return e.HookFailed(*head, trigger=trigger.value, error=error) if error else None

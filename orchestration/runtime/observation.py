"""Calls of hooks and observers for the events of a session."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import aclosing

from orchestration import events as e
from orchestration.conversation import ConversationNode, Events, RunProgress
from orchestration.hooks import (
    OBSERVER,
    HookContext,
    Hooks,
    Observer,
    Subject,
    notify,
    trigger_of,
)
from orchestration.routing import ConversationRouter, RoutingDecision


class Observation:
    """Hooks and observers of a session (contract O-5 and O-13)."""

    __slots__ = ("_errors", "_hooks", "_observers", "_pending", "is_used")

    def __init__(self, hooks: Hooks | None, observers: Iterable[Observer]) -> None:
        self._hooks, self._observers = hooks, tuple(observers)
        self.is_used = bool(hooks or self._observers)
        self._pending: list[e.Event] = []
        self._errors: list[str] = []

    @classmethod
    def of(cls, hooks: Hooks | None, observers: Iterable[Observer]) -> Observation:
        """Return the observation of a session; sessions without any hook or observer share one."""
        observers = tuple(observers)
        return cls(hooks, observers) if hooks or observers else _UNOBSERVED

    def add(self, event: e.Event) -> None:
        """Add an event that the caller records; `deliver` passes it on."""
        if self._observers and not isinstance(event, e.MessageDelta):
            self._pending.append(event)

    async def deliver(self) -> None:
        """Pass the pending events on. An observer that fails is reported later, and only once."""
        while self._pending:
            event = self._pending[0]
            error = await notify(self._observers, event)
            is_report = isinstance(event, e.HookFailed) and event.trigger == OBSERVER
            if error and not is_report:
                _log.warning("An observer failed at event %s: %s", event.seq, error)
                self._errors.append(error)
            del self._pending[0]  # only now: a cancelled delivery is repeated

    def over(self, events: Events) -> Events:
        """Return the events; each is passed on after the caller has recorded it."""
        return self._deliver_after(events) if self._observers else events

    async def report(self, node: ConversationNode) -> e.Event | None:
        """Call the hooks for the last event of a run; return an event if one or an observer failed.

        Failures of observers are reported between two steps of the main conversation.
        """
        run = node.conversation.run
        failure = await _call_hooks(self._hooks, node, run) if self._hooks and run else None
        if failure is not None or not self._errors or node.parent is not None:
            return failure
        error = "; ".join(self._errors)
        self._errors.clear()
        return e.HookFailed(*node.event_factory.head(), trigger=OBSERVER, error=error)

    async def _deliver_after(self, events: Events) -> Events:
        async with aclosing(events):
            await self.deliver()
            async for event in events:
                try:
                    yield event
                finally:
                    self.add(event)
                await self.deliver()


_UNOBSERVED = Observation(None, ())


async def _call_hooks(hooks: Hooks, node: ConversationNode, run: RunProgress) -> e.Event | None:
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


_log = logging.getLogger(__name__)

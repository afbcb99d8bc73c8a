"""Hooks that observe the orchestration (contract O-13).

A hook is told after the event was recorded, at least once: a process that dies in between tells it
again. A hook that raises is reported as `hook.failed`, and harms nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from orchestration.events import (
    Event,
    HandoffAccepted,
    HandoffRejected,
    MessageRouted,
    PhaseChanged,
)
from orchestration.messages import InboundMessage
from orchestration.state import ConversationState


class HookTrigger(StrEnum):
    """Moment at which a hook is called."""

    BEFORE_BROADCAST = "before_broadcast"
    """A message was routed, and no agent has seen it yet. The hook gets the stamped message."""
    ON_HANDOFF = "on_handoff"
    ON_HANDOFF_REJECTED = "on_handoff_rejected"
    """The event carries the reason."""
    ON_PHASE_TRANSITION = "on_phase_transition"
    """The phase changed; the event carries `from_phase`."""


@dataclass(frozen=True, slots=True)
class HookContext:
    """Context of a hook call: the conversation's state and the event's record."""

    session_id: str
    state: ConversationState
    event: Event | None = None


Subject = InboundMessage | HandoffAccepted | HandoffRejected | PhaseChanged
"""Subject of a hook: the message before its broadcast, or the event."""

Hook = Callable[[Any, HookContext], Awaitable[object] | object]
"""Called with the subject and the context. It may be a plain or an async function."""


def trigger_of(event: Event) -> HookTrigger | None:
    """The trigger that an event pulls, if it pulls one."""
    return _TRIGGERS.get(type(event))


_TRIGGERS: dict[type, HookTrigger] = {
    MessageRouted: HookTrigger.BEFORE_BROADCAST,
    HandoffAccepted: HookTrigger.ON_HANDOFF,
    HandoffRejected: HookTrigger.ON_HANDOFF_REJECTED,
    PhaseChanged: HookTrigger.ON_PHASE_TRANSITION,
}


@dataclass(slots=True)
class Hooks:
    """The hooks of a session, by trigger and ascending priority.

    >>> import asyncio
    >>> hooks = Hooks()
    >>> @hooks.on(HookTrigger.BEFORE_BROADCAST)
    ... def announce(message, context):
    ...     print(f"{context.session_id}: {message.text}")
    >>> message = InboundMessage(id="1", text="Hello")
    >>> context = HookContext("one", ConversationState())
    >>> asyncio.run(hooks.tell(HookTrigger.BEFORE_BROADCAST, message, context))
    one: Hello
    ''
    """

    _listening: dict[HookTrigger, list[tuple[int, Hook]]] = field(default_factory=dict)

    def on(self, trigger: HookTrigger | str, priority: int = 0) -> Callable[[Hook], Hook]:
        """A decorator that registers a hook. Lower priorities are told first, ties in order."""
        listening = self._listening.setdefault(HookTrigger(trigger), [])

        def register(hook: Hook) -> Hook:
            listening.append((priority, hook))
            listening.sort(key=lambda entry: entry[0])
            return hook

        return register

    def listens(self, trigger: HookTrigger) -> bool:
        """Report whether a hook is registered for the trigger."""
        return bool(self._listening.get(trigger))

    async def tell(self, trigger: HookTrigger, subject: Subject, context: HookContext) -> str:
        """Tell every hook; return what went wrong in words, or nothing.

        A hook before the broadcast may return another message for the hooks after it.
        """
        errors: list[str] = []
        for _, hook in self._listening.get(trigger, ()):
            try:
                answer = hook(subject, context)
                if inspect.isawaitable(answer):
                    answer = await answer
            except Exception as error:  # noqa: BLE001 - a hook is not ours: report it, go on
                errors.append(f"{_name(hook)}: {type(error).__name__}: {error}")
                continue
            if isinstance(answer, InboundMessage) and isinstance(subject, InboundMessage):
                subject = answer
        return "; ".join(errors)


def _name(hook: Hook) -> str:
    return getattr(hook, "__qualname__", type(hook).__qualname__)

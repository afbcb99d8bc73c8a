"""Hooks and observers of the orchestration (contract O-5 and O-13).

A hook is called after its event was recorded, at least once: it is called again if the process ends
before. An error of a hook is recorded as `hook.failed`, without another effect. An observer gets
every event, in order.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable
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
from orchestration.exceptions import HandlerError
from orchestration.messages import InboundMessage
from orchestration.state import ConversationState


class HookTrigger(StrEnum):
    """Moment at which a hook is called."""

    BEFORE_BROADCAST = "before_broadcast"
    """A message was routed, before any agent sees it. The hook gets the stamped message."""
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


Observer = Callable[[Event], Awaitable[object] | object]
"""Called with every event, in order. It may be a plain or an async function."""

OBSERVER = "observer"
"""Trigger of `hook.failed` for an observer."""


async def notify(observers: Iterable[Observer], event: Event) -> str:
    """Call all observers with an event; return their errors as a text, or an empty text."""
    errors: list[str] = []
    for observer in observers:
        try:
            result = observer(event)
            if inspect.isawaitable(result):
                await result
        except Exception as error:  # noqa: BLE001 - an observer may raise anything
            errors.append(f"{_name(observer)}: {type(error).__name__}: {error}")
    return "; ".join(errors)


async def report(observers: Iterable[Observer], event: Event) -> None:
    """Call all observers with an event outside of a session, and log their errors."""
    if error := await notify(observers, event):
        _log.warning("An observer failed at %s: %s", event.type, error)


_log = logging.getLogger(__name__)


def trigger_of(event: Event) -> HookTrigger | None:
    """Return the trigger of an event, or None."""
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
    >>> asyncio.run(hooks.call(HookTrigger.BEFORE_BROADCAST, message, context))
    one: Hello
    ''
    """

    _registered: dict[HookTrigger, list[tuple[int, Hook]]] = field(default_factory=dict)

    def on(self, trigger: HookTrigger | str, priority: int = 0) -> Callable[[Hook], Hook]:
        """Return a decorator that registers a hook. Lower priorities come first, ties in order.

        Raises `HandlerError` for an unknown trigger.
        """
        if trigger not in list(HookTrigger):
            known = ", ".join(HookTrigger)
            raise HandlerError(f"There is no trigger {trigger!r}: use one of {known}.")
        entries = self._registered.setdefault(HookTrigger(trigger), [])

        def register(hook: Hook) -> Hook:
            entries.append((priority, hook))
            entries.sort(key=lambda entry: entry[0])
            return hook

        return register

    def has(self, trigger: HookTrigger) -> bool:
        """Report whether a hook is registered for the trigger."""
        return bool(self._registered.get(trigger))

    async def call(self, trigger: HookTrigger, subject: Subject, context: HookContext) -> str:
        """Call all hooks of a trigger; return their errors as a text, or an empty text.

        A hook before the broadcast may return another message for the following hooks.
        """
        errors: list[str] = []
        for _, hook in self._registered.get(trigger, ()):
            try:
                result = hook(subject, context)
                if inspect.isawaitable(result):
                    result = await result
            except Exception as error:  # noqa: BLE001 - a hook may raise anything
                errors.append(f"{_name(hook)}: {type(error).__name__}: {error}")
                continue
            if isinstance(result, InboundMessage) and isinstance(subject, InboundMessage):
                subject = result
        return "; ".join(errors)


def _name(hook: Hook | Observer) -> str:
    return getattr(hook, "__qualname__", type(hook).__qualname__)

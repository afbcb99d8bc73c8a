"""Cache of sessions between the runs of this process.

A session is computed from its journal, so a cached one is as good as a new one if it includes every
event. The cost of a message then does not depend on the length of the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec
import pydantic
from cachetools import LRUCache

from designer.core import in_database
from designer.models import Conversation
from designer.rehearsal.fragments.spending import call_cost_of, prices_of
from designer.rehearsal.live.providers import providers_for
from designer.rehearsal.live.remote_tools import remote_tools_of
from orchestration.control import BreakPoints
from orchestration.events import EVENT_FORMAT, InputRequested
from orchestration.exceptions import SteeringError
from orchestration.providers import Provider
from orchestration.runtime import Session
from orchestration.tools import RemoteTools

MAX_KEPT = 64
"""Maximum number of cached sessions."""

MAX_EVENTS = 100_000
"""Maximum number of their events in total."""


class UnknownFormatError(SteeringError):
    """The conversation contains events or definitions that this version of Baton cannot replay."""

    def __init__(self) -> None:
        super().__init__(
            "The conversation was recorded by a newer version of Baton, which continues it: "
            "update this one."
        )


class Sessions:
    """Cache of sessions that no run uses, limited by their number and their total of events."""

    def __init__(self, max_kept: int = MAX_KEPT, max_events: int = MAX_EVENTS) -> None:
        self._max_kept = max_kept
        self._cached: LRUCache[int, Session] = LRUCache(
            max_events, getsizeof=lambda session: session.seq
        )

    def keep(self, conversation_id: int, session: Session) -> None:
        """Cache a session that includes all recorded events; drop the least recently used."""
        session.queued.clear()
        self._cached.pop(conversation_id, None)
        with suppress(ValueError):  # more events than the whole cache
            self._cached[conversation_id] = session
        if len(self._cached) > self._max_kept:
            self._cached.popitem()

    def take(
        self, conversation_id: int, seq: int, providers: Mapping[str, Provider]
    ) -> Session | None:
        """Remove and return a session, if it ends with this event and uses these providers."""
        session = self._cached.pop(conversation_id, None)
        if session is None or session.seq != seq or session.providers is not providers:
            return None
        return session


_SESSIONS = Sessions()


async def session_of(conversation_id: int, seq: int) -> Session:
    """Return the session up to an event, from the cache or from the journal."""
    providers = await providers_for(conversation_id)
    if (cached := _SESSIONS.take(conversation_id, seq, providers)) is not None:
        return cached
    return await in_database(
        _replayed, conversation_id, providers, remote_tools_of(conversation_id)
    )


async def replayed(conversation_id: int) -> Session:
    """Return the session from the journal."""
    providers = await providers_for(conversation_id)
    return await in_database(
        _replayed, conversation_id, providers, remote_tools_of(conversation_id)
    )


def keep(conversation_id: int, session: Session) -> None:
    """Cache a session for the next run."""
    _SESSIONS.keep(conversation_id, session)


def break_points_of(points: Mapping[str, Any]) -> BreakPoints:
    """Return the stored break points of a conversation for the engine."""
    transitions = ((str(source), str(target)) for source, target in points.get("ways", ()))
    stages = map(str, points.get("stages", ()))
    return BreakPoints(stages=frozenset(stages), transitions=frozenset(transitions))


def _replayed(
    conversation_id: int, providers: Mapping[str, Provider], remote_tools: RemoteTools
) -> Session:
    conversation = Conversation.objects.get(pk=conversation_id)
    if conversation.event_format > EVENT_FORMAT:
        raise UnknownFormatError
    try:  # both reject every unknown type and field
        definition, events = conversation.snapshot(), conversation.events()
    except (msgspec.ValidationError, pydantic.ValidationError) as error:
        raise UnknownFormatError from error
    return Session(
        definition,
        events,
        session_id=conversation.session_id,
        providers=providers,
        remote_tools=remote_tools,
        ask_user=_later,
        pipelines=conversation.pipeline_for,
        call_cost=call_cost_of(prices_of(conversation.pk)),
    )


async def _later(_: InputRequested) -> None:
    """Do not ask: the user answers with the next message."""

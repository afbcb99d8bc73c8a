"""The conversations of this process as the engine has them, kept between their runs.

A session is the fold of its journal, so one that was kept is as good as one made anew, as long as
it has seen every event: a message then costs what it costs, and not what was said before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from cachetools import LRUCache

from designer.core import in_database
from designer.models import Conversation
from designer.rehearsal.live.providers import providers_for
from designer.rehearsal.live.remote_tools import remote_tools_of
from orchestration.control import BreakPoints
from orchestration.events import InputRequested
from orchestration.providers import Provider
from orchestration.runtime import Session
from orchestration.tools import RemoteTools

MAX_KEPT = 64
"""Maximum number of cached sessions."""

MAX_EVENTS = 100_000
"""Maximum number of their events in total."""


class Sessions:
    """Sessions that no run uses, at most so many and with so many events in total."""

    def __init__(self, max_kept: int = MAX_KEPT, max_events: int = MAX_EVENTS) -> None:
        self._max_kept = max_kept
        self._cached: LRUCache[int, Session] = LRUCache(
            max_events, getsizeof=lambda session: session.seq
        )

    def keep(self, conversation_id: int, session: Session) -> None:
        """Keep a session that has seen all that is recorded; the ones used least give way."""
        session.queued.clear()
        self._cached.pop(conversation_id, None)
        with suppress(ValueError):  # more events than the whole cache
            self._cached[conversation_id] = session
        if len(self._cached) > self._max_kept:
            self._cached.popitem()

    def take(
        self, conversation_id: int, seq: int, providers: Mapping[str, Provider]
    ) -> Session | None:
        """The session, if it has seen all up to this event and these providers answer in it.

        Whoever takes it has it alone.
        """
        session = self._cached.pop(conversation_id, None)
        if session is None or session.seq != seq or session.providers is not providers:
            return None
        return session


_SESSIONS = Sessions()


async def session_of(conversation_id: int, seq: int) -> Session:
    """The conversation up to an event: as it was kept, or as its journal tells it."""
    providers = await providers_for(conversation_id)
    if (kept := _SESSIONS.take(conversation_id, seq, providers)) is not None:
        return kept
    return await in_database(
        _replayed, conversation_id, providers, remote_tools_of(conversation_id)
    )


async def replayed(conversation_id: int) -> Session:
    """The conversation as its journal tells it."""
    providers = await providers_for(conversation_id)
    return await in_database(
        _replayed, conversation_id, providers, remote_tools_of(conversation_id)
    )


def keep(conversation_id: int, session: Session) -> None:
    """Keep a session for the next run."""
    _SESSIONS.keep(conversation_id, session)


def break_points_of(kept: Mapping[str, Any]) -> BreakPoints:
    """Break points as the engine takes them."""
    ways = frozenset((str(source), str(target)) for source, target in kept.get("ways", ()))
    return BreakPoints(stages=frozenset(map(str, kept.get("stages", ()))), transitions=ways)


def _replayed(
    conversation_id: int, providers: Mapping[str, Provider], remote_tools: RemoteTools
) -> Session:
    conversation = Conversation.objects.get(pk=conversation_id)
    return Session(
        conversation.snapshot(),
        conversation.events(),
        session_id=conversation.session_id,
        providers=providers,
        remote_tools=remote_tools,
        ask_user=_later,
        pipelines=conversation.pipeline_for,
    )


async def _later(_: InputRequested) -> None:
    """The user answers with the next message."""

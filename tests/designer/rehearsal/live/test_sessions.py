"""The cache of sessions."""

from __future__ import annotations

import pytest
from django.utils import timezone

from designer.core.database import in_database
from designer.models import Conversation
from designer.rehearsal import live
from designer.rehearsal.actions.conversations import take_steps
from designer.rehearsal.live.sessions import Sessions
from orchestration.control import SendNote
from orchestration.runtime import Session
from tests.designer.live_conversations import provide, provide_turns
from tests.designer.live_waits import (
    is_over,
    message,
    until,
)
from tests.designer.rehearsal.live.run_waits import is_quiet_after
from tests.designer.steering_commands import (
    by_ada,
)

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_session_behind_the_events_of_another_process_is_replaced(conversation):
    provider = provide_turns(("Hi.",))
    provider.release(2)
    await live.say(conversation.pk, message())
    await until(is_over(conversation))
    session = await in_database(session_of, conversation)
    [noted] = session.steer(by_ada(SendNote, text="From elsewhere."))
    await in_database(take_steps, conversation_id=conversation.pk, events=[noted])
    await live.say(conversation.pk, message(2))
    await until(is_quiet_after(conversation, 2))
    assert any("From elsewhere." in one.text for one in provider.requests[1].messages)


def session_of(conversation: Conversation) -> Session:
    return Session(
        conversation.snapshot(),
        conversation.events(),
        session_id=conversation.session_id,
        providers={},
    )


async def test_sessions_are_kept_within_bounds_and_used_by_one_at_a_time(conversation):
    provide("Hi.")
    sessions = Sessions(max_kept=2, max_events=10)
    made = [await in_database(session_of, conversation) for _ in range(3)]
    for number, session in enumerate(made):
        sessions.keep(number, session)
    answering = [session.providers for session in made]
    taken = [sessions.take(number, 0, answering[number]) for number in range(3)]
    assert taken == [None, *made[1:]]
    assert sessions.take(2, 0, answering[2]) is None
    sessions.keep(1, made[1])
    assert sessions.take(1, 5, answering[1]) is None, "it has not seen that far"
    sessions.keep(1, made[1])
    assert sessions.take(1, 0, answering[2]) is None, "others answer now"
    [noted] = made[2].steer(by_ada(SendNote, text="…"))
    made[2].conversation.trace.seq = 11
    sessions.keep(2, made[2])
    assert sessions.take(2, 11, answering[2]) is None, "too much to keep"
    assert noted.at <= timezone.now()

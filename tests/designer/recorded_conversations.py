"""Recorded conversations for tests, without a server."""

from __future__ import annotations

from asgiref.sync import async_to_sync
from django.contrib.auth.models import User

from designer.models import Conversation
from designer.rehearsal.actions.conversations import record_event
from orchestration.control import AnyCommand
from orchestration.definition import PipelineDefinition
from orchestration.events import Event, InputRequested, MessageDelta, RunStarted
from orchestration.messages import InboundMessage
from orchestration.providers.scripted import ScriptedProvider
from orchestration.runtime import Session
from tests.designer.leases import begin_run, record_steps
from tests.designer.live_conversations import make_conversation, make_pipeline, sample

QUESTION = "I was charged twice for order A-1043. I want one of them back."


def converse(conversation: Conversation, *texts: str) -> Conversation:
    """Send one message after the other in a conversation, and record the answers."""
    for number, text in enumerate(texts, conversation.recorded_events.count() + 1):
        first, *rest = _played(conversation, InboundMessage(id=f"message-{number}", text=text))
        assert isinstance(first, RunStarted)
        lease = begin_run(conversation_id=conversation.pk, event=first)
        for event in rest:
            record_event(lease=lease, event=event)
    conversation.refresh_from_db()
    return conversation


def record_rehearsal(
    user: User, *texts: str, definition: PipelineDefinition | None = None, name: str = "support"
) -> Conversation:
    """Create a conversation of a user with answers to these texts, with handoffs and tools."""
    if name == "weekend-trip":  # a pipeline of its subtasks
        make_pipeline(user, sample("city-guide"))
    conversation = make_conversation(user, definition or sample(name))
    return converse(conversation, *(texts or (QUESTION, "Yes, please.")))


def steer(conversation: Conversation, command: AnyCommand) -> Conversation:
    """Record a command outside of a run."""
    record_steps(conversation.pk, list(_session(conversation).steer(command)))
    conversation.refresh_from_db()
    return conversation


def types(conversation: Conversation) -> list[str]:
    """Return the types of the recorded events, in order; check that no number is missing."""
    rows = list(conversation.recorded_events.values_list("seq", "type"))
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    return [kind for _, kind in rows]


def find_seq(conversation: Conversation, kind: str, which: int = 0) -> int:
    """Return the number of the first event of a type, or of a later one."""
    return [seq for seq, name in enumerate(types(conversation), 1) if name == kind][which]


def _played(conversation: Conversation, message: InboundMessage) -> list[Event]:
    session = _session(conversation)

    async def play() -> list[Event]:
        events = [event async for event in session.receive(message)]
        return [event for event in events if not isinstance(event, MessageDelta)]

    return async_to_sync(play)()


def _session(conversation: Conversation) -> Session:
    return Session(
        conversation.snapshot(),
        conversation.events(),
        session_id=conversation.session_id,
        providers={"default": ScriptedProvider(tokens_per_second=None)},
        ask_user=_later,
        pipelines=conversation.pipeline_for,
    )


async def _later(_: InputRequested) -> None:
    """Do not ask: the user answers with the next message."""

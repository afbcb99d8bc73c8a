"""Leases of single runs, for tests that record events themselves."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from designer.models import Command, Conversation
from designer.rehearsal.actions.conversations import take_steps
from designer.rehearsal.actions.leases import Lease, claim_runs
from orchestration.events import Event, RunStarted


def begin_run(*, conversation_id: int, event: RunStarted, command: Command | None = None) -> Lease:
    """Record the start of a run of the conversation's session, and take its lease."""
    session_id = Conversation.objects.without_definition().get(pk=conversation_id).session_id
    own = msgspec.structs.replace(event, session_id=session_id)
    lease = record_steps(conversation_id, [own], command)
    assert lease is not None
    return lease


def record_steps(
    conversation_id: int, events: Sequence[Event], command: Command | None = None
) -> Lease | None:
    """Record the events of a command; take and return the lease if they start a run."""
    is_queued = take_steps(conversation_id=conversation_id, events=events, command=command)
    return take_lease(conversation_id=conversation_id) if is_queued else None


def take_lease(*, conversation_id: int) -> Lease | None:
    """Claim the run of one conversation; return None if it has none, or a worker has it."""
    others = Conversation.objects.exclude(pk=conversation_id).values_list("pk", flat=True)
    leases = claim_runs(limit=1, skip=list(others))
    return leases[0] if leases else None

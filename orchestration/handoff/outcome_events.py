"""Events of handoffs that are decided without the engine (contract O-5 and O-7)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from orchestration.events import HandoffAccepted, HandoffRejected

if TYPE_CHECKING:
    from orchestration.handoff.check import HandoffRequest, HandoffResult


def outcome_event(
    request: HandoffRequest, result: HandoffResult, session_id: str
) -> HandoffAccepted | HandoffRejected:
    """Return the event of a decided request. Without a trace its `seq` is 0."""
    before = result.before
    source = before.active_agent_id
    head = (0, datetime.now(UTC), session_id, "", before.phase, source)
    if result.accepted:
        return HandoffAccepted(
            *head,
            call_id="",
            from_agent=source,
            to_agent=result.to_agent,
            from_phase=before.phase,
            to_phase=result.to_phase,
            reason=request.reason,
            summary=request.summary or request.message,
            hop=before.handoff_count + 1,
            hop_limit=0,
            channel_escalation=request.channel_escalation,
        )
    return HandoffRejected(
        *head,
        call_id="",
        target=request.target,
        to_agent=result.to_agent,
        to_phase=result.to_phase or None,
        why=result.why,
        code=result.code,
        reason=request.reason,
        allowed=result.allowed,
    )

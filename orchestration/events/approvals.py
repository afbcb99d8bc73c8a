"""Events of calls that need a person's approval."""

from __future__ import annotations

from typing import Literal

from orchestration.events.event_base import EventBase
from orchestration.messages import ToolCall


class ApprovalRequested(EventBase, frozen=True, kw_only=True, tag="approval.requested"):
    """An agent called a tool that needs approval: the call waits for a person's decision."""

    call: ToolCall


class ApprovalGiven(EventBase, frozen=True, kw_only=True, tag="approval.given"):
    """A person decided about a call; a refusal is also the result of the call."""

    call_id: str
    decision: Literal["approved", "changed", "refused"]
    arguments: str | None = None
    """Changed arguments of the call as JSON, if the person changed them."""
    reason: str = ""
    """Reason of the decision, which the agent receives."""
    by: str = ""
    """The person who decided."""
    command_id: str = ""

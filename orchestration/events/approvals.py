"""Events about a call that needs a person's approval."""

from __future__ import annotations

from typing import Literal

from orchestration.events.fact import Fact
from orchestration.messages import ToolCall


class ApprovalRequested(Fact, frozen=True, kw_only=True, tag="approval.requested"):
    """An agent called a tool that asks a person first: the call waits for their decision."""

    call: ToolCall


class ApprovalGiven(Fact, frozen=True, kw_only=True, tag="approval.given"):
    """A person decided about such a call; what was refused has its result with this."""

    call_id: str
    decision: Literal["approved", "changed", "refused"]
    arguments: str | None = None
    """Changed arguments of the call as JSON, if the person changed them."""
    reason: str = ""
    """Why they refused it; the agent is told."""
    by: str = ""
    """The person who decided."""
    command_id: str = ""

"""The step before which a pause takes effect, in words."""

from __future__ import annotations

from designer.rehearsal.fragments.names import Names
from orchestration import events as e


def next_step(event: e.Event, names: Names) -> str:
    """Return the next pausable step after an event of the main conversation, as far as known.

    It is empty if none follows.
    """
    match event:
        case e.MessageRouted(agent_id=agent_id) if agent_id is not None:
            return f"{names.speaker(agent_id).name}'s turn"
        case e.TurnStarted():
            return f"the step after {names.speaker(event.agent_id).name}'s answer"
        case e.ToolReturned() | e.HandoffRejected() if event.agent_id is not None:
            return f"{names.speaker(event.agent_id).name}'s next turn"
        case e.HandoffRequested(target=target):
            return f"the handoff to {names.speaker(target).name}"
        case e.HandoffAccepted(to_agent=to_agent) if to_agent is not None:
            return f"{names.speaker(to_agent).name}'s turn"
        case e.PhaseChanged(agent_id=agent_id) if agent_id is not None:
            return f"{names.speaker(agent_id).name}'s turn"
        case e.RunPaused(ahead="handoff", target=target):
            return f"the handoff to {names.speaker(target).name}"
        case e.RunPaused(ahead="turn", target=target):
            return f"{names.speaker(target).name}'s turn"
        case e.RunPaused(target=target):
            return f"the call of {target}"
        case _:
            return ""

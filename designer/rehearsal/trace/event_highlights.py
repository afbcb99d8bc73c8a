"""Effect of each event type on the canvas, by element ids: `{"active": "stage-review"}`."""

from __future__ import annotations

from designer.canvas import SUPERVISOR_CARD, edge_id, stage_id
from designer.rehearsal.fragments.names import Names
from orchestration import events as e

_HUMAN, _AGENT = {"human": "yes"}, {"human": "no"}
"""Marks of a conversation that a human or an agent has."""


def stage(event: e.Event, names: Names) -> dict[str, str]:
    """Return the phase of the event as the active stage."""
    return {"active": stage_id(event.phase)} if event.phase in names.phases else {}


def handoff(event: e.HandoffAccepted, names: Names) -> dict[str, str]:
    """Return the traversed transition, drawn or not, or the stage that a human has taken over.

    It is a takeover if the human has no stage.
    """
    source, target = event.from_phase, event.to_phase
    holder = _HUMAN if event.to_agent is None else _AGENT
    if target not in names.phases:
        return {"active": stage_id(source), "taken": stage_id(source)} | holder
    effect = {"active": stage_id(target)} | holder
    if source not in names.phases:
        return effect
    is_drawn = any(phase == target for _, phase in names.transitions.get(source, ()))
    if source == target and event.to_agent is None and not is_drawn:
        return effect | {"taken": stage_id(target)}
    effect["traversed"] = edge_id(source, target)
    return effect if is_drawn else effect | {"beside": f"{source} {target}"}


def rejection(event: e.HandoffRejected, names: Names) -> dict[str, str]:
    """Return the rejected transition and its target."""
    if not event.to_phase:
        return stage(event, names)
    edge = edge_id(event.phase, event.to_phase)
    return {"refused": edge, "refused-stage": stage_id(event.to_phase)}


def phase_change(event: e.PhaseChanged, names: Names) -> dict[str, str]:
    """Return the new stage and the previous one, with the transition if it was automatic."""
    source, target = event.from_phase, event.to_phase
    if target not in names.phases:  # a human without a stage: the old stage stays active
        return {"active": stage_id(source)}
    effect = {"active": stage_id(target), "seen": stage_id(source)}
    if (source, target) not in names.automatic:
        return effect
    return effect | {"traversed": edge_id(source, target), "by": "step"}


def pause(event: e.RunPaused, names: Names) -> dict[str, str]:
    """Return the position of a pause: before a stage or before a handoff.

    While a call waits for approval, a human has the conversation.
    """
    target = event.to_phase or names.target_phase(event.phase, event.target)
    is_drawn = any(phase == target for _, phase in names.transitions.get(event.phase, ()))
    if event.ahead == "handoff" and is_drawn:
        return {"paused": edge_id(event.phase, target)}
    waits = {"approval": "yes"} if event.why == "approval" else {}
    return {"paused": stage_id(event.phase)} | waits


def takeover(event: e.HumanJoined, names: Names) -> dict[str, str]:
    """Return the mark of a human who answers."""
    return dict(_HUMAN)


def hand_back(event: e.HumanLeft, names: Names) -> dict[str, str]:
    """Return the mark of a human who no longer answers."""
    return dict(_AGENT)


def resumption(event: e.RunResumed, names: Names) -> dict[str, str]:
    """Return the mark of a run that continues."""
    return {"resumed": "yes"}


def subtask(event: e.SubtaskStarted | e.SubtaskCompleted, names: Names) -> dict[str, str]:
    """Return the supervisor's card, which works during a call; other subtasks mark their stage."""
    if event.kind != "supervision":
        return stage(event, names)
    begins = isinstance(event, e.SubtaskStarted)
    return {"begins" if begins else "ends": SUPERVISOR_CARD}


def end(event: e.RunCompleted | e.RunFailed, names: Names) -> dict[str, str]:
    """Return the mark of a run that is over; the conversation may wait for a human."""
    waits = isinstance(event, e.RunCompleted) and event.reason == e.StopReason.WAITING_FOR_HUMAN
    return {"over": "yes"} | (_HUMAN if waits else {})

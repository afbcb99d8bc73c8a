"""Template context of an event beside its own fields."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from designer.canvas import edge_id, stage_id
from designer.rehearsal.fragments.markdown import render_markdown
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.payloads import in_short
from designer.rehearsal.trace.event_categories import kind_of
from designer.rehearsal.trace.trace_state import TracedConversation
from orchestration import events as e

ENDINGS = {
    "length": "Cut off: the answer reached the bound on its length.",
    "filtered": "Held back in part by the model's content filter.",
    "refused": "The model refused.",
}
"""Remarks about incomplete answers."""


def particulars(event: e.Event, scene: TracedConversation) -> dict[str, Any]:
    """The context of an event's templates."""
    names = scene.names
    return {
        "event": event,
        "kind": kind_of(event),
        "scene": scene,
        "within": _within(event, scene),
        "agent": names.speaker(event.agent_id) if event.agent_id else None,
        "elapsed": names.elapsed(event.at),
        "light": light_of(event, scene),
        "trace_url": names.trace_url,
        **_of_its_own(event, names),
    }


def light_of(event: e.Event, scene: TracedConversation) -> dict[str, str]:
    """Return the effect of an event on the canvas, by element ids."""
    return _subtask_light(event, scene) if scene.kind else _light(event, scene.names)


def _of_its_own(event: e.Event, names: Names) -> dict[str, Any]:  # noqa: C901 - one arm for each
    match event:
        case e.HandoffAccepted(from_agent=source, to_agent=target):
            ends = {"source": names.speaker(source), "target": names.speaker(target)}
            return ends | {"told": in_short(event.payload)}
        case e.HandoffRejected(to_agent=target):
            return {
                "target": names.speaker(target or event.target),
                "why": names.called(event.why),
                "code": event.code.replace("_", " "),
            }
        case e.HandoffRequested(target=target):
            return {"target": names.speaker(target), "told": in_short(event.payload)}
        case e.MessageRouted(reason=reason):
            return {"why": names.called(reason)}
        case e.PhaseChanged(from_phase=source, to_phase=target):
            return {"source": names.serving(source), "target": names.serving(target)}
        case e.CycleDetected(loop=loop):
            return {"loop": " → ".join(names.speaker(one).name for one in [*loop, loop[0]])}
        case e.SubtaskStarted() | e.SubtaskCompleted():
            return {"doer": _doer(event, names)}
        case e.RunPaused(target=target):
            is_tool = event.ahead == "call"
            return {"target": Speaker.called(target) if is_tool else names.speaker(target)}
        case e.SupervisorNoted(to_agent=target) if target is not None:
            return {"target": names.speaker(target)}
        case e.TurnRetried(wait=wait):
            asked_next = f"{event.provider} ({event.model})" if event.model else event.provider
            return {"wait": f"{wait:.3g}", "asked_next": asked_next}
        case e.MessageCompleted(text=text, ending=ending):
            return {"rendered": partial(render_markdown, text), "ending": ENDINGS.get(ending, "")}
        case e.HumanReplied(text=text):
            return {"rendered": partial(render_markdown, text)}  # where a template asks for it
        case e.RunCompleted(reason=reason):
            return {"reason": reason.replace("_", " ")}
        case e.ToolCalled(call=call) | e.ApprovalRequested(call=call):
            return {"arguments": _indented(call.arguments)}
        case e.ApprovalGiven(arguments=arguments) if arguments is not None:
            return {"arguments": _indented(arguments)}
        case e.ToolReturned(result=result):
            return {"content": _indented(result.for_model())}
        case _:
            return {}


def _within(event: e.Event, scene: TracedConversation) -> str:
    """The subtask that an event is of, where the event's own words do not name it."""
    match event:
        case e.MessageRouted() | e.TurnStarted() | e.MessageCompleted() if scene.kind:
            named = scene.names.speaker(event.agent_id).name
            return scene.called if scene.called != named else ""
        case _:
            return scene.called


def _doer(event: e.SubtaskStarted | e.SubtaskCompleted, names: Names) -> Speaker:
    """Return the executor of a subtask: an agent or a group, or another pipeline."""
    return Speaker.called(event.title) if event.kind == "subtask" else names.speaker(event.title)


def _light(event: e.Event, names: Names) -> dict[str, str]:
    """Return the effect of an event of the conversation itself."""
    match event:
        case e.HandoffAccepted(from_phase=source, to_phase=target):
            return _passing(event, source, target, names)
        case e.HandoffRejected(to_phase=target, phase=source) if target:
            return {"refused": edge_id(source, target), "refused-stage": stage_id(target)}
        case e.PhaseChanged(from_phase=source, to_phase=target):
            if target not in names.phases:  # to a human who has no stage: it stays where it was
                return {"active": stage_id(source)}
            lit = {"active": stage_id(target), "seen": stage_id(source)}
            way = (source, target)
            if way not in names.onward:
                return lit
            return lit | {"traversed": edge_id(*way), "by": "step"}
        case e.RunPaused() | e.RunResumed():
            return _standing(event, names)
        case e.RunCompleted() | e.RunFailed():
            return {"over": "yes"}
        case _:
            return {"active": stage_id(event.phase)} if event.phase in names.phases else {}


def _passing(event: e.HandoffAccepted, source: str, target: str, names: Names) -> dict[str, str]:
    """A handoff along its edge, or beside all edges; or that a human took over where it stands.

    So it is where the human has no stage to go to, nor to come back from.
    """
    if target not in names.phases:
        return {"active": stage_id(source), "taken": stage_id(source)}
    lit = {"active": stage_id(target)}
    if source not in names.phases:
        return lit
    is_drawn = any(phase == target for _, phase in names.ways.get(source, ()))
    if source == target and event.to_agent is None and not is_drawn:
        return lit | {"taken": stage_id(target)}
    lit["traversed"] = edge_id(source, target)
    return lit if is_drawn else lit | {"beside": f"{source} {target}"}


def _standing(event: e.RunPaused | e.RunResumed, names: Names) -> dict[str, str]:
    """Return the pause position: before a stage or a handoff; or that the run continues."""
    if isinstance(event, e.RunResumed):
        return {"resumed": "yes"}
    target = event.to_phase or names.led(event.phase, event.target)
    is_drawn = any(phase == target for _, phase in names.ways.get(event.phase, ()))
    if event.ahead == "handoff" and is_drawn:
        return {"paused": edge_id(event.phase, target)}
    return {"paused": stage_id(event.phase)}


def _subtask_light(event: e.Event, scene: TracedConversation) -> dict[str, str]:
    """Return the effect of a subtask's start or end on the canvas."""
    if isinstance(event, e.RunPaused | e.RunResumed):
        return _standing(event, scene.names)
    begins = isinstance(event, e.RunStarted)
    lit = {"begins" if begins else "ends": stage_id(event.phase)}
    if scene.kind == "member":
        return lit | {"member": scene.title}
    if begins and scene.kind == "delegate":
        return lit | {"traversed": edge_id(scene.asked_in, event.phase), "by": "delegation"}
    return lit


def _indented(text: str) -> str:
    """JSON in lines; any other text, and JSON that is broken, as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text

"""Template context of each event type in addition to the fields of the event."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.utils import timezone

from designer.rehearsal.fragments.markdown import render_markdown
from designer.rehearsal.fragments.names import Names, Speaker
from designer.rehearsal.fragments.payloads import in_short
from designer.rehearsal.fragments.spending import amount_in_words
from orchestration import events as e
from orchestration.exceptions import DefinitionError
from orchestration.loading import TOOL_JSON, read_json

ENDINGS = {
    "length": "Cut off: the answer reached its maximum length.",
    "filtered": "The model's content filter removed a part of the answer.",
    "refused": "The model refused.",
}
"""Remarks about incomplete answers."""


def none(event: e.Event, names: Names) -> dict[str, Any]:
    """Return no additional context."""
    return {}


def handoff(event: e.HandoffAccepted, names: Names) -> dict[str, Any]:
    """Return both ends of a handoff and its payload."""
    return {
        "source": names.speaker(event.from_agent),
        "target": names.speaker(event.to_agent),
        "payload": in_short(event.payload),
    }


def rejection(event: e.HandoffRejected, names: Names) -> dict[str, Any]:
    """Return the target of a rejected handoff and the reason."""
    return {
        "target": names.speaker(event.to_agent or event.target),
        "why": names.replace_ids(event.why),
        "code": event.code.replace("_", " "),
    }


def request(event: e.HandoffRequested, names: Names) -> dict[str, Any]:
    """Return the target of a requested handoff and its payload."""
    return {"target": names.speaker(event.target), "payload": in_short(event.payload)}


def route(event: e.MessageRouted, names: Names) -> dict[str, Any]:
    """Return the reason of a routing decision."""
    return {"why": names.replace_ids(event.reason)}


def phase_change(event: e.PhaseChanged, names: Names) -> dict[str, Any]:
    """Return the agents of both stages."""
    return {
        "source": names.stage_speaker(event.from_phase),
        "target": names.stage_speaker(event.to_phase),
    }


def loop(event: e.CycleDetected, names: Names) -> dict[str, Any]:
    """Return the agents of a loop; the first is also the last."""
    agents = [*event.loop, event.loop[0]]
    return {"loop": " → ".join(names.speaker(agent).name for agent in agents)}


def executor(event: e.SubtaskStarted | e.SubtaskCompleted, names: Names) -> dict[str, Any]:
    """Return the executor of a subtask: an agent or a group, or another pipeline."""
    is_pipeline = event.kind == "subtask"
    return {"executor": Speaker.named(event.title) if is_pipeline else names.speaker(event.title)}


def pause(event: e.RunPaused, names: Names) -> dict[str, Any]:
    """Return the tool or the agent before which a run pauses."""
    is_tool = event.ahead == "call"
    return {"target": Speaker.named(event.target) if is_tool else names.speaker(event.target)}


def note(event: e.SupervisorNoted, names: Names) -> dict[str, Any]:
    """Return the agent that receives a note, if it is only one."""
    return {} if event.to_agent is None else {"target": names.speaker(event.to_agent)}


def retry(event: e.TurnRetried, names: Names) -> dict[str, Any]:
    """Return the waiting time and the next model."""
    next_model = f"{event.provider} ({event.model})" if event.model else event.provider
    return {"wait": f"{event.wait:.3g}", "next_model": next_model}


def turn(event: e.TurnStarted, names: Names) -> dict[str, Any]:
    """Return the seconds since the model was called, at the time of rendering."""
    return {"waited": max(0, int((timezone.now() - event.at).total_seconds()))}


def answer(event: e.MessageCompleted, names: Names) -> dict[str, Any]:
    """Return an answer, rendered on demand, with a remark if it is incomplete."""
    ending = ENDINGS.get(event.ending, "")
    return {"rendered": partial(render_markdown, event.text), "ending": ending}


def reply(event: e.HumanReplied, names: Names) -> dict[str, Any]:
    """Return a human's answer, rendered on demand."""
    return {"rendered": partial(render_markdown, event.text)}


def end(event: e.RunCompleted, names: Names) -> dict[str, Any]:
    """Return the reason of a run's end in words."""
    return {"reason": event.reason.replace("_", " ")}


def limit(event: e.LimitReached, names: Names) -> dict[str, Any]:
    """Return the used part of a limit in words."""
    return {"amount": amount_in_words(event.resource, event.used, event.limit)}


def call(event: e.ToolCalled | e.ApprovalRequested, names: Names) -> dict[str, Any]:
    """Return the arguments of a call, indented."""
    return {"arguments": _indented(event.call.arguments)}


def decision(event: e.ApprovalGiven, names: Names) -> dict[str, Any]:
    """Return the arguments that a person changed, indented."""
    return {} if event.arguments is None else {"arguments": _indented(event.arguments)}


def result(event: e.ToolReturned, names: Names) -> dict[str, Any]:
    """Return the result of a call, indented."""
    return {"content": _indented(event.result.for_model())}


def _indented(text: str) -> str:
    """Return JSON indented; return any other text unchanged."""
    try:
        return json.dumps(read_json(text, TOOL_JSON), indent=2, ensure_ascii=False)
    except DefinitionError:
        return text

"""Tools of a supervisor: one for each allowed action (contract O-5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

from orchestration.definition import PipelineDefinition, SupervisorAction
from orchestration.tools import ToolSpec


def supervisor_tools(
    definition: PipelineDefinition, targets: Sequence[str]
) -> tuple[ToolSpec, ...]:
    """Return the tools for the actions that the supervision allows.

    `targets` are the agents that a redirection may name; without any it is not offered.
    """
    actions = definition.supervision.may if definition.supervision else ()
    agents = [agent.id for agent in definition.agents if agent.id != definition.supervisor_id]
    return tuple(
        _tool(action, agents, targets) for action in actions if action != "redirect" or targets
    )


def _tool(action: SupervisorAction, agents: Sequence[str], targets: Sequence[str]) -> ToolSpec:
    match action:
        case "note":
            text = _text("The note: facts and advice for the agents.")
            to_agent = {**_text("The agent that gets it; leave it out for all agents.")}
            if agents:
                to_agent["enum"] = list(agents)
            return ToolSpec(
                "note",
                "Send the agents a note that the user does not see.",
                _schema({"text": text, "to_agent": to_agent}, "text"),
                "command",
            )
        case "pause":
            return ToolSpec(
                "pause",
                "Pause the run before its next turn, until a person continues it.",
                _schema({"reason": _reason()}, "reason"),
                "command",
            )
        case "redirect":
            target = {**_text("The agent that answers from now on."), "enum": list(targets)}
            phase = _text("The stage, if the agent serves several.")
            properties = {"target": target, "phase": phase, "reason": _reason()}
            return ToolSpec(
                "redirect",
                "Hand the conversation over to another agent, which answers the user at once.",
                _schema(properties, "target", "reason"),
                "command",
            )
        case "escalate":
            return ToolSpec(
                "escalate",
                "Hand the conversation over to a person. No agent answers any more.",
                _schema({"reason": _reason()}, "reason"),
                "command",
            )
        case _:
            assert_never(action)


def _schema(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _reason() -> dict[str, Any]:
    return _text("The reason, for the people who read the trace.")

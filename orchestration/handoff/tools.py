"""Specifications of the handoff and delegation tools (contract O-8, S-2, S-3, H-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestration.handoff.check import CHANNELS
from orchestration.handoff.tool_names import HANDOFF_TOOL_NAME, SWARM_TOOL_NAME
from orchestration.tools import HandoffOption, ToolSpec

_PURPOSE = (
    "Hand the conversation over to the agent who should answer next. They see the conversation so "
    "far and your summary. Call it only when someone else should answer."
)

_TEXTS: dict[str, dict[str, Any]] = {
    "reason": {"type": "string", "description": "Why the handoff is needed."},
    "summary": {"type": "string", "description": "Information that the target needs."},
}

_CHANNEL: dict[str, Any] = {
    "type": "string",
    "enum": list(CHANNELS),
    "description": "The channel to continue in; same keeps the current one.",
}


def _schema(target: Mapping[str, Any], next_phase: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "target": target,
            **_TEXTS,
            "next_phase": next_phase,
            "channel_escalation": _CHANNEL,
        },
        "required": ["target", "reason", "summary"],
    }


HANDOFF_TOOL = ToolSpec(
    HANDOFF_TOOL_NAME,
    _PURPOSE,
    _schema(
        {"type": "string", "description": "The agent's id or alias, or human."},
        {"type": "string", "description": "The target phase, if it is not the target's default."},
    ),
)
"""Handoff tool for targets that are not known in advance."""


def handoff_tools(
    options: Sequence[HandoffOption], name: str = "", *, among_peers: bool = False
) -> list[ToolSpec]:
    """Return the tools that offer exactly these targets.

    One common tool for all transitions without an input schema (in a swarm a shorter one, contract
    S-2), and one tool for each transition with an input schema (contract S-3). `name` replaces the
    default name of the common tool.
    """
    shared = [option for option in options if option.schema is None]
    tools = [_own_tool(option, option.schema) for option in options if option.schema is not None]
    if shared and among_peers:
        tools.insert(0, _peers_tool(name or SWARM_TOOL_NAME, shared))
    elif shared:
        tools.insert(0, _shared_tool(name or HANDOFF_TOOL_NAME, shared))
    return tools


def delegate_tool(option: HandoffOption) -> ToolSpec:
    """Return the tool to delegate a task from the lead of a team to a worker (contract H-5)."""
    text = " ".join(option.description.split())
    name = option.agent_name or option.target
    return ToolSpec(
        option.tool,
        f"Have {name} do a task, and get the answer.{' ' + text if text else ''}",
        _TASK,
        "delegate",
        (option,),
    )


_TASK: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": {
            "type": "string",
            "description": "All information they need: they see nothing else.",
        }
    },
    "required": ["task"],
}


def _shared_tool(name: str, options: Sequence[HandoffOption]) -> ToolSpec:
    phases = list(dict.fromkeys(option.phase for option in options))
    return ToolSpec(
        name,
        "\n".join([_PURPOSE, "You can hand over to:", *map(_stage_line, options)]),
        _schema(
            {
                "type": "string",
                "enum": _targets(options),
                "description": "The agent that takes over.",
            },
            {
                "type": "string",
                "enum": phases,
                "description": "The target stage; required if the target serves several.",
            },
        ),
        "handoff",
        tuple(options),
    )


def _peers_tool(name: str, options: Sequence[HandoffOption]) -> ToolSpec:
    return ToolSpec(
        name,
        "\n".join([_PURPOSE, "You can hand over to:", *map(_peer_line, options)]),
        {
            "type": "object",
            "properties": {
                "target": {
                    "type": "string",
                    "enum": _targets(options),
                    "description": "The agent that takes over.",
                },
                "message": {"type": "string", "description": "Information that the target needs."},
            },
            "required": ["target"],
        },
        "handoff",
        tuple(options),
    )


def _own_tool(option: HandoffOption, schema: Mapping[str, Any]) -> ToolSpec:
    text = " ".join(option.description.split())
    purpose = f"Transfer the conversation to {option.agent_name or option.target}."
    description = text if text.startswith(purpose) else f"{purpose} {text}".strip()
    return ToolSpec(option.tool, description, schema, "transfer", (option,))


def _targets(options: Sequence[HandoffOption]) -> list[str]:
    return list(dict.fromkeys(option.target for option in options))


def _stage_line(option: HandoffOption) -> str:
    """`- agent-reviewer (Reviewer), stage review: checks the draft`."""
    back = ", back" if option.kind == "return" else ""
    return _entry(option, f", stage {option.phase}{back}")


def _peer_line(option: HandoffOption) -> str:
    """`- agent-reviewer (Reviewer): checks the draft`."""
    return _entry(option, "")


def _entry(option: HandoffOption, stage: str) -> str:
    has_name = option.agent_name and option.agent_name != option.target
    name = f" ({option.agent_name})" if has_name else ""
    text = " ".join(option.description.split())
    return f"- {option.target}{name}{stage}{': ' + text if text else ''}"

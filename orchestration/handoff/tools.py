"""Specifications of the handoff and delegation tools (contract O-8, S-2, S-3, H-5)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from orchestration.definition import HUMAN
from orchestration.handoff.check import CHANNELS, HandoffHandler, HandoffRequest
from orchestration.handoff.tool_names import HANDOFF_TOOL_NAME, SWARM_TOOL_NAME
from orchestration.state import ConversationState
from orchestration.tools import HandoffOption, ToolSpec

_PURPOSE = (
    "Hand the conversation over to whoever should answer next. They see the conversation so far "
    "and your summary. Call it only when someone else should answer."
)

_TEXTS: dict[str, dict[str, Any]] = {
    "reason": {"type": "string", "description": "Why the handoff is needed."},
    "summary": {"type": "string", "description": "What the next one needs to know."},
}

_CHANNEL: dict[str, Any] = {
    "type": "string",
    "enum": list(CHANNELS),
    "description": "The channel to go on in; same: as now.",
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
        {"type": "string", "description": "The phase to go to, if it is not the usual one."},
    ),
)
"""The tool where the targets are not known beforehand."""


def handoff_tools(
    ways: Sequence[HandoffOption], name: str = "", *, among_peers: bool = False
) -> list[ToolSpec]:
    """The tools that offer exactly these ways; none where there are none.

    One tool for all transitions without a schema (in a swarm the short one, contract S-2), and one
    for each transition with an input schema (contract S-3). `name` replaces the default name of
    the common tool.
    """
    shared = [way for way in ways if way.schema is None]
    tools = [_own_tool(way, way.schema) for way in ways if way.schema is not None]
    if shared and among_peers:
        tools.insert(0, _peers_tool(name or SWARM_TOOL_NAME, shared))
    elif shared:
        tools.insert(0, _shared_tool(name or HANDOFF_TOOL_NAME, shared))
    return tools


def delegate_tool(way: HandoffOption) -> ToolSpec:
    """The tool by which the lead of a team has one of the others do a task (contract H-5)."""
    text = " ".join(way.description.split())
    name = way.agent_name or way.target
    return ToolSpec(
        way.tool,
        f"Have {name} do a task, and get the answer.{' ' + text if text else ''}",
        _TASK,
        "delegate",
        (way,),
    )


_TASK: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": {"type": "string", "description": "All they need to know: they see nothing else."}
    },
    "required": ["task"],
}


def _shared_tool(name: str, ways: Sequence[HandoffOption]) -> ToolSpec:
    phases = list(dict.fromkeys(way.phase for way in ways))
    return ToolSpec(
        name,
        "\n".join([_PURPOSE, "You can hand over to:", *map(_line, ways)]),
        _schema(
            {"type": "string", "enum": _targets(ways), "description": "Who takes over."},
            {
                "type": "string",
                "enum": phases,
                "description": "The stage meant, needed where the target serves several.",
            },
        ),
        "handoff",
        tuple(ways),
    )


def _peers_tool(name: str, ways: Sequence[HandoffOption]) -> ToolSpec:
    return ToolSpec(
        name,
        "\n".join([_PURPOSE, "You can hand over to:", *map(_peer, ways)]),
        {
            "type": "object",
            "properties": {
                "target": {
                    "type": "string",
                    "enum": _targets(ways),
                    "description": "Who takes over.",
                },
                "message": {"type": "string", "description": "What the next one needs to know."},
            },
            "required": ["target"],
        },
        "handoff",
        tuple(ways),
    )


def _own_tool(way: HandoffOption, schema: Mapping[str, Any]) -> ToolSpec:
    text = " ".join(way.description.split())
    purpose = f"Transfer the conversation to {way.agent_name or way.target}."
    told = text if text.startswith(purpose) else f"{purpose} {text}".strip()
    return ToolSpec(way.tool, told, schema, "transfer", (way,))


def _targets(ways: Sequence[HandoffOption]) -> list[str]:
    return list(dict.fromkeys(way.target for way in ways))


def _line(way: HandoffOption) -> str:
    """`- agent-reviewer (Reviewer), stage review: checks what was written`."""
    back = ", back" if way.kind == "return" else ""
    return _entry(way, f", stage {way.phase}{back}")


def _peer(way: HandoffOption) -> str:
    """`- agent-reviewer (Reviewer): checks what was written`."""
    return _entry(way, "")


def _entry(way: HandoffOption, place: str) -> str:
    name = f" ({way.agent_name})" if way.agent_name and way.agent_name != way.target else ""
    text = " ".join(way.description.split())
    return f"- {way.target}{name}{place}{': ' + text if text else ''}"


class HandsOver(Protocol):
    """An agent of the caller's own that calls tools: what `setup_handoff` can equip."""

    id: str
    tools: list[ToolSpec]
    tool_handler: Callable[[str, str], Awaitable[str]]
    """Takes a tool's name and its arguments as JSON; gives the result for the model."""
    state: ConversationState


def setup_handoff(agent: HandsOver, handler: HandoffHandler) -> None:
    """Give an agent the handoff tool, and let `handler` answer its calls (contract O-8).

    An accepted handoff puts the new state on the agent; all other calls go where they went.
    """
    inner = agent.tool_handler

    async def answer(name: str, arguments: str) -> str:
        if name != HANDOFF_TOOL_NAME:
            return await inner(name, arguments)
        request = HandoffRequest.parse(arguments)
        if isinstance(request, str):
            return json.dumps({"accepted": False, "reason": request})
        result = handler.decide(request, agent.state)
        if not result.accepted:
            return json.dumps({"accepted": False, "reason": result.why})
        agent.state = result.state
        return json.dumps(
            {"accepted": True, "target": result.to_agent or HUMAN, "phase": result.to_phase}
        )

    agent.tools = [*(tool for tool in agent.tools if tool.name != HANDOFF_TOOL_NAME), HANDOFF_TOOL]
    agent.tool_handler = answer

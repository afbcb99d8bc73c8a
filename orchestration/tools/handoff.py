"""The handoff tool as a model sees it (row O-8)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from orchestration.definition import HUMAN
from orchestration.handoff import CHANNELS, HANDOFF_TOOL_NAME, HandoffHandler, HandoffRequest, Way
from orchestration.state import ConversationState
from orchestration.tools.spec import ToolSpec

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


def handoff_tool(ways: Sequence[Way]) -> ToolSpec | None:
    """The tool that offers exactly these ways; None where there are none."""
    if not ways:
        return None
    targets = list(dict.fromkeys(way.target for way in ways))
    phases = list(dict.fromkeys(way.phase for way in ways))
    return ToolSpec(
        HANDOFF_TOOL_NAME,
        "\n".join([_PURPOSE, "You can hand over to:", *map(_line, ways)]),
        _schema(
            {"type": "string", "enum": targets, "description": "Who takes over."},
            {
                "type": "string",
                "enum": phases,
                "description": "The stage meant, needed where the target serves several.",
            },
        ),
    )


def _line(way: Way) -> str:
    """`- agent-reviewer (Reviewer), stage review: checks what was written`."""
    name = f" ({way.agent_name})" if way.agent_name and way.agent_name != way.target else ""
    back = ", back" if way.kind == "return" else ""
    text = " ".join(way.description.split())
    return f"- {way.target}{name}, stage {way.phase}{back}{': ' + text if text else ''}"


class HandsOver(Protocol):
    """An agent of the caller's own that calls tools: what `setup_handoff` can equip."""

    id: str
    tools: list[ToolSpec]
    tool_handler: Callable[[str, str], Awaitable[str]]
    """Takes a tool's name and its arguments as JSON; gives the result for the model."""
    state: ConversationState


def setup_handoff(agent: HandsOver, handler: HandoffHandler) -> None:
    """Give an agent the handoff tool, and let `handler` answer its calls (row O-8).

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

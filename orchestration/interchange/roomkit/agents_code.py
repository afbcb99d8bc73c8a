"""File `agents.py` of a project for RoomKit: the pipeline, the router and the agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestration.definition import Agent, PipelineDefinition, Rule
from orchestration.interchange.project import ToolNames, module, uses_routing
from orchestration.interchange.python_code import (
    LINE_LENGTH,
    Call,
    Code,
    assignment,
    literal,
)
from orchestration.interchange.roomkit.schemas import is_portable
from orchestration.interchange.roomkit.stages import ALL_MESSAGES, RoomStages

CHANNEL_TYPES = frozenset(
    (
        "sms",
        "mms",
        "rcs",
        "email",
        "whatsapp",
        "whatsapp_personal",
        "websocket",
        "ai",
        "voice",
        "realtime_voice",
        "push",
        "messenger",
        "telegram",
        "teams",
        "discord",
        "webhook",
        "video",
        "cli",
        "system",
    )
)
"""Types of channels that RoomKit knows."""


_HOLDS = '''\
def holds(rule_id: str) -> Callable[[RoomEvent, RoomContext, ConversationState], bool]:
    """Return the condition of a rule of `route.py`."""
    rule = next(each for each in route.ROUTER.rules if each.id == rule_id)

    def condition(event: RoomEvent, context: RoomContext, state: ConversationState) -> bool:
        metadata = event.metadata or {}
        message = route.IncomingMessage(
            text=getattr(event.content, "body", ""),
            channel_type=str(event.source.channel_type),
            intent=metadata.get("intent"),
            source_channel_id=event.source.channel_id,
        )
        current = route.State(
            phase=state.phase,
            active_agent_id=state.active_agent_id,
            messages=len(context.recent_events),
            handoff_count=state.handoff_count,
            variables=context.room.metadata.get("variables", {}),
        )
        try:
            return rule.holds(message, current)
        except NotImplementedError:
            logger.error("The condition of the rule %s is not written: see route.py.", rule_id)
            return False

    return condition'''


def agents_module(
    definition: PipelineDefinition, stages: RoomStages, tools: Mapping[str, ToolNames]
) -> str:
    """Return the module."""
    rules = _rules(definition)
    used = sorted(
        {tools[name].tool for agent in stages.agents for name in agent.tools if name in tools}
    )
    pipeline = Call(
        "ConversationPipeline",
        (),
        {
            "stages": [Call("PipelineStage", (), each) for each in stages.values],
            "default_phase": stages.entry,
            **({"supervisor_id": stages.supervisor} if stages.supervisor else {}),
        },
    )
    router: dict[str, Any] = {"pipeline": Code("PIPELINE"), "entry": stages.entry}
    router |= {"rules": rules} if rules else {}
    default = stages.default_agent
    router |= {"default_agent_id": default} if default else {}
    router |= {"supervisor_id": stages.supervisor} if stages.supervisor else {}
    is_custom = any(each.conditions.custom or _is_custom(each) for each in definition.rules)
    return module(
        _head(bool(rules), bool(rules) and is_custom, used),
        "logger = logging.getLogger(__name__)" if rules and is_custom else "",
        _HOLDS if rules and is_custom else "",
        [
            assignment("PIPELINE", pipeline),
            assignment("ROUTER", Call("StageRouter", (), router)),
            f"ALIASES: dict[str, str] = {literal(dict(definition.aliases), 0, 25)}",
        ],
        _create(definition, stages, tools),
    )


def _head(has_rules: bool, is_custom: bool, tools: list[str]) -> str:
    names = ["Agent", "ConversationPipeline", "PipelineStage"]
    names += ["RoutingConditions", "RoutingRule"] if has_rules else []
    names += ["ConversationState", "RoomContext", "RoomEvent"] if is_custom else []
    lines = [
        '"""Agents, stages and routing of the conversation."""',
        "",
        "from __future__ import annotations",
        "",
        *(["import logging"] if is_custom else []),
        "from collections.abc import Callable",
        "",
        *(["import route"] if is_custom else []),
        _import("roomkit", names),
        "from roomkit.providers.ai.base import AIProvider",
        *([_import("tools", tools)] if tools else []),
        "from wiring import StageRouter, history",
    ]
    return "\n".join(lines)


def _import(name: str, names: list[str]) -> str:
    line = f"from {name} import {', '.join(sorted(names))}"
    if len(line) <= LINE_LENGTH:
        return line
    return "\n".join([f"from {name} import (", *[f"    {each}," for each in sorted(names)], ")"])


def _rules(definition: PipelineDefinition) -> list[Call]:
    if not uses_routing(definition):
        return []
    return [
        Call("RoutingRule", (), _rule(each))
        for each in definition.rules
        if each.agent_id in definition.agents_by_id
    ]


def _rule(rule: Rule) -> dict[str, Any]:
    conditions, found = rule.conditions, dict[str, Any]()
    if _is_custom(rule):
        found["custom"] = Call("holds", (rule.id,))
    else:
        names = ("phases", "channel_types", "intents", "source_channel_ids")
        values = {name: getattr(conditions, name) for name in names}
        found = {name: set(each) for name, each in values.items() if each is not None}
    fields: dict[str, Any] = {
        "agent_id": rule.agent_id,
        "conditions": Call("RoutingConditions", (), found),
    }
    return fields | ({"priority": rule.priority} if rule.priority else {})


def _is_custom(rule: Rule) -> bool:
    """Report whether a rule needs more than the sets of RoomKit's conditions."""
    conditions = rule.conditions
    types = conditions.channel_types
    return bool(conditions.rows or conditions.custom) or not set(types or ()) <= CHANNEL_TYPES


def _create(
    definition: PipelineDefinition, stages: RoomStages, tools: Mapping[str, ToolNames]
) -> str:
    agents = [Call("Agent", (each.id,), _agent(each, stages, tools)) for each in stages.agents]
    body = literal(agents, 4, len("    return "))
    return (
        "def create_agents(provider: Callable[[str, str], AIProvider]) -> list[Agent]:\n"
        '    """Return the agents; `provider` is called with the names of provider and model."""\n'
        f"    return {body}"
    )


def _agent(agent: Agent, stages: RoomStages, tools: Mapping[str, ToolNames]) -> dict[str, Any]:
    given = {
        "name": agent.name,
        "description": stages.description_of(agent.id),
        "language": agent.language or None,
        "temperature": agent.temperature,
        "max_tokens": agent.max_output_tokens,
        "reasoning_effort": agent.reasoning_effort,
        "response_schema": agent.response_schema if is_portable(agent.response_schema) else None,
        "tools": [Code(tools[each].tool) for each in agent.tools if each in tools] or None,
    }
    window = stages.window_of(agent.id)
    return {
        "provider": Call("provider", (agent.provider, agent.model)),
        "system_prompt": agent.instructions,
        **{key: each for key, each in given.items() if each is not None},
        "memory": Call("history", () if window == ALL_MESSAGES else (window,)),
    }

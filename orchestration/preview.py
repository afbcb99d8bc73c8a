"""What the model sees in a stage: the parts of its prompt and its tools (rows O-8 and T-3).

The loop sends what this module says, and the inspector shows it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from orchestration.definition import HUMAN, Agent, PipelineDefinition
from orchestration.handoff import HANDOFF_TOOL_NAME, Way, human_phase
from orchestration.prompts import PromptPart, first_sentence, joined, system_parts
from orchestration.providers.base import estimate_tokens
from orchestration.state import ConversationPhase
from orchestration.tools.handoff import handoff_tool
from orchestration.tools.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class Offer:
    """What an agent is given in a stage, whatever was said so far."""

    agent: Agent | None
    """None: no agent serves the stage, so no model is asked."""
    phase: str
    system_parts: tuple[PromptPart, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    ways: tuple[Way, ...] = ()
    tokens: int = 0
    """Estimated tokens of the parts and the tools."""

    @property
    def system(self) -> str:
        """The system prompt as it is sent."""
        return joined(self.system_parts)


def offer(definition: PipelineDefinition, phase: str, agent_id: str | None = None) -> Offer:
    """What the stage's agent, or `agent_id` in its place, is offered in `phase`.

    Costs what the stage and its transitions cost, whatever the size of the pipeline.
    """
    stage = definition.stages_by_phase.get(phase)
    served_by = agent_id or (stage.agent_id if stage else None)
    agent = definition.agents_by_id.get(served_by) if served_by else None
    found = ways(definition, phase)
    if agent is None:
        return Offer(None, phase, ways=found)
    tools = [
        ToolSpec(tool.name, tool.description, tool.parameters)
        for name in agent.tools
        if name != HANDOFF_TOOL_NAME and (tool := definition.tools_by_name.get(name))
    ]
    if handing_over := handoff_tool(found):
        tools.append(handing_over)
    parts = system_parts(agent, phase, stage, found)
    return Offer(agent, phase, parts, tuple(tools), found, _tokens(parts, tools))


def _tokens(parts: Sequence[PromptPart], tools: Sequence[ToolSpec]) -> int:
    schemas = (
        f"{tool.name}{tool.description}{json.dumps(dict(tool.parameters))}" for tool in tools
    )
    return sum(map(estimate_tokens, [*(part.text for part in parts), *schemas]))


def ways(definition: PipelineDefinition, phase: str) -> tuple[Way, ...]:
    """Where a handoff may lead from `phase`; nowhere from a terminal stage."""
    found: list[Way] = []
    for transition in definition.transitions_from.get(phase, ()):
        stage = definition.stages_by_phase.get(transition.target)
        if stage is None:
            continue
        if stage.kind == "human":
            text = transition.description or stage.description or "A person takes over."
            found.append(Way(stage.phase, None, "", "human", text))
        elif stage.agent_id in definition.agents_by_id:
            agent = definition.agents_by_id[stage.agent_id or ""]
            text = "; ".join(filter(None, (transition.description, stage.description)))
            text = text or first_sentence(agent.instructions)
            found.append(Way(stage.phase, agent.id, agent.name, transition.kind, text))
    if found and definition.allow_human and all(way.target != HUMAN for way in found):
        text = "A person takes over, and no agent answers any more."
        drawn = definition.stages_by_phase.get(ConversationPhase.ESCALATION.value)
        owner = drawn.agent_id if drawn and drawn.kind != "human" else None
        known = owner if owner in definition.agents_by_id else None
        found.append(Way(human_phase(phase, known), None, "", "human", text))
    return tuple(found)

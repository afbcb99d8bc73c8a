"""What the models see in a stage: their tools and their prompts, exactly as they are sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from designer.fragments.signatures import signature
from orchestration.definition import PipelineDefinition
from orchestration.preview import Offer, offer


@dataclass(frozen=True, slots=True)
class Sight:
    """What one model sees."""

    name: str
    """The agent's."""
    signatures: str
    prompt: Sequence[tuple[str, str]]
    """Each part of the system prompt: where it comes from, and its text."""
    tools: str
    """The tools as they are sent, with their JSON Schemas."""


def sights(definition: PipelineDefinition, phase: str) -> list[Sight]:
    """What the model sees in a stage, or each of a group's; nothing where no model is asked."""
    stage = definition.stages_by_phase[phase]
    if stage.kind != "group":
        found = [_sight(offer(definition, phase), _without_tools(definition, phase))]
    else:
        alone = definition.model_copy(update={"topology": "pipeline", "transitions": ()})
        found = [_sight(offer(alone, phase, key), _IN_A_GROUP) for key in stage.agent_ids]
    return [sight for sight in found if sight]


def _sight(offered: Offer, without_tools: str) -> Sight | None:
    if offered.agent is None:
        return None
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in offered.tools
    ]
    return Sight(
        name=offered.agent.name,
        signatures="\n".join(map(signature, offered.tools)) or without_tools,
        prompt=[(part.kind, part.text) for part in offered.system_parts],
        tools=json.dumps(tools, indent=2, ensure_ascii=False),
    )


_IN_A_GROUP = "No tools: it answers, and the group moves on."


def _without_tools(definition: PipelineDefinition, phase: str) -> str:
    if definition.topology == "workflow":
        return "No tools: what it answers goes on by itself."
    if definition.topology == "team" and phase != definition.entry:
        return "No tools: it does what it is asked to, and answers."
    if definition.transitions_from.get(phase):
        return "No tools: nobody serves a stage that it leads to."
    if definition.topology == "team":
        return "No tools: there is nobody yet to delegate to."
    return "No tools: this stage is the end of the way."

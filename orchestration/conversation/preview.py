"""The model's view of a stage: the parts of its prompt and its tools (contract O-8 and T-3).

The loop sends what this module says, and the inspector shows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestration.definition import HUMAN, Agent, PipelineDefinition, Stage, Transition
from orchestration.handoff import delegate_tool, handoff_tools, human_phase, passing_tool_names
from orchestration.prompts import PromptPart, first_sentence, joined, system_parts
from orchestration.state import ConversationPhase
from orchestration.tokens import estimate_tokens
from orchestration.tools import HandoffOption, ToolSpec


@dataclass(frozen=True, slots=True)
class Offer:
    """Prompt parts and tools of an agent in a stage, independent of the history."""

    agent: Agent | None
    """None: no agent serves the stage, so no model is asked."""
    phase: str
    system_parts: tuple[PromptPart, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    options: tuple[HandoffOption, ...] = ()
    """Possible targets of a handoff or a delegation."""
    tokens: int = 0
    """Estimated tokens of the parts and the tools."""
    by_name: Mapping[str, ToolSpec] = field(init=False, repr=False, compare=False)
    tool_names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {tool.name: tool for tool in self.tools})
        object.__setattr__(self, "tool_names", tuple(self.by_name))

    @property
    def system(self) -> str:
        """The system prompt as it is sent."""
        return joined(self.system_parts)


def offer(definition: PipelineDefinition, phase: str, agent_id: str | None = None) -> Offer:
    """Return the offer of the stage's agent, or of `agent_id` in its place, in `phase`.

    Costs what the stage and its transitions cost, whatever the size of the pipeline.
    """
    stage = definition.stages_by_phase.get(phase)
    served_by = agent_id or (stage.agent_id if stage else None)
    agent = definition.agents_by_id.get(served_by) if served_by else None
    found = ways(definition, phase)
    if agent is None:
        return Offer(None, phase, options=found)
    passing = _passing_on(definition, found)
    taken = {tool.name for tool in passing}
    own = [
        ToolSpec(
            tool.name,
            tool.description,
            tool.parameters,
            "function" if tool.stand_in else tool.kind,
        )
        for name in agent.tools
        if name not in taken and (tool := definition.tools_by_name.get(name))
    ]
    tools = (*own, *passing)
    parts = system_parts(agent, phase, stage, definition.topology, passing)
    return Offer(agent, phase, parts, tools, found, _tokens(parts, tools))


def _passing_on(definition: PipelineDefinition, found: Sequence[HandoffOption]) -> list[ToolSpec]:
    """The tools by which the conversation, or a task, is passed on along these ways."""
    match definition.topology:
        case "pipeline":
            return handoff_tools(found, definition.handoff_tool_name or "")
        case "swarm":
            return handoff_tools(found, definition.handoff_tool_name or "", among_peers=True)
        case "team":
            return [delegate_tool(way) for way in found if way.target != HUMAN]
        case "workflow":
            return []


def _tokens(parts: Sequence[PromptPart], tools: Sequence[ToolSpec]) -> int:
    schemas = (
        f"{tool.name}{tool.description}{json.dumps(dict(tool.parameters))}" for tool in tools
    )
    return sum(map(estimate_tokens, [*(part.text for part in parts), *schemas]))


def ways(definition: PipelineDefinition, phase: str) -> tuple[HandoffOption, ...]:
    """List the targets that the conversation, or in a team a task, can go to from `phase`.

    Nowhere from a terminal stage; in a team only the entry leads anywhere, and in a workflow each
    stage to its `next` alone.
    """
    if definition.topology == "team" and phase != definition.entry:
        return ()
    tools = passing_tool_names(phase, definition)
    found = [
        way
        for transition in definition.transitions_from.get(phase, ())
        if (definition.topology != "workflow" or transition.kind == "next")
        and (way := _way(definition, transition, tools.get(transition.target, "")))
    ]
    may_call_human = definition.allow_human and definition.topology in ("pipeline", "swarm")
    if found and may_call_human and all(way.target != HUMAN for way in found):
        text = "A person takes over, and no agent answers any more."
        drawn = definition.stages_by_phase.get(ConversationPhase.ESCALATION.value)
        owner = _server(definition, drawn) if drawn and drawn.kind != "human" else None
        found.append(HandoffOption(human_phase(phase, owner), None, "", "human", text))
    return tuple(found)


def _way(definition: PipelineDefinition, transition: Transition, tool: str) -> HandoffOption | None:
    """The way along a transition; None where nobody stands at its end.

    `tool` is the one for this way alone, if there is one.
    """
    stage = definition.stages_by_phase.get(transition.target)
    if stage is None:
        return None
    if stage.kind == "human":
        text = transition.description or stage.description or "A person takes over."
        return HandoffOption(stage.phase, None, "", "human", text)
    target = _server(definition, stage)
    if target is None:
        return None
    agent = definition.agents_by_id.get(target)
    text = "; ".join(filter(None, (transition.description, stage.description)))
    text = text or (first_sentence(agent.instructions) if agent else "")
    name = agent.name if agent else ""
    typed = definition.topology in ("pipeline", "swarm")
    schema = transition.input_schema if typed else None
    return HandoffOption(stage.phase, target, name, transition.kind, text, tool, schema)


def _server(definition: PipelineDefinition, stage: Stage) -> str | None:
    """Return a stage's server: an agent's id, the stage's key for a group, or None."""
    if stage.kind == "group":
        return stage.phase if stage.group else None
    return stage.agent_id if stage.agent_id in definition.agents_by_id else None

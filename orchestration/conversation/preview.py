"""The model's view of a stage: the parts of its prompt and its tools (contract O-8 and T-3).

The loop sends these parts to the model, and the inspector displays them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestration.conversation.supervision.tools import supervisor_tools
from orchestration.definition import (
    HUMAN,
    Agent,
    PipelineDefinition,
    Stage,
    Transition,
    fill_variables,
    variable_references,
)
from orchestration.handoff import delegate_tool, handoff_tools, human_phase, passing_tool_names
from orchestration.prompts import (
    PromptPart,
    first_sentence,
    joined,
    supervisor_parts,
    system_parts,
)
from orchestration.state import ConversationPhase
from orchestration.tokens import estimate_tokens
from orchestration.tools import HandoffOption, ToolSpec


@dataclass(frozen=True, slots=True)
class Offer:
    """Prompt parts and tools of an agent in a stage, independent of the history."""

    agent: Agent | None
    """None: no agent serves the stage, so no model is called."""
    phase: str
    system_parts: tuple[PromptPart, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    options: tuple[HandoffOption, ...] = ()
    """Possible targets of a handoff or a delegation."""
    tokens: int = 0
    """Estimated tokens of the parts and the tools."""
    by_name: Mapping[str, ToolSpec] = field(init=False, repr=False, compare=False)
    tool_names: tuple[str, ...] = field(init=False, repr=False, compare=False)
    provider: str = field(init=False, repr=False, compare=False)
    fallback: str | None = field(init=False, repr=False, compare=False)
    """Providers of the agent."""
    has_schema: bool = field(init=False, repr=False, compare=False)
    """True if the agent has a response schema."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {tool.name: tool for tool in self.tools})
        object.__setattr__(self, "tool_names", tuple(self.by_name))
        object.__setattr__(self, "provider", self.agent.provider if self.agent else "")
        object.__setattr__(self, "fallback", self.agent.fallback if self.agent else None)
        schema = self.agent.response_schema if self.agent else None
        object.__setattr__(self, "has_schema", schema is not None)

    @property
    def system(self) -> str:
        """The complete system prompt."""
        return joined(self.system_parts)


def offer(
    definition: PipelineDefinition,
    phase: str,
    agent_id: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Offer:
    """Return the offer of the stage's agent, or of `agent_id` in its place, in `phase`.

    The variables have the given values, or their defaults.
    The cost depends only on the stage and its transitions, not on the size of the pipeline.
    """
    stage = definition.stages_by_phase.get(phase)
    served_by = agent_id or (stage.agent_id if stage else None)
    agent = definition.agents_by_id.get(served_by) if served_by else None
    values = definition.variables if variables is None else variables
    options = handoff_options(definition, phase, values)
    if agent is None:
        return Offer(None, phase, options=options)
    agent, names = _filled(agent, values)
    handoffs = _handoff_tools(definition, options)
    handoff_names = [tool.name for tool in handoffs]
    own = [
        ToolSpec(
            tool.name,
            tool.description,
            tool.parameters,
            "function" if tool.stand_in else tool.kind,
        )
        for name in agent.tools
        if name not in handoff_names and (tool := definition.tools_by_name.get(name))
    ]
    tools = (*own, *handoffs)
    parts = system_parts(agent, phase, stage, definition.topology, handoff_names, names)
    return Offer(agent, phase, parts, tools, options, _tokens(parts, tools))


def supervisor_offer(
    definition: PipelineDefinition,
    phase: str,
    agent_id: str,
    tools: tuple[ToolSpec, ...],
    variables: Mapping[str, str],
) -> Offer:
    """Return the offer of a supervisor in `phase`: only its own tools."""
    agent = definition.agents_by_id.get(agent_id)
    if agent is None:
        return Offer(None, phase)
    agent, names = _filled(agent, variables)
    parts = supervisor_parts(agent, phase, tools, names)
    return Offer(agent, phase, parts, tools, (), _tokens(parts, tools))


def supervising_offer(definition: PipelineDefinition, phase: str) -> Offer | None:
    """Return what the supervisor gets at a call in `phase`; None if its model is never called."""
    supervision, agent_id = definition.supervision, definition.supervisor_id
    if supervision is None or not supervision.ask_at or agent_id not in definition.agents_by_id:
        return None
    served = (
        _server(definition, stage)
        for each in definition.transitions_from.get(phase, ())
        if (stage := definition.stages_by_phase.get(each.target))
    )
    tools = supervisor_tools(definition, sorted({name for name in served if name}))
    return supervisor_offer(definition, phase, str(agent_id), tools, definition.variables)


def _filled(agent: Agent, variables: Mapping[str, str]) -> tuple[Agent, tuple[str, ...]]:
    """Return the agent with the values in its instructions and cues, and the names in the former.

    The answer of a cue contains the values without quotes: the user reads it, and no model.
    """
    if not variables:
        return agent, ()
    names = tuple(name for name in variable_references(agent.instructions) if name in variables)
    cues = tuple(
        cue.model_copy(update={"say": fill_variables(cue.say, variables, is_quoted=False)})
        if "{{" in cue.say
        else cue
        for cue in agent.cues
    )
    changes = {"instructions": fill_variables(agent.instructions, variables), "cues": cues}
    return agent.model_copy(update=changes), names


def _handoff_tools(
    definition: PipelineDefinition, options: Sequence[HandoffOption]
) -> list[ToolSpec]:
    """Return the tools that hand over the conversation, or delegate a task, to these options."""
    match definition.topology:
        case "pipeline":
            return handoff_tools(options, definition.handoff_tool_name or "")
        case "swarm":
            return handoff_tools(options, definition.handoff_tool_name or "", among_peers=True)
        case "team":
            return [delegate_tool(option) for option in options if option.target != HUMAN]
        case "workflow":
            return []


def _tokens(parts: Sequence[PromptPart], tools: Sequence[ToolSpec]) -> int:
    schemas = (
        f"{tool.name}{tool.description}{json.dumps(dict(tool.parameters))}" for tool in tools
    )
    return sum(map(estimate_tokens, [*(part.text for part in parts), *schemas]))


def handoff_options(
    definition: PipelineDefinition, phase: str, variables: Mapping[str, str]
) -> tuple[HandoffOption, ...]:
    """Return the targets of a handoff, or in a team of a delegation, from `phase`.

    A terminal stage has none. In a team only the entry has targets, and in a workflow each stage
    has only its `next` stage.
    """
    if definition.topology == "team" and phase != definition.entry:
        return ()
    tools = passing_tool_names(phase, definition)
    options = [
        option
        for transition in definition.transitions_from.get(phase, ())
        if (definition.topology != "workflow" or transition.kind == "next")
        and (option := _option(definition, transition, tools.get(transition.target, ""), variables))
    ]
    may_call_human = definition.allow_human and definition.topology in ("pipeline", "swarm")
    if options and may_call_human and all(option.target != HUMAN for option in options):
        text = "A person takes over, and no agent answers any more."
        stage = definition.stages_by_phase.get(ConversationPhase.ESCALATION.value)
        server = _server(definition, stage) if stage and stage.kind != "human" else None
        options.append(HandoffOption(human_phase(phase, server), None, "", "human", text))
    return tuple(options)


def _option(
    definition: PipelineDefinition, transition: Transition, tool: str, variables: Mapping[str, str]
) -> HandoffOption | None:
    """Return the option of a transition; None if its target is not served.

    `tool` is the handoff tool of this transition, or empty.
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
    text = text or (first_sentence(fill_variables(agent.instructions, variables)) if agent else "")
    name = agent.name if agent else ""
    typed = definition.topology in ("pipeline", "swarm")
    schema = transition.input_schema if typed else None
    aliases = tuple(alias for alias, named in definition.aliases.items() if named == target)
    return HandoffOption(stage.phase, target, name, transition.kind, text, tool, schema, aliases)


def _server(definition: PipelineDefinition, stage: Stage) -> str | None:
    """Return the server of a stage: an agent's id, the phase of a group, or None."""
    if stage.kind == "group":
        return stage.phase if stage.group else None
    return stage.agent_id if stage.agent_id in definition.agents_by_id else None

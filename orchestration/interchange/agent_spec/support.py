"""Support of each feature in Agent Spec, with exceptions for single parts of a definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from orchestration.definition import Agent, PipelineDefinition, variable_references
from orchestration.graph import can_be_taken
from orchestration.interchange.agent_spec.properties import inputs_of, parameters_of
from orchestration.interchange.agent_spec.reading import FORMAT_KEY, read, recognises
from orchestration.interchange.agent_spec.structure import Structure, first_agents, structure_of
from orchestration.interchange.agent_spec.tools import placeholders, sends_other_texts
from orchestration.interchange.agent_spec.writing import write
from orchestration.interchange.features import pair
from orchestration.interchange.formats import Format
from orchestration.interchange.results import Support


def _kept(consequence: str = "", becomes: str = "metadata", *, same: bool = False) -> Support:
    return Support("metadata", becomes, consequence, differs=not same)


_OUTSIDE = _kept("Other programs do not reach this stage.")
_LONE = _kept("Other programs do not use this agent.")
_APART = _kept("Other programs do not offer this handoff.")
_UNUSED = _kept("Other programs do not take this transition, and neither does Baton.", same=True)
_START = _kept("Other programs begin with another agent.")
_DOTTED = _kept("Other programs do not fill in names with a dot.")
_SIMPLE_ANSWER = _kept("Answers have a simpler schema, or none.", "outputs")
_SIMPLE_TOOL = _kept("Models see simpler parameters.", "inputs")
_CONNECTED = _kept("Connection and part of the answer are not used.", "RemoteTool")
_TEXTS = _kept("Numbers in the body are sent as texts.", "RemoteTool")
_PLAIN = _kept("It is not used in instructions.", same=True)

SUPPORT: Final[Mapping[str, Support]] = {
    "agent": Support("native", "Agent"),
    "stage": Support("native", "Agent"),
    "shared_agent": _kept(
        "Each stage has a copy of the agent.", "a copy for each stage", same=True
    ),
    "entry": Support("native", "first_agent"),
    "default_agent": _kept("The first agent answers instead."),
    "transition": Support("native", "relationships"),
    "kind": _kept("All are relationships of the same kind.", same=True),
    "description": _kept("Models see the description of the target.", "description of the target"),
    "typed": _kept("Handoffs have no payload."),
    "filter_no_tools": _kept("The target sees all messages."),
    "filter_last": _kept("The target sees all messages."),
    "filter_summary": _kept("The target sees all messages."),
    "filter_cel": _kept("The target sees all messages."),
    "rule": _kept("Messages are not routed by rules."),
    "rule_cel": _kept("Messages are not routed by rules."),
    "limits": _kept("Other programs have their own limits."),
    "supervisor": _kept("Nobody supervises the conversation."),
    "group": _kept("Other programs pass over the group."),
    "human": _kept("Other programs do not hand over to a person."),
    "workflow": Support("native", "Flow"),
    "team": Support("native", "ManagerWorkers"),
    "swarm": Support("native", "Swarm"),
    "function_tool": Support("native", "ServerTool"),
    "http_tool": Support("native", "RemoteTool", "Connections are set in the other program."),
    "mcp_tool": Support("native", "MCPTool", "The address of the server has to be replaced."),
    "subtask": _kept("The program needs a function for the other pipeline.", "ServerTool"),
    "user_input": Support("native", "ClientTool"),
    "approval": Support("native", "requires_confirmation"),
    "tool_limits": _kept("Calls have the limits of the other program."),
    "model_settings": _kept("The model uses its default values."),
    "response_schema": Support("native", "outputs"),
    "prompt": _kept("Agents get their own instructions only.", "added by Baton at an import"),
    "language": _kept("Agents answer in any language."),
    "reserve": _kept("A failed call is not repeated with another provider."),
    "variables": Support("native", "inputs"),
    "aliases": _kept("Agents are found by their names.", same=True),
    "on_handoff": _kept("The target answers at once."),
    "handoff_tool": _kept("Other programs name their own tools.", same=True),
    "call_human": _kept("Other programs do not hand over to a person."),
    "cues": _kept("Only the scripted provider uses cues.", same=True),
    "examples": _kept("Tools need a function to answer."),
    "layout": _kept("Other programs arrange the agents themselves.", same=True),
    "notes": _kept("Other programs do not show notes.", same=True),
}
"""Support by the key of a feature."""


def exceptions(definition: PipelineDefinition) -> Mapping[tuple[str, str], Support]:
    """Return the support of the parts that are no component of the document."""
    structure = structure_of(definition)
    return {
        **dict(_settings(definition, structure)),
        **dict(_parts(definition, structure)),
        **dict(_schemas(definition)),
    }


def _parts(
    definition: PipelineDefinition, structure: Structure
) -> Iterator[tuple[tuple[str, str], Support]]:
    phases, pairs = set(structure.phases), set(structure.pairs)
    agents = {stage.agent_id for stage in definition.stages if stage.phase in phases}
    if not agents and definition.agents:
        agents = {definition.agents[0].id}
    for stage in definition.stages:
        if stage.phase not in phases:
            yield ("stage", stage.phase), _OUTSIDE
    for agent in definition.agents:
        if agent.id not in agents:
            yield ("agent", agent.id), _LONE
    for each in definition.transitions:
        if (each.source, each.target) not in pairs:
            support = _APART if can_be_taken(definition, each) else _UNUSED
            yield ("transition", pair(each)), support


def _settings(
    definition: PipelineDefinition, structure: Structure
) -> Iterator[tuple[tuple[str, str], Support]]:
    if definition.entry is not None and definition.entry != structure.first:
        yield ("entry", definition.entry), _START
    agents, phases = first_agents(definition), set(structure.phases)
    texts = [
        agents[stage.agent_id].instructions
        for stage in definition.stages
        if stage.phase in phases and stage.agent_id in agents
    ]
    filled = {name for text in texts for name in placeholders(text)}
    dotted = {name for text in texts for name in variable_references(text)} - filled
    for name in definition.variables.keys() - filled:
        yield ("variables", name), _DOTTED if name in dotted else _PLAIN
    for agent in definition.agents:
        if _has_native_settings(agent):
            yield ("model_settings", agent.id), Support("native", "default_generation_parameters")


def _schemas(definition: PipelineDefinition) -> Iterator[tuple[tuple[str, str], Support]]:
    for agent in definition.agents:
        if agent.response_schema is not None and not _is_exact(agent.response_schema):
            yield ("response_schema", agent.id), _SIMPLE_ANSWER
    for tool in definition.tools:
        if tool.kind == "http" and tool.http and (tool.http.connection or tool.http.take):
            yield ("http_tool", tool.name), _CONNECTED
        elif sends_other_texts(tool):
            yield ("http_tool", tool.name), _TEXTS
        elif not _is_exact(tool.parameters):
            yield (
                (f"{tool.kind}_tool" if tool.kind in _TOOLS else tool.kind, tool.name),
                _SIMPLE_TOOL,
            )


_TOOLS: Final = ("function", "http", "mcp")


def _is_exact(schema: Mapping[str, Any]) -> bool:
    """Report whether inputs or outputs express the properties of a schema."""
    known = {key: value for key, value in schema.items() if key != "additionalProperties"}
    return known in ({}, parameters_of(inputs_of(schema)))


def _has_native_settings(agent: Agent) -> bool:
    """Report whether all settings of an agent's model are generation parameters."""
    return agent.reasoning_effort is None and agent.tool_choice == "auto"


AGENT_SPEC = Format(
    key=FORMAT_KEY,
    title="Oracle Agent Spec",
    summary="JSON and YAML, opens again here",
    support=SUPPORT,
    exceptions=exceptions,
    write=write,
    read=read,
    recognises=recognises,
)

"""Agents and their stages as components: one component for each stage that an agent serves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from orchestration.definition import Agent, PipelineDefinition, Stage
from orchestration.interchange.agent_spec.metadata import metadata
from orchestration.interchange.agent_spec.properties import inputs_of
from orchestration.interchange.agent_spec.tools import placeholders

OWN_FIELDS: Final = frozenset(
    ("name", "instructions", "provider", "model", "temperature", "max_output_tokens", "tools")
)
"""Fields of an agent that its component, its tools or its model have themselves."""

MAX_DESCRIPTION: Final = 500


def names_of(pairs: Sequence[tuple[Stage, Agent]]) -> list[str]:
    """Return distinct names of components, because programs tell agents apart by their names."""
    used: set[str] = set()
    names: list[str] = []
    for stage, agent in pairs:
        name, number = agent.name, 1
        while name in used:
            name = f"{agent.name} ({stage.phase})" + (f" {number}" if number > 1 else "")
            number += 1
        used.add(name)
        names.append(name)
    return names


def agent_component(
    definition: PipelineDefinition,
    agent: Agent,
    stage: Stage | None,
    *,
    name: str,
    model: str,
    tools: Mapping[str, str],
    conditions: Mapping[str, str],
) -> dict[str, Any]:
    """Return the component of an agent in a stage.

    `tools` are the ids of components by name, `conditions` the texts of `conditions_of`.
    """
    data = agent.model_dump(mode="json", exclude_defaults=True, exclude=set(OWN_FIELDS))
    if missing := [each for each in agent.tools if each not in tools]:
        data["tools"] = missing
    if name != agent.name:
        data |= {"name": agent.name, "written": name}
    place = None
    description = ""
    if stage is not None:
        description = described(stage, conditions)
        place = {"phase": stage.phase}
        if description != stage.description:
            place["description"] = stage.description
    return {
        "component_type": "Agent",
        "id": f"agent.{agent.id}.{stage.phase}" if stage else f"agent.{agent.id}",
        "name": name,
        **({"description": description} if description else {}),
        **metadata(agent=data, stage=place),
        **inputs_field(agent.instructions, definition.variables),
        **outputs_field(agent.response_schema),
        "llm_config": {"$component_ref": model},
        "system_prompt": agent.instructions,
        "tools": [{"$component_ref": tools[each]} for each in agent.tools if each in tools],
    }


def conditions_of(definition: PipelineDefinition) -> dict[str, str]:
    """Return the descriptions of the transitions to each stage, as one text."""
    found: dict[str, dict[str, None]] = {}
    for each in definition.transitions:
        if each.description:
            found.setdefault(each.target, {})[each.description] = None
    return {phase: "; ".join(texts)[:MAX_DESCRIPTION] for phase, texts in found.items()}


def described(stage: Stage, conditions: Mapping[str, str]) -> str:
    """Return the description of a stage, or the conditions of the transitions to it.

    Programs show the description to agents that can hand over to this one.
    """
    return stage.description or conditions.get(stage.phase, "")


def inputs_field(instructions: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the inputs for the placeholders of the instructions, if one has a default value."""
    names = placeholders(instructions)
    if not any(name in variables for name in names):
        return {}
    return {
        "inputs": [
            {"title": name, "type": "string"}
            | ({"default": variables[name]} if name in variables else {})
            for name in names
        ]
    }


def outputs_field(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the properties of a schema for answers as outputs of the agent."""
    outputs = inputs_of(schema) if schema else []
    return {"outputs": outputs} if outputs else {}

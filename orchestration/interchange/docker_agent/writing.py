"""The YAML file of a definition."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any, Final

from orchestration.definition import PipelineDefinition
from orchestration.interchange.docker_agent.entries import (
    Entries,
    Entry,
    description,
    entries_of,
    instruction,
    readme,
)
from orchestration.interchange.docker_agent.models import Models
from orchestration.interchange.docker_agent.toolsets import permission_name, toolsets
from orchestration.interchange.formats import Files
from orchestration.interchange.yaml_code import yaml_text

VERSION: Final = "7"
"""The lowest version with all written fields: a later program reads it, too."""


def write(definition: PipelineDefinition) -> Files:
    """Return the file."""
    return {"agents.yaml": yaml_text(document(definition))}


def document(definition: PipelineDefinition) -> dict[str, Any]:
    """Return the value of the file."""
    entries, models = entries_of(definition), Models()
    last = last_messages(entries)
    agents = {each.key: _agent(definition, each, entries, models, last) for each in entries.all}
    metadata = {"description": definition.description} if definition.description else {}
    found: dict[str, Any] = {
        "version": VERSION,
        "metadata": metadata | {"readme": readme(definition, entries)},
    }
    optional = {"providers": models.providers, "models": models.models}
    found |= {key: each for key, each in optional.items() if each} | {"agents": agents}
    permissions = _permissions(definition)
    return found | ({"permissions": permissions} if permissions else {})


def last_messages(entries: Entries) -> dict[str, int]:
    """Return the number of messages of each stage whose incoming transitions keep the same last."""
    kept: dict[str, set[int]] = {}
    for each in chain.from_iterable(entries.outgoing.values()):
        number = each.input_filter.count if each.input_filter.keep == "last" else 0
        kept.setdefault(each.target, set()).add(number)
    return {
        phase: count
        for phase, counts in kept.items()
        if len(counts) == 1
        for count in counts
        if count
    }


def schema_fits(schema: dict[str, Any]) -> bool:
    """Report whether a JSON Schema of answers is one that `structured_output` takes."""
    required, extra = schema.get("required", []), schema.get("additionalProperties", False)
    return (
        schema.get("type") == "object"
        and isinstance(schema.get("properties"), dict)
        and isinstance(required, list)
        and all(isinstance(each, str) for each in required)
        and isinstance(extra, bool)
    )


def _agent(
    definition: PipelineDefinition,
    entry: Entry,
    entries: Entries,
    models: Models,
    last: dict[str, int],
) -> dict[str, Any]:
    agent, stage = entry.agent, entry.stage
    found: dict[str, Any] = {
        "model": models.of(agent) if agent is not None else models.default(),
        "description": description(entry),
        "instruction": instruction(definition, entry, entries),
    }
    if agent is not None:
        found["fallback"] = models.fallback_of(agent)
        found["toolsets"] = toolsets(definition, agent.tools)
        if agent.response_schema is not None and schema_fits(agent.response_schema):
            found["structured_output"] = {"name": "answer", "schema": agent.response_schema}
    if stage is not None:
        outgoing = entries.outgoing.get(stage.phase, ())
        targets = [entries.by_stage[each.target] for each in outgoing]
        found["sub_agents" if definition.topology == "team" else "handoffs"] = targets
        found["num_history_items"] = last.get(stage.phase)
        if stage.group is not None and stage.kind == "group":
            members = [
                entries.by_agent[each] for each in stage.group.agents if each in entries.by_agent
            ]
            found["sub_agents"] = members
    if entry is entries.all[0]:
        found["max_iterations"] = definition.limits.max_turns
    required = ("model", "instruction")
    return {key: each for key, each in found.items() if each or key in required}


def _permissions(definition: PipelineDefinition) -> dict[str, list[str]]:
    """Return the tools that run at once, and those that a person approves."""
    used = {name for agent in definition.agents for name in agent.tools}
    tools = [each for each in definition.tools if each.name in used]
    asked = Counter(permission_name(each) for each in tools if each.approval)
    allowed = Counter(permission_name(each) for each in tools) - asked
    found = {"allow": [each for each in allowed if each not in asked], "ask": list(asked)}
    return {key: each for key, each in found.items() if each}

"""The document of a definition: a `Swarm`, `ManagerWorkers`, `Flow` or `Agent` with its parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from orchestration.definition import PipelineDefinition, Stage
from orchestration.interchange.agent_spec.agents import agent_component, conditions_of, names_of
from orchestration.interchange.agent_spec.metadata import metadata
from orchestration.interchange.agent_spec.models import Model, model_component, model_of
from orchestration.interchange.agent_spec.structure import Structure, first_agents, structure_of
from orchestration.interchange.agent_spec.tools import tool_component, transport_component
from orchestration.interchange.formats import Files
from orchestration.interchange.yaml_code import yaml_text

VERSION: Final = "25.4.2"
"""The lowest version with all components; programs of later versions read it."""

Fields = dict[str, Any]


def write(definition: PipelineDefinition) -> Files:
    """Return the same document as JSON and as YAML."""
    document = document_of(definition.with_valid_keys())
    return {
        "agent-spec.json": json.dumps(document, indent=2, ensure_ascii=False) + "\n",
        "agent-spec.yaml": yaml_text(document),
    }


def document_of(definition: PipelineDefinition) -> Fields:
    """Return the document of a definition."""
    structure = structure_of(definition)
    parts = _Parts(definition, structure)
    root = _root(definition, structure, parts)
    version = {"component_type": root.pop("component_type"), "agentspec_version": VERSION}
    referenced = {"$referenced_components": parts.referenced} if parts.referenced else {}
    return {**version, **root, **referenced}


class _Parts:
    """Referenced components of a document: agents, models, tools and transports."""

    def __init__(self, definition: PipelineDefinition, structure: Structure) -> None:
        self.referenced: dict[str, Fields] = {}
        self.definition = definition
        self._agents = first_agents(definition)
        stages: dict[str, Stage] = {}
        for stage in definition.stages:
            stages.setdefault(stage.phase, stage)
        self.stages = [stages[phase] for phase in structure.phases]
        served = [(stage, self._agents[stage.agent_id or ""]) for stage in self.stages]
        self.agent_ids = {agent.id for _, agent in served}
        self.lone = (
            definition.agents[0] if structure.kind == "empty" and definition.agents else None
        )
        users = [agent for _, agent in served] + ([self.lone] if self.lone else [])
        self.agent_ids |= {agent.id for agent in users}
        self.tools = self._add_tools({name for agent in users for name in agent.tools})
        models = self._add_models(list(dict.fromkeys(model_of(agent) for agent in users)))
        conditions = conditions_of(definition)
        self.agents: dict[str, Fields] = {}
        for (stage, agent), name in zip(served, names_of(served), strict=True):
            self.agents[stage.phase] = agent_component(
                definition,
                agent,
                stage,
                name=name,
                model=models[model_of(agent)],
                tools=self.tools,
                conditions=conditions,
            )
        if self.lone:
            self.agents[""] = agent_component(
                definition,
                self.lone,
                None,
                name=self.lone.name,
                model=models[model_of(self.lone)],
                tools=self.tools,
                conditions=conditions,
            )

    def _add_tools(self, used: set[str]) -> dict[str, str]:
        identifiers: dict[str, str] = {}
        for tool in self.definition.tools:
            if tool.name in used and tool.name not in identifiers:
                component = tool_component(tool)
                identifiers[tool.name] = component["id"]
                self.referenced[component["id"]] = component
                if tool.kind == "mcp":
                    transport = transport_component(tool.mcp.connection if tool.mcp else "mcp")
                    self.referenced.setdefault(transport["id"], transport)
        return identifiers

    def _add_models(self, models: Sequence[Model]) -> dict[Model, str]:
        identifiers: dict[Model, str] = {}
        for model in models:
            base = identifier = f"model.{model[0]}"
            number = 2
            while identifier in self.referenced:
                identifier, number = f"{base}.{number}", number + 1
            identifiers[model] = identifier
            self.referenced[identifier] = model_component(model, identifier)
        return identifiers

    def add_agents(self) -> None:
        """Add the agents as referenced components."""
        self.referenced |= {each["id"]: each for each in self.agents.values()}

    def reference(self, phase: str) -> Fields:
        """Return the reference to the agent of a stage."""
        return {"$component_ref": self.agents[phase]["id"]}


def _root(definition: PipelineDefinition, structure: Structure, parts: _Parts) -> Fields:
    data = _pipeline_data(definition, structure, parts)
    if structure.kind == "Agent" or parts.lone:
        component = parts.agents[structure.first or ""]
        baton = component["metadata"]["baton"]
        names = {"name": definition.name, "description": definition.description}
        whole = metadata(pipeline={**names, **data})["metadata"]["baton"]
        return {**component, "metadata": {"baton": baton | whole}}
    parts.add_agents()
    head = {
        "component_type": structure.kind if structure.kind != "empty" else "Flow",
        "id": "pipeline",
        "name": definition.name,
        **({"description": definition.description} if definition.description else {}),
        **metadata(pipeline=data),
    }
    match structure.kind:
        case "Swarm":
            relationships = [[parts.reference(each) for each in pair] for pair in structure.pairs]
            first = parts.reference(structure.first or "")
            return {
                **head,
                "first_agent": first,
                "relationships": relationships,
                "handoff": "always",
            }
        case "ManagerWorkers":
            workers = [parts.reference(target) for _, target in structure.pairs]
            manager = parts.reference(structure.first or "")
            return {**head, "group_manager": manager, "workers": workers}
        case _:
            return {**head, **_flow(structure, parts)}


def _flow(structure: Structure, parts: _Parts) -> Fields:
    """Return the nodes and edges of a flow: from the start along the agents to the end."""
    order = [structure.first, *(target for _, target in structure.pairs)]
    chain = [phase for phase in order if phase is not None]
    inputs = {
        each["title"]: each for phase in chain for each in parts.agents[phase].get("inputs", ())
    }
    start = {"component_type": "StartNode", "id": "start", "name": "start"}
    nodes: list[Fields] = [start | ({"inputs": list(inputs.values())} if inputs else {})]
    nodes += [
        {
            "component_type": "AgentNode",
            "id": f"node.{phase}",
            "name": phase,
            "agent": parts.reference(phase),
        }
        for phase in chain
    ]
    nodes.append({"component_type": "EndNode", "id": "end", "name": "end"})
    parts.referenced |= {each["id"]: each for each in nodes}
    references = [{"$component_ref": each["id"]} for each in nodes]
    edges = [
        {
            "component_type": "ControlFlowEdge",
            "id": f"edge.{number}",
            "name": f"{source['name']}_to_{target['name']}",
            "from_node": references[number],
            "to_node": references[number + 1],
        }
        for number, (source, target) in enumerate(pairwise(nodes))
    ]
    return {
        "start_node": references[0],
        "nodes": references,
        "control_flow_connections": edges,
    }


def _pipeline_data(
    definition: PipelineDefinition, structure: Structure, parts: _Parts
) -> Mapping[str, Any]:
    """Return the parts of a definition that are no components, and its settings."""
    listed = {"format", "version", "name", "description", "agents", "stages", "tools"}
    data = definition.model_dump(mode="json", exclude_defaults=True, exclude=listed)
    native = set(structure.phases)
    rest = {
        "stages": _rest(definition.stages, lambda each: each.phase, native),
        "agents": _rest(definition.agents, lambda each: each.id, parts.agent_ids),
        "tools": _rest(definition.tools, lambda each: each.name, set(parts.tools)),
    }
    return {
        "topology": definition.topology,
        "components": list(structure.phases),
        **data,
        **{key: value for key, value in rest.items() if value},
    }


def _rest(parts: Sequence[Any], key: Any, components: set[str]) -> list[dict[str, Any]]:
    """Return the parts without the first one of each component."""
    remaining = set(components)
    rest = []
    for part in parts:
        if key(part) in remaining:
            remaining.discard(key(part))
        else:
            rest.append(part.model_dump(mode="json", exclude_defaults=True))
    return rest

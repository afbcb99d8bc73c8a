"""Files of agents in YAML, for `config_agent_utils.from_config` of ADK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from orchestration.definition import Agent, Group, PipelineDefinition, Stage
from orchestration.graph import group_graph
from orchestration.interchange.adk.tree import AgentTree
from orchestration.interchange.project import ToolNames
from orchestration.prompts import SEPARATOR

ROOT_FILE: Final = "root_agent.yaml"
WORKFLOW_FILE: Final = "workflow.yaml"
START: Final = "START"
HUMAN_TEXT: Final = (
    "A person answers from here on. Say in one sentence that a person will answer, and no more."
)

Value = dict[str, Any]


class AgentFiles:
    """The files of a definition, as values."""

    def __init__(
        self,
        definition: PipelineDefinition,
        tree: AgentTree,
        tools: Mapping[str, ToolNames],
        answers: Mapping[str, str],
    ) -> None:
        """Take the tree, the names in `tools.py` and the names of the schemas of answers there."""
        self._definition, self._tree = definition, tree
        self._tools, self._answers = tools, answers
        self._conditions: dict[str, list[str]] = {}
        for each in definition.transitions:
            if each.description.strip():
                self._conditions.setdefault(each.target, []).append(each.description.strip())

    def files(self) -> dict[str, Value]:
        """Return the files by path, the root first."""
        definition, root = self._definition, self._tree.root
        if root is None:
            empty = {"agent_class": "LlmAgent", "name": "root", "instruction": ""}
            return {ROOT_FILE: empty}
        if definition.topology == "workflow":
            return self._workflow()
        stages = definition.stages_by_phase
        files: dict[str, Value] = {}
        for phase in self._tree.children:
            path = ROOT_FILE if phase == root.phase else self._path(phase)
            files |= self._stage(stages[phase], path)
        if definition.topology != "team":
            files[WORKFLOW_FILE] = self._graph(root)
        return files

    def _path(self, key: str) -> str:
        return f"{self._tree.names[key]}.yaml"

    def _stage(self, stage: Stage, path: str) -> dict[str, Value]:
        """Return the files of a stage, with its children."""
        children = [{"config_path": self._path(each)} for each in self._tree.children[stage.phase]]
        if stage.kind == "group":
            return self._group(stage, path, children)
        value = self._agent(stage)
        siblings = self._tree.with_siblings
        if self._definition.topology == "team":
            tools = [{"name": "AgentTool", "args": {"agent": each}} for each in children]
            value["tools"] = [*value.get("tools", ()), *tools]
        elif stage.phase in self._tree.parents and stage.phase not in siblings:
            value["disallow_transfer_to_peers"] = True
        if children and self._definition.topology != "team":
            value["sub_agents"] = children
        return {path: {key: each for key, each in value.items() if each != []}}

    def _group(self, stage: Stage, path: str, children: list[Value]) -> dict[str, Value]:
        """Return the files of a group: its members, and after them its `next`."""
        name = self._tree.names[stage.phase]
        agents = self._definition.agents_by_id
        files = {
            self._path(key): self._llm(key, agents.get(member), "")
            for member, key in self._members(stage)
        }
        value = self._members_agent(stage)
        if not children:
            return {path: value} | files
        inner = f"{name}_members"
        outer = {"agent_class": "SequentialAgent", "name": name}
        text = {"description": stage.description} if stage.description else {}
        paths = [{"config_path": f"{inner}.yaml"}, *children]
        return {
            path: outer | text | {"sub_agents": paths},
            f"{inner}.yaml": value | {"name": inner},
        } | files

    def _members(self, stage: Stage) -> list[tuple[str, str]]:
        """Return the members of a group, each after its dependencies, with their keys."""
        order = _in_order(stage.group) if stage.group is not None else []
        return [(member, f"{stage.phase}/{member}") for member in order]

    def _members_agent(self, stage: Stage) -> Value:
        """Return the agent of a group with its members."""
        group = stage.group
        is_in_turn = group is not None and (not group.parallel or any(group.dependencies.values()))
        value: Value = {
            "agent_class": "SequentialAgent" if is_in_turn else "ParallelAgent",
            "name": self._tree.names[stage.phase],
        }
        if stage.description:
            value["description"] = stage.description
        paths = [{"config_path": self._path(key)} for _, key in self._members(stage)]
        return value | {"sub_agents": paths}

    def _agent(self, stage: Stage) -> Value:
        """Return the agent of a stage without its children."""
        agent = self._definition.agents_by_id.get(stage.agent_id or "")
        value = self._llm(stage.phase, agent if stage.kind == "agent" else None, stage.description)
        if stage.kind == "human":
            value["instruction"] = HUMAN_TEXT
        return value

    def _llm(self, key: str, agent: Agent | None, text: str) -> Value:
        value: Value = {"agent_class": "LlmAgent", "name": self._tree.names[key]}
        about = " ".join([text.strip(), *dict.fromkeys(self._conditions.get(key, ()))]).strip()
        if agent is not None and agent.model:
            value["model"] = agent.model
        if about:
            value["description"] = about
        value |= _instruction(agent)
        if agent is None:
            return value
        tools = [self._tools[name].tool for name in agent.tools if name in self._tools]
        if tools:
            value["tools"] = [{"name": f"tools.{each}"} for each in tools]
        if agent.id in self._answers:
            value["output_schema"] = {"name": f"tools.{self._answers[agent.id]}"}
        settings = {
            "temperature": agent.temperature,
            "max_output_tokens": agent.max_output_tokens,
        }
        given = {name: each for name, each in settings.items() if each is not None}
        return value | ({"generate_content_config": given} if given else {})

    def _workflow(self) -> dict[str, Value]:
        """Return the files of a workflow: a file for each stage, and edges along `next`."""
        stages, files = self._definition.stages_by_phase, dict[str, Value]()
        chain = self._tree.chain()
        for phase in chain:
            stage = stages[phase]
            path = self._path(phase)
            if stage.kind == "group":
                files |= self._group(stage, path, [])
            else:
                files[path] = self._agent(stage)
        names = [START, *[self._tree.names[phase] for phase in chain]]
        edges = [[names[index], f"{names[index + 1]}.yaml"] for index in range(len(chain))]
        value = {"agent_class": "Workflow", "name": "workflow", "edges": edges}
        return {ROOT_FILE: value} | files

    def _graph(self, root: Stage) -> Value:
        """Return the whole graph as a `Workflow`: an edge names nodes of earlier edges only."""
        stages, names = self._definition.stages_by_phase, self._tree.names
        defined = {root.phase}
        edges: list[Any] = [[START, self._node(root)]]
        for phase in self._tree.depths:
            for target in self._tree.targets[phase]:
                is_new = target not in defined
                defined.add(target)
                edge: Value = {
                    "from_node": names[phase],
                    "to_node": self._node(stages[target]) if is_new else names[target],
                }
                if stages[phase].kind != "group" or stages[target].kind == "group":
                    edge["route"] = names[target]
                edges.append(edge)
        return {"agent_class": "Workflow", "name": "workflow", "edges": edges}

    def _node(self, stage: Stage) -> Any:
        return self._members_agent(stage) if stage.kind == "group" else self._agent(stage)


def _instruction(agent: Agent | None) -> Value:
    """Return the instructions; a text with brackets is static, because ADK would fill these in."""
    text = agent.instructions if agent is not None else ""
    if agent is not None and agent.language:
        text = f"{text}{SEPARATOR}Answer in {agent.language}."
    return {"instruction": "", "static_instruction": text} if "{" in text else {"instruction": text}


def _in_order(group: Group) -> list[str]:
    """Return the members with each after its dependencies."""
    graph, found = group_graph(group).reversed, list[str]()
    waiting = list(dict.fromkeys(group.agents))
    while waiting:
        free = [each for each in waiting if set(graph.succ[each]) <= set(found)] or waiting
        found += free
        waiting = [each for each in waiting if each not in free]
    return found

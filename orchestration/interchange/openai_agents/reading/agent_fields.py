"""Fields of agents: instructions, model, settings, tools, and the groups of an export."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from orchestration.interchange.openai_agents.reading.parts import FoundAgent, ModuleParts
from orchestration.interchange.openai_agents.reading.source import at, dotted, function_name
from orchestration.interchange.openai_agents.reading.tools import AgentToolReader
from orchestration.interchange.openai_agents.reading.values import NotConstantError

_READ = (
    "name",
    "handoff_description",
    "instructions",
    "model",
    "model_settings",
    "output_type",
    "mcp_servers",
)
_EFFORTS = ("minimal", "low", "medium", "high")


class AgentFields:
    """Reader of the fields of agents."""

    def __init__(self, parts: ModuleParts, tools: AgentToolReader) -> None:
        self._parts = parts
        self._reading = parts.reading
        self._tools = tools
        self._names: dict[FoundAgent, str] = {}
        self._is_own = "PIPELINE" in parts.constants.names

    def name(self, agent: FoundAgent) -> str:
        """Return the name of an agent, or its variable."""
        if agent not in self._names:
            default = agent.variable or "agent"
            node = agent.fields.get("name")
            text = self._parts.text(node, default, "Name of an agent")
            self._names[agent] = self._reading.name(text, at(agent.node), default)
        return self._names[agent]

    def is_person(self, agent: FoundAgent) -> bool:
        """Report whether an agent of an export stands for a person."""
        return self._is_own and dotted(agent.fields.get("instructions")) == "runtime.PERSON"

    def is_group(self, agent: FoundAgent) -> bool:
        """Report whether an agent of an export stands for a group."""
        return self._is_own and function_name(agent.fields.get("model")) == "GroupModel"

    def members(self, agent: FoundAgent) -> dict[str, FoundAgent]:
        """Return the members of a group by their ids."""
        model = agent.fields.get("model")
        if not self.is_group(agent) or not isinstance(model, ast.Call) or not model.args:
            return {}
        table = model.args[0]
        if not isinstance(table, ast.Dict):
            return {}
        found: dict[str, FoundAgent] = {}
        for key, value in zip(table.keys, table.values, strict=True):
            member = self._parts.agent_of(value)
            if isinstance(key, ast.Constant) and member is not None:
                found[str(key.value)] = member
        return found

    def group(self, agent: FoundAgent, keys: Mapping[str, str | None]) -> dict[str, Any] | None:
        """Return the group of a stage; `keys` are the ids of its members by their names."""
        model = agent.fields["model"]
        members = [key for key in keys.values() if key is not None]
        if not isinstance(model, ast.Call) or not members:
            return None
        options = self._parts.constants.fields(model)
        group: dict[str, Any] = {"agents": members}
        parallel = options.get("parallel")
        if isinstance(parallel, ast.Constant) and parallel.value is False:
            group["parallel"] = False
        if (dependencies := options.get("dependencies")) is not None:
            group["dependencies"] = self._parts.json(dependencies, "Group") or {}
        return group

    def read(self, agent: FoundAgent) -> dict[str, Any]:
        """Return the fields of an agent for a definition."""
        fields: dict[str, Any] = {"name": self.name(agent)}
        fields |= self._instructions(agent.fields.get("instructions"))
        fields |= self._model(agent)
        tools = self._tools.names(agent.tools)
        tools += self._tools.servers(agent.fields.get("mcp_servers"))
        fields["tools"] = tools
        for name in agent.fields.keys() - set(_READ):
            self._parts.lose(
                "Agent", agent.fields[name], f"{name[:60]} left out", "It has no effect here."
            )
        return fields

    def _instructions(self, node: ast.expr | None) -> dict[str, str]:
        if node is None:
            return {}
        fields: dict[str, str] = {}
        while isinstance(node, ast.Call) and node.args:
            match function_name(node):
                case "prompt_with_handoff_instructions" | "filled":
                    node = node.args[0]
                case "in_language" if len(node.args) > 1:
                    language = self._parts.text(node.args[1], "", "Language")
                    fields["language"] = self._reading.name(language, at(node), "")
                    node = node.args[0]
                case _:
                    break
        text = self._parts.text(node, "", "Instructions")
        return fields | {"instructions": self._reading.text(text, at(node))}

    def _model(self, agent: FoundAgent) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if (model := agent.fields.get("model")) is not None:
            name = self._parts.text(model, "", "Model")
            fields["model"] = self._reading.text(name, at(model), 200)
        if (output := agent.fields.get("output_type")) is not None:
            schema = self._output(output)
            if schema is not None:
                fields["response_schema"] = schema
        settings = agent.fields.get("model_settings")
        if isinstance(settings, ast.Name):
            settings = self._parts.constants.names.get(settings.id, settings)
        if settings is not None:
            fields |= self._settings(settings)
        return fields

    def _output(self, node: ast.expr) -> dict[str, Any] | None:
        if isinstance(node, ast.Call) and function_name(node) == "JsonAnswer" and node.args:
            return self._parts.json(node.args[0], "Answer in a schema")
        if dotted(node) == "str":
            return None
        schema = self._parts.constants.class_schema(dotted(node))
        if schema is None:
            self._parts.lose("Answer in a schema", node, "left out", "Its schema is unknown.")
        return schema

    def _settings(self, node: ast.expr) -> dict[str, Any]:
        if function_name(node) != "ModelSettings" or not isinstance(node, ast.Call):
            self._parts.lose("Model settings", node, "left out", "The defaults are used.")
            return {}
        fields: dict[str, Any] = {}
        for name, value in self._parts.constants.fields(node).items():
            found = self._setting(name, value)
            if not found:
                self._parts.lose(
                    "Model settings", value, f"{name[:60]} left out", "The default is used."
                )
            fields |= found
        return fields

    def _setting(self, name: str, node: ast.expr) -> dict[str, Any]:
        if name == "reasoning" and isinstance(node, ast.Call):
            name, node = "effort", self._parts.constants.fields(node).get("effort", node)
        try:
            value = self._parts.constants.value(node)
        except NotConstantError:
            return {}
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        match name:
            case "temperature" if is_number and 0 <= value <= 2:
                return {"temperature": value}
            case "max_tokens" if isinstance(value, int) and is_number and 1 <= value <= 1_000_000:
                return {"max_output_tokens": value}
            case "tool_choice" if value in ("auto", "required", "none"):
                return {"tool_choice": value}
            case "effort" if value in _EFFORTS:
                return {"reasoning_effort": value}
            case _:
                return {}

"""File `tools.py` of a project for ADK: functions, HTTP requests, MCP servers and schemas."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition import PipelineDefinition, Tool
from orchestration.interchange.project import (
    ToolNames,
    environment_name,
    module,
    tool_functions,
)
from orchestration.interchange.python_code import Call, Code, assignment, identifiers, literal

TAKEN = ("FunctionTool", "McpToolset", "SchemaTool", "StreamableHTTPConnectionParams", "types")

_CLASS = '''\
class SchemaTool(FunctionTool):
    """A function with the JSON Schema of its arguments."""

    def __init__(
        self,
        function: Callable[..., Awaitable[str]],
        name: str,
        description: str,
        schema: dict[str, Any],
        *,
        require_confirmation: bool = False,
    ) -> None:
        super().__init__(function, require_confirmation=require_confirmation)
        self.name = name
        self.description = description
        self.schema = schema

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self.schema
        )'''


def tools_module(
    definition: PipelineDefinition, names: Mapping[str, ToolNames], answers: Mapping[str, str]
) -> str:
    """Return the module; `answers` are names of the schemas of answers by agent."""
    tools = list(definition.tools_by_name.values())
    functions = [each for each in tools if each.kind != "mcp"]
    servers = [each for each in tools if each.kind == "mcp"]
    standard, others = list[str](), list[str]()
    if servers:
        standard.append("import os")
        others.append(
            "from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams"
        )
    if functions:
        standard += ["from collections.abc import Awaitable, Callable", "from typing import Any"]
        others = ["from google.adk.tools import FunctionTool", *others]
        others.append("from google.genai import types")
    if any(each.kind == "http" for each in functions):
        others += ["", "from http_calls import call"]
    blocks = ["from __future__ import annotations", "\n".join(standard), "\n".join(others)]
    imports = "\n\n".join(filter(None, blocks))
    agents = definition.agents_by_id
    return module(
        f'"""Tools of the agents."""\n\n{imports}',
        _CLASS if functions else "",
        tool_functions(definition, _function, dict(names)),
        [_server(each, names[each.name]) for each in servers],
        [assignment(name, agents[agent].response_schema) for agent, name in answers.items()],
    )


def answer_names(definition: PipelineDefinition, names: Mapping[str, ToolNames]) -> dict[str, str]:
    """Return the names of the schemas of answers by agent."""
    agents = definition.agents_by_id.values()
    keys = {each.id: f"{each.id}-answer" for each in agents if each.response_schema is not None}
    taken = [text for each in names.values() for text in (each.function, each.schema, each.tool)]
    found = identifiers(keys.values(), [*taken, *TAKEN])
    return {agent: found[key].upper() for agent, key in keys.items()}


def _function(tool: Tool, names: ToolNames) -> Call | None:
    if tool.kind == "mcp":
        return None
    given = [Code(names.function), tool.name, tool.description, Code(names.schema)]
    return Call("SchemaTool", given, {"require_confirmation": True} if tool.approval else {})


def _server(tool: Tool, names: ToolNames) -> str:
    connection = tool.mcp.connection if tool.mcp is not None else "server"
    variable = environment_name(connection)
    url = (
        f"os.environ.get({literal(f'{variable}_URL')}, {literal(f'https://{connection}.invalid')})"
    )
    key = f'os.environ.get({literal(f"{variable}_AUTHORIZATION")}, "")'
    parameters = {"url": Code(url), "headers": {"Authorization": Code(key)}}
    name = tool.mcp.tool or tool.name if tool.mcp is not None else tool.name
    keywords: dict[str, object] = {
        "connection_params": Call("StreamableHTTPConnectionParams", (), parameters),
        "tool_filter": [name],
    }
    if tool.approval:
        keywords["require_confirmation"] = True
    return assignment(names.tool, Call("McpToolset", (), keywords))

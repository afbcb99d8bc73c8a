"""File `tools.py`: the functions of the tools and their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from orchestration.definition import PipelineDefinition, Tool
from orchestration.interchange.project import (
    ToolNames,
    environment_name,
    module,
    tool_functions,
)
from orchestration.interchange.python_code import Call, Code, literal

TAKEN: Final = ("annotations", "call_mcp_tool", "function_tool", "interrupt")
_ATTEMPTS = 3


def tools_module(definition: PipelineDefinition, names: Mapping[str, ToolNames]) -> str:
    """Return the module."""
    if not definition.tools_by_name:
        return '"""Tools of the agents: there are none."""\n'
    kinds = {each.kind for each in definition.tools_by_name.values()}
    imports = ["from function_tools import function_tool"]
    if "http" in kinds:
        imports.append("from http_calls import call")
    if "mcp" in kinds:
        imports.append("from mcp_calls import call_mcp_tool")
    library = "from langgraph.types import interrupt" if "user_input" in kinds else ""
    head = [
        '"""Tools of the agents. Write the functions that raise `NotImplementedError`."""',
        "from __future__ import annotations",
        "from typing import Any",
        library,
        "\n".join(imports),
    ]
    functions = tool_functions(definition, _wrapped, dict(names), _body)
    return module([*head, functions])


def _wrapped(tool: Tool, names: ToolNames) -> Call:
    keywords: dict[str, object] = {
        "name": tool.name,
        "description": tool.description,
        "schema": Code(names.schema),
    }
    if tool.time_limit is not None:
        keywords["time_limit"] = tool.time_limit
    if tool.max_answer is not None:
        keywords["max_answer"] = tool.max_answer
    if tool.idempotent:
        keywords["attempts"] = _ATTEMPTS
    return Call("function_tool", [Code(names.function)], keywords)


def _body(tool: Tool) -> str | None:
    if tool.kind == "user_input":
        return "    return interrupt(arguments)"
    if tool.kind != "mcp" or tool.mcp is None:
        return None
    connection = environment_name(tool.mcp.connection)
    call = Call("call_mcp_tool", [connection, tool.mcp.tool or tool.name, Code("arguments")])
    return f"    return await {literal(call, 4, len('return await '))}"

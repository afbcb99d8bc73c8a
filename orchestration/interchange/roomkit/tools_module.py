"""File `tools.py` of a project for RoomKit."""

from __future__ import annotations

from collections.abc import Mapping

from orchestration.definition import PipelineDefinition, Tool
from orchestration.interchange.project import ToolNames, module, tool_functions
from orchestration.interchange.python_code import Call, Code

TAKEN = ("FunctionTool",)

_CLASS = '''\
class FunctionTool:
    """A function with the JSON Schema of its arguments, as RoomKit takes tools."""

    def __init__(
        self,
        function: Callable[..., Awaitable[str]],
        name: str,
        description: str,
        schema: dict[str, Any],
    ) -> None:
        self.function = function
        self.definition = {"name": name, "description": description, "parameters": schema}

    async def handler(self, name: str, arguments: dict[str, Any]) -> str:
        """Call the function."""
        return await self.function(**arguments)'''


def tools_module(definition: PipelineDefinition, names: Mapping[str, ToolNames]) -> str:
    """Return the module."""
    has_http = any(each.kind == "http" for each in definition.tools_by_name.values())
    imports = [
        '"""Tools of the agents."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Awaitable, Callable",
        "from typing import Any",
        *(["", "from http_calls import call"] if has_http else []),
    ]
    return module("\n".join(imports), _CLASS, tool_functions(definition, _tool, dict(names)))


def _tool(tool: Tool, names: ToolNames) -> Call:
    given = [Code(names.function), tool.name, tool.description, Code(names.schema)]
    return Call("FunctionTool", given)

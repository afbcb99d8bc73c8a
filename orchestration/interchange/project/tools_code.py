"""Functions of the tools: HTTP requests, and functions that raise until somebody writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from orchestration.definition import HttpCall, PipelineDefinition, Tool
from orchestration.interchange.python_code import Call, Code, assignment, identifiers, literal

Body = Callable[[Tool], str | None]
"""Returns the statements of a tool's function, indented by four columns; None: the default."""


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Names of one tool in the module `tools.py`."""

    function: str
    """The function, to which a call's arguments are passed by name."""
    schema: str
    """The JSON Schema of the arguments."""
    tool: str
    """The tool as an object of the framework."""


def tool_names(definition: PipelineDefinition, taken: Iterable[str] = ()) -> dict[str, ToolNames]:
    """Return the names in `tools.py` by the name of the tool; `taken` are names of the module."""
    used = [*taken, "Any", "NotImplementedError", "arguments", "asyncio", "call", "json", "os"]
    names = identifiers(definition.tools_by_name, used)
    all_names = {*names.values(), *used}
    named: dict[str, ToolNames] = {}
    for tool, name in names.items():
        schema, constant = (_free(f"{name}_{suffix}", all_names) for suffix in ("schema", "tool"))
        named[tool] = ToolNames(name, schema.upper(), constant)
    return named


def tool_functions(
    definition: PipelineDefinition,
    wrap: Callable[[Tool, ToolNames], Call | None],
    names: dict[str, ToolNames],
    body: Body = lambda tool: None,
) -> str:
    """Return the schema, function and framework object of each tool.

    `wrap` returns the framework's object, such as `Call("FunctionTool", …)`, or None for a tool
    without a function, such as a tool of an MCP server.
    """
    blocks: list[str] = []
    for tool in definition.tools_by_name.values():
        wrapped = wrap(tool, names[tool.name])
        if wrapped is not None:
            blocks.append(_function(tool, names[tool.name], wrapped, body(tool)))
    return "\n\n\n".join(blocks)


def plain_functions(definition: PipelineDefinition, names: dict[str, ToolNames]) -> str:
    """Return only the functions, without schemas, of all tools but those of MCP servers."""
    tools = [each for each in definition.tools_by_name.values() if each.kind != "mcp"]
    return "\n\n\n".join(_definition(tool, names[tool.name]) for tool in tools)


def environment_name(connection: str) -> str:
    """Return the beginning of the environment variables of a connection: `web-shop` → `WEB_SHOP`.

    >>> environment_name("web-shop"), environment_name("2nd")
    ('WEB_SHOP', 'CONNECTION_2ND')
    """
    name = connection.replace("-", "_").upper()
    return name if name[0].isalpha() else f"CONNECTION_{name}"


def environment_variables(definition: PipelineDefinition) -> list[str]:
    """Return the environment variables of the connections that tools use."""
    calls = [tool.http or tool.mcp for tool in definition.tools if tool.kind in ("http", "mcp")]
    connections = dict.fromkeys(call.connection for call in calls if call and call.connection)
    return [
        f"{environment_name(each)}_{suffix}"
        for each in connections
        for suffix in ("URL", "AUTHORIZATION")
    ]


def _function(tool: Tool, names: ToolNames, wrapped: Call, body: str | None) -> str:
    schema, constant = assignment(names.schema, tool.parameters), assignment(names.tool, wrapped)
    return "\n\n\n".join([schema, _definition(tool, names, body), constant])


def _definition(tool: Tool, names: ToolNames, body: str | None = None) -> str:
    body = body or (_request(tool.http or HttpCall()) if tool.kind == "http" else _raise(tool))
    return f"async def {names.function}(**arguments: Any) -> str:\n{body}"


def _raise(tool: Tool) -> str:
    return f"    raise NotImplementedError({literal(tool.name)})"


def _request(call: HttpCall) -> str:
    optional: Sequence[tuple[str, object]] = [
        ("headers", dict(call.headers)),
        ("body", call.body),
        ("take", call.take),
        ("connection", environment_name(call.connection) if call.connection else ""),
    ]
    keywords = {"method": call.method, "url": call.url}
    request = Call("call", [Code("arguments")], keywords | {k: v for k, v in optional if v})
    return f"    return await {literal(request, 4, len('return await '))}"


def _free(name: str, used: set[str]) -> str:
    while name in used or name.upper() in used:
        name = f"{name}_"
    used |= {name, name.upper()}
    return name

"""Tools as components: `ServerTool`, `ClientTool`, `RemoteTool` and `MCPTool`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from orchestration.definition import HttpCall, Tool
from orchestration.interchange.agent_spec.metadata import metadata
from orchestration.interchange.agent_spec.models import address
from orchestration.interchange.agent_spec.properties import inputs_of, parameters_of, same_json

TYPES: Final[Mapping[str, str]] = {
    "function": "ServerTool",
    "subtask": "ServerTool",
    "user_input": "ClientTool",
    "http": "RemoteTool",
    "mcp": "MCPTool",
}
"""Types of components by kind of tool."""

PLACEHOLDER: Final = re.compile(r"{{\s*(\w+)\s*}}")
"""A placeholder of Agent Spec; its programs find it in any text."""

_ARGUMENT: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WITH_BODY: Final = ("POST", "PUT", "PATCH")
OUTPUTS: Final = [{"title": "result", "type": "string"}]
OWN: Final = frozenset(("name", "description", "approval"))
"""Fields of a tool that a component has itself."""


def tool_component(tool: Tool) -> dict[str, Any]:
    """Return the component of a tool, with the fields that it cannot express as metadata."""
    inputs, native = _inputs(tool)
    data = tool.model_dump(mode="json", exclude_defaults=True, exclude=set(OWN))
    if TYPES[tool.kind] != "ServerTool" or tool.kind == "function":
        data.pop("kind", None)
    data.pop("parameters", None)
    if not same_json(parameters_of(inputs), tool.parameters):
        data["parameters"] = dict(tool.parameters)
    return {
        "component_type": TYPES[tool.kind],
        "id": f"tool.{tool.name}",
        "name": written_name(tool),
        **({"description": tool.description} if tool.description else {}),
        **metadata(tool={"name": tool.name, **data}),
        "inputs": inputs,
        "outputs": OUTPUTS,
        "requires_confirmation": tool.approval,
        **native,
    }


def written_name(tool: Tool) -> str:
    """Return the name of the component: the name on the MCP server, or the tool's own."""
    return (tool.kind == "mcp" and tool.mcp and tool.mcp.tool) or tool.name


def _inputs(tool: Tool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the inputs of a component and the fields of its type."""
    inputs = inputs_of(tool.parameters)
    match tool.kind:
        case "mcp":
            connection = tool.mcp.connection if tool.mcp else "mcp"
            return inputs, {"client_transport": {"$component_ref": f"mcp.{connection}"}}
        case "http":
            native = http_fields(tool.http or HttpCall(), [each["title"] for each in inputs])
            return _placed(inputs, native), native
        case _:
            return inputs, {}


def transport_component(connection: str) -> dict[str, Any]:
    """Return the transport of a connection to an MCP server, with an address to replace."""
    return {
        "component_type": "StreamableHTTPTransport",
        "id": f"mcp.{connection}",
        "name": connection,
        "url": f"{address(connection).removesuffix('/v1')}/mcp",
    }


def http_fields(call: HttpCall, arguments: list[str]) -> dict[str, Any]:
    """Return the request of a `RemoteTool`; arguments without a place are sent as JSON."""
    unplaced = _unplaced(call, arguments)
    data = _body(call.body) if call.body else {name: f"{{{{{name}}}}}" for name in unplaced}
    return {
        "url": _template(call.url),
        "http_method": call.method,
        "headers": {key: _template(value) for key, value in _safe(call.headers).items()},
        "data": data,
    }


def sends_other_texts(tool: Tool) -> bool:
    """Report whether a value in the body that is no text in Baton becomes one in a component."""
    properties = tool.parameters.get("properties")
    if tool.kind != "http" or tool.http is None or not isinstance(properties, dict):
        return False
    bare = [part[0][2:-2] for part in _JSON_PART.finditer(_template(tool.http.body)) if not part[1]]
    types = {
        name: schema.get("type") for name, schema in properties.items() if isinstance(schema, dict)
    }
    names = bare if tool.http.body else _unplaced(tool.http, list(properties))
    return any(types.get(name) != "string" for name in names)


def _unplaced(call: HttpCall, arguments: list[str]) -> list[str]:
    """Return the arguments that have no place in a request, which Baton sends as a JSON body."""
    if call.body or call.method not in _WITH_BODY:
        return []
    placed = set(_ARGUMENT.findall(" ".join([call.url, *call.headers.values()])))
    return [name for name in arguments if name not in placed]


def _body(body: str) -> Any:
    """Return a JSON body as an object, and any other one as a text."""
    template = _template(body)
    try:
        value = json.loads(_JSON_PART.sub(lambda part: part[1] or f'"{part[0]}"', template))
        written = json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return template
    is_object = isinstance(value, dict) and b"\\u0000" not in written
    return value if is_object and _is_safe(value) else template


_JSON_PART: Final = re.compile(r'("(?:[^"\\]|\\.)*")|{{\w+}}')
"""A text of JSON, or a placeholder outside of texts, which gets quotes."""


def _template(text: str) -> str:
    return _ARGUMENT.sub(r"{{\1}}", text)


def _safe(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return entries without keys that are references in a document."""
    return {key: value for key, value in entries.items() if not key.startswith("$")}


def _is_safe(value: Any) -> bool:
    if isinstance(value, dict):
        return all(not key.startswith("$") and _is_safe(each) for key, each in value.items())
    return all(map(_is_safe, value)) if isinstance(value, list) else True


def placeholders(value: object) -> list[str]:
    """Return the names of the placeholders in all texts of a JSON value."""
    match value:
        case str():
            found = PLACEHOLDER.findall(value)
        case dict():
            found = [name for pair in value.items() for each in pair for name in placeholders(each)]
        case list():
            found = [name for each in value for name in placeholders(each)]
        case _:
            found = []
    return list(dict.fromkeys(found))


def _placed(inputs: list[dict[str, Any]], native: dict[str, Any]) -> list[dict[str, Any]]:
    """Return exactly the inputs that have a placeholder, as programs demand."""
    known = {each["title"]: each for each in inputs}
    return [known.get(name, {"title": name, "type": "string"}) for name in placeholders(native)]

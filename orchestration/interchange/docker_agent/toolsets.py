"""Toolsets of an agent: `script` for functions, `api` for HTTP, `mcp`, and `user_prompt`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from orchestration.definition import HttpCall, PipelineDefinition, Tool
from orchestration.interchange.foreign_tools import is_open_header, schema_of

PLACEHOLDER_HOST: Final = ".invalid"
"""Ending of the host of a connection, whose address only the server of Baton knows."""

NO_COMMAND: Final = 'echo "This tool has no command yet." >&2; exit 1'
"""Command of a function tool, to be replaced by its implementation."""

NO_SUBTASK: Final = 'echo "This tool starts no other pipeline yet." >&2; exit 1'
"""Command of a subtask, to be replaced by one that runs the other pipeline."""

USER_PROMPT: Final = "user_prompt"

_IN_URL = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TEMPLATE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_.-]*\}")
_OF_CONNECTION = re.compile(
    rf"https://([a-z0-9_-]+){re.escape(PLACEHOLDER_HOST)}((?:[/?#].*)?)", re.DOTALL
)

Parameters = Mapping[str, Any]


def toolsets(definition: PipelineDefinition, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the toolsets of an agent with these tools."""
    known = definition.tools_by_name
    found: list[dict[str, Any]] = []
    scripts: dict[str, Any] = {}
    for tool in [known[name] for name in names if name in known]:
        match tool.kind:
            case "function" | "subtask":
                scripts[tool.name] = _script(tool)
            case "http":
                found.append({"type": "api", "api_config": _api(tool, tool.http or HttpCall())})
            case "mcp":
                found.append(_mcp(tool))
            case "user_input":
                found.append({"type": USER_PROMPT, "instruction": _named(tool)})
    return [{"type": "script", "shell": scripts}, *found] if scripts else found


def permission_name(tool: Tool) -> str:
    """Return the name of a tool for `permissions`."""
    match tool.kind:
        case "user_input":
            return USER_PROMPT
        case "mcp":
            return tool.mcp.tool or tool.name if tool.mcp is not None else tool.name
        case _:
            return tool.name


def arguments(parameters: Parameters) -> tuple[dict[str, Any], list[str]]:
    """Return the schemas of the arguments as an `api` takes them, and the required ones."""
    properties = parameters.get("properties")
    named = properties if isinstance(properties, Mapping) else {}
    required = parameters.get("required")
    needed = required if isinstance(required, list) else []
    found = {key: _argument(each) for key, each in named.items()}
    return found, [each for each in needed if isinstance(each, str)]


def is_kept(tool: Tool) -> bool:
    """Report whether the import of a tool's `api` or `script` returns the same parameters."""
    return schema_of(*arguments(tool.parameters)) == tool.parameters


def has_own_host(tool: Tool) -> bool:
    """Report whether an HTTP tool works without a connection of the server."""
    return tool.http is not None and tool.http.connection is None


def is_plain_call(tool: Tool) -> bool:
    """Report whether an `api` makes the same request and returns the same answer."""
    call = tool.http
    return (
        call is not None
        and not (call.body or call.take)
        and _TEMPLATE.sub("", call.url) == _IN_URL.sub("", call.url)
        and "$" not in call.url
        and not any(_TEMPLATE.search(each) for each in call.headers.values())
        and all(is_open_header(key, each) for key, each in call.headers.items())
    )


def from_endpoint(endpoint: str) -> tuple[str, str | None]:
    """Return the URL and the connection of an `endpoint`."""
    url = re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}", r"{\1}", endpoint)
    match = _OF_CONNECTION.fullmatch(url)
    return (match[2], match[1]) if match is not None else (url, None)


def _script(tool: Tool) -> dict[str, Any]:
    properties = tool.parameters.get("properties")
    _, required = arguments(tool.parameters)
    given = {
        "description": tool.description,
        "args": properties if isinstance(properties, Mapping) else {},
        "required": required,
    }
    command = NO_SUBTASK if tool.kind == "subtask" else NO_COMMAND
    return {"cmd": command} | {key: each for key, each in given.items() if each}


def _api(tool: Tool, call: HttpCall) -> dict[str, Any]:
    url = _IN_URL.sub(r"${\1}", call.url)
    if call.connection is not None:
        url = f"https://{call.connection}{PLACEHOLDER_HOST}/{url.removeprefix('/')}"
    args, required = arguments(tool.parameters)
    given = {
        "instruction": tool.description,
        "headers": dict(call.headers),
        "args": args,
        "required": required,
    }
    head = {"name": tool.name, "endpoint": url, "method": call.method}
    return head | {key: each for key, each in given.items() if each}


def _mcp(tool: Tool) -> dict[str, Any]:
    connection = tool.mcp.connection if tool.mcp is not None else "server"
    return {
        "type": "mcp",
        "instruction": _named(tool),
        "remote": {
            "url": f"https://{connection}{PLACEHOLDER_HOST}/mcp",
            "transport_type": "streamable",
        },
        "tools": [permission_name(tool)],
    }


def _named(tool: Tool) -> str:
    """Return the name and the description of a tool that the file names in another way."""
    return f"{tool.name}: {tool.description}" if tool.description else tool.name


def _argument(schema: object) -> dict[str, Any]:
    """Return the schema of an argument, whose type and description have to be texts."""
    if not isinstance(schema, Mapping):
        return {}
    return {
        key: each
        for key, each in schema.items()
        if key not in ("type", "description") or isinstance(each, str)
    }

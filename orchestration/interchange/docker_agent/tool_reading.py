"""Tools of a definition from the toolsets and permissions of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from orchestration.definition import TOOL_NAME_PATTERN
from orchestration.interchange.docker_agent.toolsets import (
    NO_COMMAND,
    NO_SUBTASK,
    PLACEHOLDER_HOST,
    USER_PROMPT,
    from_endpoint,
)
from orchestration.interchange.foreign import ForeignDocument, Steps
from orchestration.interchange.foreign_tools import (
    MAX_URL,
    ForeignTools,
    host_of,
    schema_of,
    server_key,
)
from orchestration.interchange.reading import MAX_LINE, shown

_NAMED = re.compile(rf"({TOOL_NAME_PATTERN[1:-1]})(?:: (.*))?", re.DOTALL)
_API_FIELDS = ("name", "endpoint", "method", "instruction", "headers", "args", "required")
MAX_PATTERNS = 50
"""Number of permissions with `*` that are compared with all tools; further ones are losses."""


class ToolReader:
    """Reader of toolsets; a tool that several agents have is added once."""

    def __init__(self, document: ForeignDocument, *, is_own: bool) -> None:
        self._document, self._is_own = document, is_own
        self._tools = ForeignTools(document)
        self._by_permission: dict[str, list[dict[str, Any]]] = {}
        self._patterns = 0

    def names(self, value: object, steps: Steps) -> list[str]:
        """Return the names of the tools of an agent."""
        found: list[str] = []
        for index, raw in enumerate(self._document.items(value, steps)):
            found += self._toolset(self._document.fields(raw, (*steps, index)), (*steps, index))
        return list(dict.fromkeys(found))

    def read_permissions(self, value: object) -> None:
        """Require the approval of tools by the `permissions` of the file."""
        document, steps = self._document, ("permissions",)
        raw = document.fields(value, steps)
        document.unknown(raw, steps, ("allow", "ask"), "A permission")
        for pattern, at in document.texts(raw.get("ask"), (*steps, "ask")):
            tools = self._matching(pattern)
            for tool in tools:
                tool["approval"] = True
            if not tools:
                document.lose("Permission", at, "No tool with approval has this name.")
        for pattern, at in document.texts(raw.get("allow"), (*steps, "allow")):
            if not self._matching(pattern):
                document.lose("Permission", at, "No tool has this name.")

    def _matching(self, pattern: str) -> list[dict[str, Any]]:
        if pattern in self._by_permission:
            return self._by_permission[pattern]
        if not any(each in pattern for each in "*?["):
            return []
        self._patterns += 1
        if self._patterns > MAX_PATTERNS:
            return []
        names = [each for each in self._by_permission if fnmatchcase(each, pattern)]
        return [tool for name in names for tool in self._by_permission[name]]

    def _toolset(self, raw: Mapping[str, Any], steps: Steps) -> list[str]:
        match raw.get("type"):
            case "script":
                return self._scripts(raw, steps)
            case "api":
                return self._api(raw, steps)
            case "mcp":
                return self._mcp(raw, steps)
            case "user_prompt":
                self._document.unknown(raw, steps, ("type", "instruction"), "A question")
                name, text = self._named(raw.get("instruction"), steps, USER_PROMPT)
                return [self._add(name, steps, USER_PROMPT, kind="user_input", description=text)]
            case kind:
                sentence = "Its tools are missing: add them as tools of a server."
                self._document.lose("Toolset", steps, sentence, f"{shown(kind)} left out")
                return []

    def _scripts(self, raw: Mapping[str, Any], steps: Steps) -> list[str]:
        document = self._document
        document.unknown(raw, steps, ("type", "shell"), "A function")
        found: list[str] = []
        scripts = document.fields(raw.get("shell"), (*steps, "shell"))
        for name, value in scripts.items():
            at = (*steps, "shell", name)
            script = document.fields(value, at)
            document.unknown(script, at, ("cmd", "description", "args", "required"), "A function")
            command = script.get("cmd")
            if command not in (NO_COMMAND, NO_SUBTASK):
                sentence = "The command is not run: implement the function."
                document.lose("Command", (*at, "cmd"), sentence)
            fields = {
                "kind": "subtask" if command == NO_SUBTASK else "function",
                "description": self._line(script.get("description"), (*at, "description")),
                "parameters": self._parameters(script, at),
            }
            found.append(self._add(name, at, name, **fields))
        return found

    def _api(self, raw: Mapping[str, Any], steps: Steps) -> list[str]:
        document = self._document
        document.unknown(raw, steps, ("type", "api_config"), "An HTTP tool")
        at = (*steps, "api_config")
        config = document.fields(raw.get("api_config"), at)
        document.unknown(config, at, _API_FIELDS, "An HTTP tool")
        endpoint, name = config.get("endpoint"), config.get("name")
        if not isinstance(endpoint, str) or not isinstance(name, str) or len(endpoint) > MAX_URL:
            document.lose(
                "HTTP tool", at, "It has no name, or no address of at most 2,000 characters."
            )
            return []
        url, connection = from_endpoint(endpoint)
        http = {
            "method": self._tools.method(config.get("method"), (*at, "method")),
            "url": url,
            "connection": connection,
            "headers": self._tools.headers(config.get("headers"), (*at, "headers")),
        }
        fields = {
            "description": self._line(config.get("instruction"), (*at, "instruction")),
            "parameters": self._parameters(config, at),
        }
        return [self._add(name, at, name, kind="http", http=http, **fields)]

    def _mcp(self, raw: Mapping[str, Any], steps: Steps) -> list[str]:
        document = self._document
        known = ("type", "remote", "command", "args", "ref", "tools", "instruction")
        document.unknown(raw, steps, known, "An MCP server")
        connection = self._connection(raw, steps)
        names = list(document.texts(raw.get("tools"), (*steps, "tools")))
        if not names:
            sentence = f"Connect the server as {connection} and choose its tools."
            document.lose("MCP server", steps, sentence)
        instruction = raw.get("instruction")
        if instruction is not None and not (self._is_own and len(names) == 1):
            document.lose("Instruction", (*steps, "instruction"), "The tools have no instruction.")
            instruction = None
        found: list[str] = []
        for name, at in names:
            own, text = self._named(instruction, steps, name)
            mcp = {"connection": connection, "tool": "" if own == name else name[:MAX_LINE]}
            found.append(self._add(own, at, name, kind="mcp", mcp=mcp, description=text))
        return found

    def _connection(self, raw: Mapping[str, Any], steps: Steps) -> str:
        """Return the key of the connection of an MCP server, whose address is not kept."""
        document = self._document
        remote = document.fields(raw.get("remote"), (*steps, "remote"))
        url = remote.get("url")
        host = host_of(url)
        if host.endswith(PLACEHOLDER_HOST):
            return server_key(host.removesuffix(PLACEHOLDER_HOST))
        known = {"remote": "url", "command": "", "ref": ""}
        for key, inner in known.items():
            if raw.get(key) is not None:
                at = (*steps, key, inner) if inner else (*steps, key)
                document.lose("Address", at, "Add a connection to this server.")
        document.unknown(remote, (*steps, "remote"), ("url", "transport_type"), "A connection")
        return server_key(host, raw.get("ref"), raw.get("command"))

    def _named(self, instruction: object, steps: Steps, default: str) -> tuple[str, str]:
        """Return the name and the description that an export of Baton wrote as instruction."""
        if self._is_own and isinstance(instruction, str):
            match = _NAMED.fullmatch(instruction)
            if match is not None:
                return match[1], (match[2] or "")[:MAX_LINE]
        return default, self._line(instruction, (*steps, "instruction"))

    def _parameters(self, raw: Mapping[str, Any], steps: Steps) -> dict[str, Any]:
        args = self._document.fields(raw.get("args"), (*steps, "args"))
        required = self._document.texts(raw.get("required"), (*steps, "required"))
        return schema_of(args, [each for each, _ in required])

    def _line(self, value: object, steps: Steps) -> str:
        return self._tools.line(value, steps)

    def _add(self, name: str, steps: Steps, permission: str, **fields: Any) -> str:
        """Add a tool unless an equal one exists, and return its name."""
        own, tool = self._tools.add(name, steps, **fields)
        if tool is not None:
            self._by_permission.setdefault(permission, []).append(tool)
        return own

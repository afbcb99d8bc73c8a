"""Tools of a definition from the workbenches and tools of an AutoGen component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestration.interchange.autogen.functions import parameters_of_source
from orchestration.interchange.foreign import ForeignDocument, Steps
from orchestration.interchange.foreign_tools import (
    MAX_URL,
    ForeignTools,
    host_of,
    schema_of,
    server_key,
)
from orchestration.interchange.reading import MAX_LINE, shown

_HTTP_FIELDS = (
    "name",
    "description",
    "scheme",
    "host",
    "port",
    "path",
    "method",
    "headers",
    "json_schema",
    "return_type",
    "timeout",
)
_PORTS = {"http": 80, "https": 443}


def class_of(component: Mapping[str, Any]) -> str:
    """Return the name of the class of a component: `FunctionTool`."""
    provider = component.get("provider")
    return provider.rpartition(".")[2] if isinstance(provider, str) else ""


class AutoGenTools:
    """Reader of tools."""

    def __init__(self, document: ForeignDocument) -> None:
        self._document = document
        self._tools = ForeignTools(document)

    def names(self, config: Mapping[str, Any], steps: Steps) -> list[str]:
        """Return the names of the tools of an agent with this configuration."""
        document = self._document
        found = self._all(config.get("tools"), (*steps, "tools"))
        benches = config.get("workbench")
        several = isinstance(benches, list)
        for index, raw in enumerate(benches if isinstance(benches, list) else [benches]):
            at = (*steps, "workbench", index) if several else (*steps, "workbench")
            bench = document.fields(raw, at)
            inner = document.fields(bench.get("config"), (*at, "config"))
            match class_of(bench):
                case "StaticWorkbench" | "StaticStreamWorkbench":
                    found += self._all(inner.get("tools"), (*at, "config", "tools"))
                    known = ("tools",)
                    document.unknown(inner, (*at, "config"), known, "A list of tools")
                case "" if raw is None:
                    pass
                case "McpWorkbench":
                    key = self._server(inner, (*at, "config"))
                    sentence = f"Connect the server as {key} and choose its tools."
                    document.lose("MCP server", at, sentence)
                case name:
                    document.lose("Tools", at, "Its tools are missing.", f"{shown(name)} left out")
        return list(dict.fromkeys(found))

    def _all(self, value: object, steps: Steps) -> list[str]:
        found: list[str] = []
        for index, raw in enumerate(self._document.items(value, steps)):
            found += self._tool(self._document.fields(raw, (*steps, index)), (*steps, index))
        return found

    def _tool(self, raw: Mapping[str, Any], steps: Steps) -> list[str]:
        at = (*steps, "config")
        config = self._document.fields(raw.get("config"), at)
        kind = class_of(raw)
        if kind == "FunctionTool":
            return self._function(config, at)
        if kind == "HttpTool":
            return self._http(config, at)
        if kind.endswith("McpToolAdapter"):
            return self._mcp(config, at)
        name = config.get("name")
        self._document.lose(
            "Tool", steps, "The agent has no such tool.", f"{shown(name or kind)} left out"
        )
        return []

    def _function(self, config: Mapping[str, Any], steps: Steps) -> list[str]:
        document, name = self._document, config.get("name")
        if not isinstance(name, str):
            document.lose("Tool", steps, "It has no name.")
            return []
        known = ("source_code", "name", "description", "global_imports", "has_cancellation_support")
        document.unknown(config, steps, known, "A function")
        at = (*steps, "source_code")
        document.lose("Source", at, "The source is not run: implement the function.")
        parameters = parameters_of_source(config.get("source_code"))
        if parameters is None:
            document.lose("Parameters", at, "The model sees no parameters.", "not understood")
        description = self._tools.line(config.get("description"), (*steps, "description"))
        schema = parameters or schema_of({}, [])
        own, _ = self._tools.add(name, steps, description=description, parameters=schema)
        return [own]

    def _http(self, config: Mapping[str, Any], steps: Steps) -> list[str]:
        document, name = self._document, config.get("name")
        document.unknown(config, steps, _HTTP_FIELDS, "An HTTP tool")
        scheme, host, port = (config.get(each) for each in ("scheme", "host", "port"))
        if not isinstance(name, str) or scheme not in _PORTS or not isinstance(host, str):
            document.lose("HTTP tool", steps, "It has no name or no address.")
            return []
        place = host if port in (None, _PORTS[str(scheme)]) else f"{host}:{shown(port)}"
        path = config.get("path") if isinstance(config.get("path"), str) else ""
        url = f"{scheme}://{place}/{str(path).removeprefix('/')}"
        if len(url) > MAX_URL:
            document.lose("HTTP tool", steps, "Its address has more than 2,000 characters.")
            return []
        http = {
            "method": self._tools.method(config.get("method"), (*steps, "method")),
            "url": url,
            "headers": self._tools.headers(config.get("headers"), (*steps, "headers")),
        }
        seconds = document.number(config.get("timeout"), (*steps, "timeout"), 0.001, 3_600)
        fields = {
            "description": self._tools.line(config.get("description"), (*steps, "description")),
            "parameters": dict(document.fields(config.get("json_schema"), (*steps, "json_schema"))),
            "time_limit": seconds,
        }
        own, _ = self._tools.add(name, steps, kind="http", http=http, **fields)
        return [own]

    def _mcp(self, config: Mapping[str, Any], steps: Steps) -> list[str]:
        document = self._document
        at = (*steps, "tool")
        tool = document.fields(config.get("tool"), at)
        name = tool.get("name")
        key = self._server(config, steps)
        document.unknown(config, steps, ("server_params", "tool"), "An MCP tool")
        if not isinstance(name, str):
            document.lose("Tool", at, "It has no name.")
            return []
        fields = {
            "description": self._tools.line(tool.get("description"), (*at, "description")),
            "parameters": dict(document.fields(tool.get("inputSchema"), (*at, "inputSchema"))),
            "mcp": {"connection": key, "tool": name[:MAX_LINE]},
        }
        own, _ = self._tools.add(name, at, kind="mcp", **fields)
        return [own]

    def _server(self, config: Mapping[str, Any], steps: Steps) -> str:
        """Return the key of the connection of an MCP server, whose address is not kept."""
        at = (*steps, "server_params")
        params = self._document.fields(config.get("server_params"), at)
        self._document.lose("Address", at, "Add a connection to this server.")
        return server_key(host_of(params.get("url")), params.get("command"))

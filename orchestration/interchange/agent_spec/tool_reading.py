"""Reading of tools: components to tools of a definition."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args
from urllib.parse import quote

from pydantic import ValidationError

from orchestration.definition import HttpCall, Tool
from orchestration.handoff import key_of
from orchestration.interchange.agent_spec.document import Component, Document
from orchestration.interchange.agent_spec.metadata import data_of
from orchestration.interchange.agent_spec.properties import parameters_of
from orchestration.interchange.agent_spec.tools import (
    OWN,
    PLACEHOLDER,
    tool_component,
    written_name,
)
from orchestration.interchange.reading import Reading, shown
from orchestration.interchange.results import Loss
from orchestration.network import is_allowed_header

_KINDS: Final = {
    "ServerTool": "function",
    "ClientTool": "user_input",
    "RemoteTool": "http",
    "MCPTool": "mcp",
}
_REQUEST: Final = ("url", "http_method", "headers", "data")
_METHODS: Final[tuple[str, ...]] = get_args(HttpCall.model_fields["method"].annotation)
_FORM: Final = "application/x-www-form-urlencoded"
_MAX_URL: Final = 2_000
_MAX_HEADER: Final = 500
_IGNORED: Final = ("api_spec_uri", "sensitive_headers", "url_allow_list", "retry_policy")


class ToolReading:
    """Tools while a document is read; a tool of several agents is read once."""

    def __init__(self, reading: Reading, document: Document) -> None:
        self._reading, self._document = reading, document
        self._names: dict[str, str | None] = {}
        self._tools: dict[tuple[str, str], str] = {}

    def read(self, value: object, path: str) -> str | None:
        """Return the name of the tool of a value; None if it is a loss."""
        part = self._document.part(value, path)
        if part is None:
            self._reading.lose("Tool", path, "not found", "The agent does not have this tool.")
            return None
        if part.path not in self._names:
            self._names[part.path] = self._read(part)
        return self._names[part.path]

    def read_box(self, value: object, path: str) -> Iterator[str]:
        """Yield the names of the listed tools of an `MCPToolBox`; without a list it is a loss."""
        part = self._document.part(value, path)
        listed = part.entries("tool_filter") if part and part.kind == "MCPToolBox" else []
        if part is None or not listed:
            self._reading.lose(
                "Toolbox", path, "left out", "Add the tools of its server in the editor."
            )
            return
        for place, each in listed:
            fields = {"name": each} if isinstance(each, str) else each
            if isinstance(fields, dict):
                shared = {
                    "component_type": "MCPTool",
                    "client_transport": part.fields.get("client_transport"),
                }
                if part.fields.get("requires_confirmation") is True:
                    shared["requires_confirmation"] = True
                name = self._read(Component(place, {**fields, **shared}))
                if name is not None:
                    yield name

    def _read(self, part: Component) -> str | None:
        if part.kind not in _KINDS:
            self._reading.lose(
                "Tool",
                part.path,
                f"{shown(part.kind) or 'a component without a type'} is left out",
                "The agent does not have this tool.",
            )
            return None
        fields = self._own(part) or self._foreign(part)
        return self._add(part, fields)

    def _add(self, part: Component, fields: dict[str, Any]) -> str:
        wanted = fields.pop("name", None)
        name = wanted or self._reading.name(part.fields.get("name"), part.at("name"), "tool")
        content = name, json.dumps(fields, sort_keys=True)
        if content in self._tools:
            return self._tools[content]
        if not (wanted and self._reading.claim("tool", wanted)):
            found = self._reading.tool_name(name, part.at("name"))
        else:
            found = name
        self._tools[content] = found
        self._reading.fields["tools"].append({"name": found, **fields})
        self._reading.keep("Tools", found)
        return found

    # Exports of Baton

    def _own(self, part: Component) -> dict[str, Any] | None:
        """Return the fields of a tool that Baton exported; changes made elsewhere win."""
        stored = data_of(part.fields).get("tool")
        if not isinstance(stored, dict):
            return None
        native = self._shared(part)
        known = {"kind": _KINDS[part.kind], "parameters": native["parameters"]}
        try:
            tool = Tool.model_validate({**known, **stored})
        except ValidationError:
            self._reading.lose(
                "Tool", part.at("metadata"), "not valid", "Its settings of Baton are left out."
            )
            return None
        expected = tool_component(tool)
        if expected["component_type"] != part.kind:
            return None
        fields = tool.model_dump(mode="json", exclude_defaults=True, exclude=set(OWN))
        fields |= {"description": native["description"], "approval": native["approval"]}
        if properties(part, "inputs") != expected["inputs"]:
            fields["parameters"] = native["parameters"]
        if part.kind == "RemoteTool" and any(
            (part.fields.get(key) or {}) != (expected[key] or {}) for key in _REQUEST
        ):
            fields["http"] = {**fields.get("http", {}), **self._request(part)}
        if part.kind == "MCPTool" and self._transport(part) != (
            tool.mcp.connection if tool.mcp else "mcp"
        ):
            fields["mcp"] = {**fields.get("mcp", {}), "connection": self._connection(part)}
        if part.fields.get("name") == written_name(tool):
            fields["name"] = tool.name
        return fields

    # Tools of other programs

    def _foreign(self, part: Component) -> dict[str, Any]:
        fields = {"kind": _KINDS[part.kind], **self._shared(part)}
        if part.kind == "ClientTool":
            self._reading.rows.append(
                Loss(
                    "Tool",
                    (part.path,),
                    "comment",
                    "a question to the user",
                    "The user answers in place of the client.",
                    differs=True,
                )
            )
        if part.kind == "RemoteTool":
            fields["http"] = self._request(part)
            for key in _IGNORED:
                if part.fields.get(key):
                    self._reading.lose(
                        "HTTP tool", part.at(key), "left out", "Requests are made without it."
                    )
        if part.kind == "MCPTool":
            fields["mcp"] = {"connection": self._connection(part)}
            native = part.fields.get("name")
            if isinstance(native, str):
                fields["mcp"]["tool"] = native[:_MAX_HEADER]
            self._reading.rows.append(
                Loss(
                    "MCP tool",
                    (part.path,),
                    "comment",
                    f"the connection {fields['mcp']['connection']}",
                    "Add this connection to the server.",
                )
            )
        if not _is_text(part.fields.get("outputs")):
            self._reading.rows.append(
                Loss(
                    "Tool", (part.at("outputs"),), "lost", "left out", "An answer may be any text."
                )
            )
        return fields

    def _shared(self, part: Component) -> dict[str, Any]:
        inputs, listed = properties(part, "inputs"), part.fields.get("inputs") or []
        if not isinstance(listed, list) or len(listed) != len(inputs):
            self._reading.lose(
                "Tool", part.at("inputs"), "not complete", "Models do not see these arguments."
            )
        return {
            "description": self._reading.line(
                part.fields.get("description"), part.at("description")
            ),
            "parameters": parameters_of(inputs),
            "approval": part.fields.get("requires_confirmation") is True,
        }

    def _connection(self, part: Component) -> str:
        return key_of(self._transport(part), "mcp")

    def _transport(self, part: Component) -> str:
        path = part.at("client_transport")
        transport = self._document.part(part.fields.get("client_transport"), path)
        name = transport.fields.get("name") if transport else None
        return name if isinstance(name, str) else "mcp"

    def _request(self, part: Component) -> dict[str, Any]:
        method = str(part.fields.get("http_method", "GET")).upper()
        if method not in _METHODS:
            self._reading.lose(
                "HTTP tool",
                part.at("http_method"),
                f"now GET, not {shown(method)}",
                "Choose another method.",
            )
            method = "GET"
        url = self._reading.text(part.fields.get("url"), part.at("url"), _MAX_URL)
        query = part.fields.get("query_params")
        if isinstance(query, dict) and query:
            url += f"{'&' if '?' in url else '?'}{_form(query)}"
        headers, data = dict(self._headers(part)), part.fields.get("data")
        body = data if isinstance(data, str) else ""
        if isinstance(data, dict | list) and data:
            is_form = isinstance(data, dict) and _FORM in map(str.lower, headers.values())
            body = _form(dict(data)) if is_form else json.dumps(data, ensure_ascii=False)
        return {
            "method": method,
            "url": self._reading.text(_template(url), part.at("url"), _MAX_URL),
            "headers": headers,
            "body": self._reading.text(_template(body), part.at("data")),
        }

    def _headers(self, part: Component) -> Iterator[tuple[str, str]]:
        headers = part.fields.get("headers")
        for number, (name, value) in enumerate(
            headers.items() if isinstance(headers, dict) else ()
        ):
            template = _template(_text(value))
            is_valid = is_allowed_header(name) and len(name) <= 120 and len(template) <= _MAX_HEADER
            if is_valid and number < 50:
                yield name, template
            else:
                self._reading.lose(
                    "HTTP tool",
                    part.at("headers", name),
                    "left out",
                    "Requests are made without it.",
                )


def properties(part: Component, name: str) -> list[Mapping[str, Any]]:
    """Return the inputs or outputs that are JSON Schemas with a distinct title."""
    inputs: dict[str, Mapping[str, Any]] = {}
    for _, each in part.entries(name):
        if isinstance(each, dict) and isinstance(each.get("title"), str):
            inputs.setdefault(each["title"], each)
    return list(inputs.values())


def _is_text(outputs: object) -> bool:
    """Report whether a tool returns a text, or does not declare its answer."""
    match outputs:
        case None | [] | [{"type": "string"}]:
            return True
        case _:
            return False


def _template(text: str) -> str:
    return PLACEHOLDER.sub(r"{\1}", text)


def _form(values: Mapping[str, Any]) -> str:
    """Return the pairs of a query or a form, with their placeholders."""
    return "&".join(f"{quote(key)}={quote(_text(values[key]), safe='{}')}" for key in values)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

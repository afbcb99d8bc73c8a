"""Rules about remote tools: HTTP APIs and MCP servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orchestration.definition import HttpCall, Tool
from orchestration.network import is_allowed_header
from orchestration.tools import PLACEHOLDER, names_in, origin_of
from orchestration.validation.draft import Draft
from orchestration.validation.fix_steps import Fix
from orchestration.validation.issues import Issue, error, listed, path_steps, warning
from orchestration.validation.rule_help import RuleHelp
from orchestration.validation.sketches import ORDERS, http_sketch, sketch

_KEY_WORDS = ("authorization", "api-key", "apikey", "token", "secret", "cookie", "password")


def http_address_wrong(draft: Draft) -> Iterator[Issue]:
    """Require a fixed host in the address of a request."""
    for index, tool, call in _requests(draft):
        fault = _address_fault(call)
        if fault and not tool.stand_in:
            yield error(
                "http-address-wrong",
                f"The tool {tool.name!r} {fault}",
                "tool",
                (tool.name,),
                f"$.tools[{index}].http.url" if tool.http else f"$.tools[{index}].http",
            )


def http_argument_unknown(draft: Draft) -> Iterator[Issue]:
    """Require every placeholder of a request to be an argument of its tool."""
    for index, tool, call in _requests(draft):
        known = known_arguments(tool)
        for field, template in templates_of(call):
            unknown = [name for name in names_in(template) if name not in known]
            if unknown:
                yield error(
                    "http-argument-unknown",
                    f"The request of the tool {tool.name!r} has a placeholder for"
                    f" {listed(unknown)}, which is not an argument: add it to the"
                    " schema of the arguments, or correct the name.",
                    "tool",
                    (tool.name,),
                    f"$.tools[{index}].http.{field}",
                )


def http_header_wrong(draft: Draft) -> Iterator[Issue]:
    """Forbid invalid headers and headers that control the transport."""
    for index, tool, call in _requests(draft):
        for name in call.headers:
            if not is_allowed_header(name):
                yield error(
                    "http-header-wrong",
                    f"The tool {tool.name!r} cannot send the header {name!r}: remove it.",
                    "tool",
                    (tool.name,),
                    f"$.tools[{index}].http.headers",
                )


def mcp_server_missing(draft: Draft) -> Iterator[Issue]:
    """Require a connection for each tool of an MCP server."""
    for index, tool in draft.tools:
        if tool.kind == "mcp" and tool.mcp is None and not tool.stand_in:
            yield error(
                "mcp-server-missing",
                f"The tool {tool.name!r} does not say which MCP server provides it: choose"
                " a connection.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].mcp",
            )


def http_key_shown(draft: Draft) -> Iterator[Issue]:
    """Warn about keys in a definition, which is visible, exported and shared."""
    for index, tool, call in _requests(draft):
        if "@" in origin_of(call.url):
            yield warning(
                "http-key-shown",
                f"The tool {tool.name!r} has a name and a password in its address, visible to all"
                " users of the pipeline: use a connection.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].http.url",
            )
        for name, value in call.headers.items():
            is_fixed = len(PLACEHOLDER.sub("", value)) > 7
            if is_fixed and any(word in name.lower() for word in _KEY_WORDS):
                yield warning(
                    "http-key-shown",
                    f"The tool {tool.name!r} seems to have a key in its header {name!r}, visible to"
                    " all users of the pipeline: move it to a connection.",
                    "tool",
                    (tool.name,),
                    f"$.tools[{index}].http.headers",
                )


def http_argument_unused(draft: Draft) -> Iterator[Issue]:
    """Require every argument of a tool to reach the API."""
    for index, tool, call in _requests(draft):
        if not call.body and call.method in ("POST", "PUT", "PATCH"):
            continue
        placed = {name for _, template in templates_of(call) for name in names_in(template)}
        unused = [name for name in known_arguments(tool) if name not in placed]
        if unused:
            yield warning(
                "http-argument-unused",
                f"The request of the tool {tool.name!r} has no placeholder for {listed(unused)}:"
                " the API does not receive it.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].parameters",
            )


def known_arguments(tool: Tool) -> list[str]:
    """Return the names of a tool's arguments in its schema."""
    properties = tool.parameters.get("properties")
    return list(properties) if isinstance(properties, dict) else []


def templates_of(call: HttpCall) -> Iterator[tuple[str, str]]:
    """Yield the templates of a request: the name of the field, and the text."""
    yield "url", call.url
    for value in call.headers.values():
        yield "headers", value
    yield "body", call.body


def _requests(draft: Draft) -> Iterator[tuple[int, Tool, HttpCall]]:
    for index, tool in draft.tools:
        if tool.kind == "http":
            yield index, tool, tool.http or HttpCall()


def _address_fault(call: HttpCall) -> str:
    """Describe the error in a request's address; empty if it is valid."""
    origin = origin_of(call.url)
    if PLACEHOLDER.search(origin):
        return "lets an argument choose the host: enter a fixed host, or use a connection."
    if origin:
        is_web = origin.lower().startswith(("http://", "https://"))
        return "" if is_web else "has an address without http:// or https://: correct it."
    if call.connection is None:
        return "has no address: enter one that begins with https://, or choose a connection."
    return ""


def _add_arguments(draft: Draft, issue: Issue) -> Fix:
    """Add the placeholders of a request to the schema of the arguments."""
    _, index, *_ = path_steps(issue.where.path)
    tool = draft.definition.tools[int(index)]
    known = known_arguments(tool)
    placeholders = [
        name for _, text in templates_of(tool.http or HttpCall()) for name in names_in(text)
    ]
    added = {name: {"type": "string"} for name in placeholders if name not in known}
    properties = {name: tool.parameters["properties"][name] for name in known} | added
    schema = {"type": "object", **tool.parameters, "properties": properties}
    many = f"{len(added)} arguments" if len(added) > 1 else next(iter(added), "")
    return Fix(f"Add {many}", (("set", f"$.tools[{index}].parameters", schema),))


def _remove_headers(draft: Draft, issue: Issue) -> Fix:
    """Remove the headers that a tool cannot send."""
    _, index, *_ = path_steps(issue.where.path)
    call = draft.definition.tools[int(index)].http or HttpCall()
    allowed = {name: value for name, value in call.headers.items() if is_allowed_header(name)}
    return Fix("Remove the header", (("set", issue.where.path, allowed),))


HELP: Mapping[str, RuleHelp] = {
    "http-address-wrong": RuleHelp(
        "A request without a valid address",
        "A tool of an HTTP API needs an address. Arguments may fill the path and the query, but"
        " never choose the host.",
        "Enter a full address (https://shop.example/orders/{order}), or choose a connection.",
        http_sketch("shop", url="https://{shop}.example/orders"),
    ),
    "http-argument-unknown": RuleHelp(
        "A placeholder without an argument",
        "The model knows the arguments from their schema: it never sends any other argument.",
        "Add it to the schema of the arguments, or correct the name in the request.",
        http_sketch(url=f"{ORDERS}/{{order}}"),
        _add_arguments,
    ),
    "http-header-wrong": RuleHelp(
        "A header that a tool cannot send",
        "Some headers control the transport, such as Host and Content-Length; others have an"
        " invalid name.",
        "Remove the header.",
        http_sketch(url=ORDERS, headers={"Host": "shop.example"}),
        _remove_headers,
    ),
    "mcp-server-missing": RuleHelp(
        "A tool without an MCP server",
        "Without a server its calls would fail.",
        "Choose a connection of the kind MCP server in the tool's form.",
        sketch("intake", tools=[{"name": "look_up", "kind": "mcp"}]),
    ),
    "http-key-shown": RuleHelp(
        "A key in a definition",
        "A definition is visible to all users of the pipeline and part of every export.",
        "Move the key to a connection, and choose it in the tool's form.",
        http_sketch(url=ORDERS, headers={"Authorization": "Bearer 0123456789"}),
    ),
    "http-argument-unused": RuleHelp(
        "An argument that the API does not receive",
        "The model sends it, but the request has no placeholder for it.",
        "Add a placeholder to the address or the body ({order}), or remove it from the schema.",
        http_sketch("order", url=ORDERS),
    ),
}
"""Help of the rules, by the code of the issue."""

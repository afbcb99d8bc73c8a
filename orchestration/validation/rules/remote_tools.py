"""Rules about tools that are answered elsewhere: by an HTTP API, or an MCP server."""

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
    """A request goes somewhere, and no argument chooses where."""
    for index, tool, call in _requests(draft):
        why = _address_fault(call)
        if why and not tool.stand_in:
            yield error(
                "http-address-wrong",
                f"The tool {tool.name!r} {why}",
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
                    f"The request of the tool {tool.name!r} has a place for {listed(unknown)},"
                    " which its arguments do not have: add it to their schema, or correct the"
                    " name.",
                    "tool",
                    (tool.name,),
                    f"$.tools[{index}].http.{field}",
                )


def http_header_wrong(draft: Draft) -> Iterator[Issue]:
    """A header has a name, and says nothing of how the request is sent."""
    for index, tool, call in _requests(draft):
        for name in call.headers:
            if not is_allowed_header(name):
                yield error(
                    "http-header-wrong",
                    f"The tool {tool.name!r} cannot send the header {name!r}: take it away.",
                    "tool",
                    (tool.name,),
                    f"$.tools[{index}].http.headers",
                )


def mcp_server_missing(draft: Draft) -> Iterator[Issue]:
    """A tool of an MCP server says of which."""
    for index, tool in draft.tools:
        if tool.kind == "mcp" and tool.mcp is None and not tool.stand_in:
            yield error(
                "mcp-server-missing",
                f"The tool {tool.name!r} does not say which MCP server answers it: name a"
                " connection.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].mcp",
            )


def http_key_shown(draft: Draft) -> Iterator[Issue]:
    """Keys are a connection's: a definition is shown, exported and shared."""
    for index, tool, call in _requests(draft):
        if "@" in origin_of(call.url):
            yield warning(
                "http-key-shown",
                f"The tool {tool.name!r} holds a name and a password in its address, where"
                " everybody sees them who sees the pipeline: make it a connection.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].http.url",
            )
        for name, value in call.headers.items():
            is_fixed = len(PLACEHOLDER.sub("", value)) > 7
            if is_fixed and any(word in name.lower() for word in _KEY_WORDS):
                yield warning(
                    "http-key-shown",
                    f"The tool {tool.name!r} seems to hold a key in its header {name!r}, where"
                    " everybody sees it who sees the pipeline: move it to a connection.",
                    "tool",
                    (tool.name,),
                    f"$.tools[{index}].http.headers",
                )


def http_argument_unused(draft: Draft) -> Iterator[Issue]:
    """Require every argument of a tool to reach the API."""
    for index, tool, call in _requests(draft):
        if not call.body and call.method in ("POST", "PUT", "PATCH"):
            continue
        used = {name for _, template in templates_of(call) for name in names_in(template)}
        unused = [name for name in known_arguments(tool) if name not in used]
        if unused:
            yield warning(
                "http-argument-unused",
                f"The request of the tool {tool.name!r} has no place for {listed(unused)}: the API"
                " never hears of it.",
                "tool",
                (tool.name,),
                f"$.tools[{index}].parameters",
            )


def known_arguments(tool: Tool) -> list[str]:
    """The names of a tool's arguments, by its schema."""
    properties = tool.parameters.get("properties")
    return list(properties) if isinstance(properties, dict) else []


def templates_of(call: HttpCall) -> Iterator[tuple[str, str]]:
    """The templates of a request: the field it is in, and the text."""
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
        return "lets an argument choose the host: write the host out, or make it a connection's."
    if origin:
        is_web = origin.lower().startswith(("http://", "https://"))
        return "" if is_web else "goes to no address of the web: it begins with https://."
    if call.connection is None:
        return "has no address to go to: write one that begins with https://, or name a connection."
    return ""


def _add_arguments(draft: Draft, issue: Issue) -> Fix:
    """Add to the schema of a tool's arguments what its request has places for."""
    _, index, *_ = path_steps(issue.where.path)
    tool = draft.definition.tools[int(index)]
    known = known_arguments(tool)
    wanted = [name for _, text in templates_of(tool.http or HttpCall()) for name in names_in(text)]
    added = {name: {"type": "string"} for name in wanted if name not in known}
    properties = {name: tool.parameters["properties"][name] for name in known} | added
    schema = {"type": "object", **tool.parameters, "properties": properties}
    many = f"{len(added)} arguments" if len(added) > 1 else next(iter(added), "")
    return Fix(f"Add {many}", (("set", f"$.tools[{index}].parameters", schema),))


def _remove_headers(draft: Draft, issue: Issue) -> Fix:
    """Leave out the headers that no tool may send."""
    _, index, *_ = path_steps(issue.where.path)
    call = draft.definition.tools[int(index)].http or HttpCall()
    kept = {name: value for name, value in call.headers.items() if is_allowed_header(name)}
    return Fix("Take the header away", (("set", issue.where.path, kept),))


HELP: Mapping[str, RuleHelp] = {
    "http-address-wrong": RuleHelp(
        "A request that goes nowhere",
        "A tool that an HTTP API answers needs an address. What a model writes may fill its path"
        " and its query, and never choose the host.",
        "Write the address out (https://shop.example/orders/{order}), or name a connection.",
        http_sketch("shop", url="https://{shop}.example/orders"),
    ),
    "http-argument-unknown": RuleHelp(
        "A place for an argument that there is not",
        "The model is told the arguments by their schema: one that is not there is never given.",
        "Add it to the schema of the arguments, or correct its name in the request.",
        http_sketch(url=f"{ORDERS}/{{order}}"),
        _add_arguments,
    ),
    "http-header-wrong": RuleHelp(
        "A header that no tool may send",
        "Some headers say how a request is sent, such as Host and Content-Length; others have a"
        " name that no header can have.",
        "Take the header away.",
        http_sketch(url=ORDERS, headers={"Host": "shop.example"}),
        _remove_headers,
    ),
    "mcp-server-missing": RuleHelp(
        "A tool of no MCP server",
        "It does not say which server has it, so that its calls would fail.",
        "Name a connection of the kind MCP server in the tool's form.",
        sketch("intake", tools=[{"name": "look_up", "kind": "mcp"}]),
    ),
    "http-key-shown": RuleHelp(
        "A key in a definition",
        "A definition is seen by everybody who sees the pipeline, and goes along in every export.",
        "Put the key into a connection, and name that in the tool's form.",
        http_sketch(url=ORDERS, headers={"Authorization": "Bearer 0123456789"}),
    ),
    "http-argument-unused": RuleHelp(
        "An argument that the API never hears of",
        "The model fills it in, and the request has no place for it.",
        "Give it a place in the address or the body ({order}), or take it out of the schema.",
        http_sketch("order", url=ORDERS),
    ),
}
"""Help of the rules, by the code of the issue."""

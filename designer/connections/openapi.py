"""Tools from an OpenAPI document (3.0 and 3.1): each operation is a request.

What is read is hostile: its size is bounded, references lead within the document alone, and what
they unfold into is bounded too. Nothing is fetched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from designer.connections.openapi_schemas import Unfolded
from designer.connections.openapi_text import read_document
from orchestration.definition import HttpCall, Tool
from orchestration.exceptions import DocumentError
from orchestration.handoff import distinct_names, snake_case
from orchestration.tools import PLACEHOLDER

MAX_OPERATIONS = 1_000
"""Operations of one document that are read."""

_METHODS = ("get", "post", "put", "patch", "delete")
_IDEMPOTENT = frozenset({"get", "put", "delete"})
_JSON = re.compile(r"application/([\w.-]+\+)?json\b")
_FORM = "application/x-www-form-urlencoded"
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME, _LONGEST_LINE = 64, 500


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation, and the tool that calls it."""

    method: str
    path: str
    tool: Tool
    needs_key: bool
    """True if the document requires a key, which a connection would provide."""


@dataclass(frozen=True, slots=True)
class Api:
    """Content of an OpenAPI document."""

    title: str
    server: str
    """Address of the API; empty if the document has none."""
    operations: tuple[Operation, ...]
    left_out: tuple[str, ...] = ()
    """Why operations are not among them, a sentence each."""


def read_openapi(text: bytes | str, *, connection: str | None = None) -> Api:
    """The operations of a document in JSON or YAML, or `DocumentError`.

    With a connection the tools go below its address; without one, to the document's first server.
    """
    document = read_document(text)
    version = str(document.get("openapi", ""))
    if not version.startswith("3."):
        said = f"Swagger {document['swagger']}" if "swagger" in document else "something else"
        raise DocumentError(f"This is {said}, and no OpenAPI document of version 3: convert it.")
    reader = _OperationReader(document, connection)
    found, left_out = [], []
    for method, path, shared, described in reader.operations():
        try:
            found.append(reader.operation(method, path, shared, described))
        except (DocumentError, ValidationError) as error:
            why = str(error) if isinstance(error, DocumentError) else "it is too long for a tool"
            left_out.append(f"{method.upper()} {path[:100]}: {why}")
    names = distinct_names([one.tool.name for one in found])
    return Api(
        title=_line(_mapping(document.get("info")).get("title")) or "An API",
        server=reader.server,
        operations=tuple(
            Operation(
                one.method, one.path, one.tool.model_copy(update={"name": name}), one.needs_key
            )
            for one, name in zip(found, names, strict=True)
        ),
        left_out=tuple(left_out),
    )


def tool_name(said: object) -> str:
    """A tool's name after what something is called elsewhere: `Get a pet!` → `get_a_pet`."""
    name = _NO_NAME.sub("_", str(said)).strip("_-")
    name = snake_case(name)[:_LONGEST_NAME].strip("_") or "call"
    return name if not name[0].isdigit() else f"_{name}"[:_LONGEST_NAME]


class _OperationReader:
    """Makes tools of one document's operations."""

    def __init__(self, document: Mapping[str, Any], connection: str | None) -> None:
        self._document, self._connection = document, connection
        self.server = _server(document)

    def operations(self) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
        """Method, path, what the path says for all its methods, and the operation."""
        count = 0
        for path, item in _mapping(self._document.get("paths")).items():
            shared = _mapping(Unfolded(self._document).resolved(item))
            for method in _METHODS:
                if isinstance(shared.get(method), dict):
                    count += 1
                    if count > MAX_OPERATIONS:
                        return
                    yield method, str(path), shared, shared[method]

    def operation(
        self, method: str, path: str, shared: Mapping[str, Any], described: Mapping[str, Any]
    ) -> Operation:
        unfolded = Unfolded(self._document)
        listed = [*_list(shared.get("parameters")), *_list(described.get("parameters"))]
        resolved = [_mapping(unfolded.resolved(one)) for one in listed]
        given = {(str(one.get("in")), str(one.get("name"))): one for one in resolved}
        arguments = _Arguments()
        url, query, headers = path, [], {}
        for (place, name), parameter in given.items():
            if place == "path":
                key = arguments.add(name, unfolded.of_parameter(parameter), required=True)
                url = url.replace(f"{{{name}}}", f"{{{key}}}")
            elif place == "query":
                required = parameter.get("required") is True
                key = arguments.add(name, unfolded.of_parameter(parameter), required=required)
                query.append(f"{quote(name, safe='')}={{{key}}}")
            elif place == "header" and name.lower() not in ("accept", "content-type"):
                required = parameter.get("required") is True
                key = arguments.add(name, unfolded.of_parameter(parameter), required=required)
                headers[name] = f"{{{key}}}"
        if stray := sorted(set(re.findall(r"\{([^{}]*)\}", url)) - arguments.properties.keys()):
            raise DocumentError(
                f"its path has a place for {stray[0]!r}, which it does not describe"
            )
        body = self._body(unfolded, described, arguments, headers)
        where = url + ("?" + "&".join(query) if query else "")
        tool = Tool(
            name=tool_name(described.get("operationId") or f"{method}_{path}"),
            kind="http",
            description=_described(described, shared),
            parameters=arguments.schema,
            idempotent=method in _IDEMPOTENT,
            http=HttpCall(
                method=method.upper(),
                url=where if self._connection else self.server + where,
                headers=headers,
                body=body,
                connection=self._connection,
            ),
        )
        return Operation(method.upper(), path, tool, self._needs_key(described))

    def _body(
        self,
        unfolded: Unfolded,
        described: Mapping[str, Any],
        arguments: _Arguments,
        headers: dict[str, str],
    ) -> str:
        """The template of the body; empty where the rest of the arguments are it."""
        body = _mapping(unfolded.resolved(described.get("requestBody")))
        content = {str(kind): part for kind, part in _mapping(body.get("content")).items()}
        if not content:
            return ""
        kind = next((one for one in content if _JSON.match(one)), None)
        if kind is None and _FORM in content:
            kind = _FORM
        if kind is None:
            raise DocumentError(
                f"its body is {next(iter(content))[:60]!r}, and neither JSON nor a form"
            )
        schema = unfolded.schema(_mapping(content[kind]).get("schema"))
        properties = _mapping(schema.get("properties"))
        needed = schema.get("required") if body.get("required", True) else ()
        names = {
            name: arguments.add(name, _mapping(part), required=name in _list(needed))
            for name, part in properties.items()
        }
        if kind == _FORM:
            headers["Content-Type"] = _FORM
            return "&".join(f"{quote(name, safe='')}={{{key}}}" for name, key in names.items())
        if kind != "application/json":
            headers["Content-Type"] = kind
        if not properties:
            key = arguments.add("body", schema, required=body.get("required") is True)
            return f"{{{key}}}"
        if all(name == key for name, key in names.items()):
            return ""
        pairs = (f"{json.dumps(name)}: {{{key}}}" for name, key in names.items())
        return "{" + ", ".join(pairs) + "}"

    def _needs_key(self, described: Mapping[str, Any]) -> bool:
        wanted = described.get("security", self._document.get("security"))
        return bool(wanted) and all(_mapping(one) for one in _list(wanted))


class _Arguments:
    """The arguments of a tool: every name once, each such that a template can hold it."""

    def __init__(self) -> None:
        self.properties: dict[str, Any] = {}
        self._required: list[str] = []

    def add(self, name: str, schema: Mapping[str, Any], *, required: bool) -> str:
        """Add one, under its name or one like it; the name it has."""
        wanted = _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "argument"
        if not PLACEHOLDER.fullmatch(f"{{{wanted}}}"):
            wanted = f"_{wanted}"
        (key,) = distinct_names([wanted], taken=self.properties)
        self.properties[key] = dict(schema)
        if required:
            self._required.append(key)
        return key

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of them all."""
        required = {"required": self._required} if self._required else {}
        return {"type": "object", "properties": self.properties} | required


def _server(document: Mapping[str, Any]) -> str:
    """The address of the first server, with its variables as they are by default."""
    first = _mapping(next(iter(_list(document.get("servers"))), None))
    url = str(first.get("url", ""))
    for name, variable in _mapping(first.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(_mapping(variable).get("default", "")))
    return url.rstrip("/")


def _described(described: Mapping[str, Any], shared: Mapping[str, Any]) -> str:
    said = [described.get("summary"), described.get("description"), shared.get("summary")]
    told = [line for line in map(_line, said) if line]
    return (
        _line(". ".join(dict.fromkeys(line.rstrip(".") for line in told[:2])) + ".") if told else ""
    )


def _line(said: object) -> str:
    text = " ".join(said.split()) if isinstance(said, str) else ""
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

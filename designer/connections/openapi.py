"""Tools from an OpenAPI document (3.0 and 3.1): each operation becomes an HTTP tool.

Documents are untrusted: their size and the size of resolved references are limited, references must
stay within the document, and nothing is fetched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from designer.connections.openapi_schemas import PART_SIZE, SchemaResolver, SizeBudget
from orchestration.definition import HttpCall, Tool
from orchestration.exceptions import DefinitionError, DocumentError
from orchestration.handoff import distinct_names, snake_case
from orchestration.loading import OPENAPI, read_document
from orchestration.tools import PLACEHOLDER

MAX_OPERATIONS = 1_000
"""Maximum number of operations of a document."""

_METHODS = ("get", "post", "put", "patch", "delete")
_IDEMPOTENT = frozenset({"get", "put", "delete"})
_JSON = re.compile(r"application/([\w.-]+\+)?json\b")
_FORM = "application/x-www-form-urlencoded"
_INVALID_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_MAX_NAME, _MAX_LINE = 64, 500
_MAX_PATH = 2_000


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation and the tool that calls it."""

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
    """Reasons for skipped operations, one sentence each."""


def read_openapi(text: bytes | str, *, connection: str | None = None) -> Api:
    """Read the operations of a JSON or YAML document, or raise `DocumentError`.

    The tools use paths below the address of the connection, or else the document's first server.
    """
    document = _read(text)
    version = str(document.get("openapi", ""))
    if not version.startswith("3."):
        swagger = f" It is Swagger {document['swagger']}." if "swagger" in document else ""
        raise DocumentError(f"This is not an OpenAPI 3 document.{swagger} Convert it first.")
    reader = _OperationReader(document, connection)
    operations, left_out = [], []
    for method, path, path_item, operation in reader.operations():
        try:
            operations.append(reader.operation(method, path, path_item, operation))
        except (DocumentError, ValidationError) as error:
            reason = str(error) if isinstance(error, DocumentError) else "it is too long for a tool"
            left_out.append(f"{method.upper()} {path[:100]}: {reason}")
    names = distinct_names([operation.tool.name for operation in operations])
    return Api(
        title=_line(_mapping(document.get("info")).get("title")) or "An API",
        server=reader.server,
        operations=tuple(
            replace(operation, tool=operation.tool.model_copy(update={"name": name}))
            for operation, name in zip(operations, names, strict=True)
        ),
        left_out=tuple(left_out),
    )


def _read(text: bytes | str) -> dict[str, Any]:
    try:
        document = read_document(text, OPENAPI)
    except DefinitionError as error:
        raise DocumentError(error.faults[0].sentence) from None
    if not isinstance(document, dict):
        raise DocumentError("The document is not a JSON or YAML object.")
    return document


def tool_name(title: object) -> str:
    """Convert a title to the name of a tool: `Get a pet!` → `get_a_pet`."""
    name = _INVALID_IN_NAME.sub("_", str(title)).strip("_-")
    name = snake_case(name)[:_MAX_NAME].strip("_") or "call"
    return name if not name[0].isdigit() else f"_{name}"[:_MAX_NAME]


class _OperationReader:
    """Conversion of a document's operations to tools."""

    def __init__(self, document: Mapping[str, Any], connection: str | None) -> None:
        self._document, self._connection = document, connection
        self._budget = SizeBudget()
        self.server = _server(document)

    def operations(self) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
        """Yield method, path, path item and operation."""
        count = 0
        for path, item in _mapping(self._document.get("paths")).items():
            path_item = _mapping(SchemaResolver(self._document, self._budget).resolve(item))
            for method in _METHODS:
                if isinstance(path_item.get(method), dict):
                    count += 1
                    if count > MAX_OPERATIONS:
                        return
                    yield method, str(path), path_item, path_item[method]

    def operation(
        self, method: str, path: str, path_item: Mapping[str, Any], operation: Mapping[str, Any]
    ) -> Operation:
        """Convert an operation, or raise `DocumentError`."""
        resolver = SchemaResolver(self._document, self._budget)
        if len(path) > _MAX_PATH:
            raise DocumentError(f"its path is longer than {_MAX_PATH:,} characters")
        shared, own = _list(path_item.get("parameters")), _list(operation.get("parameters"))
        self._budget.spend(PART_SIZE * (1 + len(shared) + len(own)))
        resolved = [_mapping(resolver.resolve(item)) for item in (*shared, *own)]
        self._budget.spend(sum(len(str(item.get("name"))) for item in resolved))
        parameters = {(str(item.get("in")), str(item.get("name"))): item for item in resolved}
        arguments = _Arguments()
        url, query, headers = path, [], {}
        for (place, name), parameter in parameters.items():
            if place == "path":
                key = arguments.add(name, resolver.parameter_schema(parameter), required=True)
                url = url.replace(f"{{{name}}}", f"{{{key}}}")
            elif place == "query":
                required = parameter.get("required") is True
                key = arguments.add(name, resolver.parameter_schema(parameter), required=required)
                query.append(f"{quote(name, safe='')}={{{key}}}")
            elif place == "header" and name.lower() not in ("accept", "content-type"):
                required = parameter.get("required") is True
                key = arguments.add(name, resolver.parameter_schema(parameter), required=required)
                headers[name] = f"{{{key}}}"
        if missing := sorted(set(re.findall(r"\{([^{}]*)\}", url)) - arguments.properties.keys()):
            raise DocumentError(f"its path contains {missing[0]!r}, but no parameter has this name")
        body = self._body(resolver, operation, arguments, headers)
        address = url + ("?" + "&".join(query) if query else "")
        tool = Tool(
            name=tool_name(operation.get("operationId") or f"{method}_{path}"),
            kind="http",
            description=_description(operation, path_item),
            parameters=arguments.schema,
            idempotent=method in _IDEMPOTENT,
            http=HttpCall(
                method=method.upper(),
                url=address if self._connection else self.server + address,
                headers=headers,
                body=body,
                connection=self._connection,
            ),
        )
        return Operation(method.upper(), path, tool, self._needs_key(operation))

    def _body(
        self,
        resolver: SchemaResolver,
        operation: Mapping[str, Any],
        arguments: _Arguments,
        headers: dict[str, str],
    ) -> str:
        """Return the template of the body; empty if it consists of the remaining arguments."""
        body = _mapping(resolver.resolve(operation.get("requestBody")))
        content = _mapping(body.get("content"))
        self._budget.spend(PART_SIZE * len(content))
        if not content:
            return ""
        kind = next((name for name in content if _JSON.match(name)), None)
        if kind is None and _FORM in content:
            kind = _FORM
        if kind is None:
            raise DocumentError(
                f"its body is {next(iter(content))[:60]!r}; only JSON and forms are supported"
            )
        schema = resolver.schema(_mapping(content[kind]).get("schema"))
        properties = _mapping(schema.get("properties"))
        required = schema.get("required") if body.get("required", True) else ()
        names = {
            name: arguments.add(name, _mapping(part), required=name in _list(required))
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

    def _needs_key(self, operation: Mapping[str, Any]) -> bool:
        security = operation.get("security", self._document.get("security"))
        return bool(security) and all(map(_mapping, _list(security)))


class _Arguments:
    """Arguments of a tool, with unique names that are valid in a template."""

    def __init__(self) -> None:
        self.properties: dict[str, Any] = {}
        self._required: list[str] = []

    def add(self, name: str, schema: Mapping[str, Any], *, required: bool) -> str:
        """Add an argument under its name or a similar one; return the name."""
        candidate = _INVALID_IN_NAME.sub("_", name)[:_MAX_NAME] or "argument"
        if not PLACEHOLDER.fullmatch(f"{{{candidate}}}"):
            candidate = f"_{candidate}"
        (key,) = distinct_names([candidate], taken=self.properties)
        self.properties[key] = dict(schema)
        if required:
            self._required.append(key)
        return key

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of all arguments."""
        required = {"required": self._required} if self._required else {}
        return {"type": "object", "properties": self.properties} | required


def _server(document: Mapping[str, Any]) -> str:
    """Return the address of the first server, with the defaults of its variables."""
    first = _mapping(next(iter(_list(document.get("servers"))), None))
    url = str(first.get("url", ""))
    for name, variable in _mapping(first.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(_mapping(variable).get("default", "")))
    return url.rstrip("/")


def _description(operation: Mapping[str, Any], path_item: Mapping[str, Any]) -> str:
    texts = [operation.get("summary"), operation.get("description"), path_item.get("summary")]
    lines = [line.rstrip(".") for line in map(_line, texts) if line]
    return _line(". ".join(dict.fromkeys(lines[:2])) + ".") if lines else ""


def _line(value: object) -> str:
    text = " ".join(value[: 10 * _MAX_LINE].split()) if isinstance(value, str) else ""
    return text if len(text) <= _MAX_LINE else text[: _MAX_LINE - 1] + "…"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

"""Modules of an exported project beside its agents: `route.py` and `tools.py`.

They are parsed with `ast` and never run. They are known only if the whole archive is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from orchestration.definition import HttpCall, Rule
from orchestration.exceptions import DefinitionError
from orchestration.handoff import key_of
from orchestration.interchange.openai_agents.reading.source import (
    at,
    function_name,
    parsed,
    statements,
)
from orchestration.interchange.openai_agents.reading.values import Constants, NotConstantError
from orchestration.interchange.reading import Reading

ROUTE: Final = "route.py"
TOOLS: Final = "tools.py"

_CONDITIONS = {
    name: "custom" if name == "expression" else name
    for name in (
        "phases channel_types intents source_channel_ids match rows expression".split()  # noqa: SIM905
    )
}


class OtherModules:
    """The rules, the default agent and the HTTP requests in the modules beside the agents."""

    def __init__(self, texts: Mapping[str, str], reading: Reading) -> None:
        self._texts = texts
        self._reading = reading
        self._constants = Constants()
        self._calls: dict[str, ast.Call] | None = None

    def routing(self) -> tuple[list[dict[str, Any]], str | None]:
        """Return the rules, and the agent without a match; what cannot be read is a loss."""
        router = next(self._routers(), None)
        if router is None:
            self._reading.lose("Routing rules", ROUTE, "left out", _MISSING)
            return [], None
        fields = self._constants.fields(router)
        listed = fields.get("rules")
        rules = [self._rule(each) for each in listed.elts] if isinstance(listed, ast.List) else []
        default = fields.get("default")
        value = default.value if isinstance(default, ast.Constant) else None
        return [each for each in rules if each], value if isinstance(value, str) else None

    def request(self, function: str, tool: str) -> dict[str, Any] | None:
        """Return the HTTP request of a tool's function; None and a loss if it cannot be read."""
        if self._calls is None:
            self._calls = dict(self._requests())
        call = self._calls.get(function)
        if call is None:
            self._reading.lose("HTTP request", f"{TOOLS}, {tool}", "left out", _MISSING)
            return None
        values = self._values(call) or {"url": None}
        if variable := str(values.get("connection", "")):
            values["connection"] = name = key_of(variable.lower().replace("_", "-"), "connection")
            if "_" in variable:  # `WEB_SHOP` was `web-shop` or `web_shop`
                text = f"now named {name}"
                self._lose("Connection", TOOLS, call, text, "Check that it has this name.")
        return self._checked(HttpCall, values, "HTTP request", TOOLS, call)

    def _routers(self) -> Iterator[ast.Call]:
        for statement in self._statements(ROUTE):
            match statement:
                case ast.Assign(targets=[ast.Name(id="ROUTER")], value=ast.Call() as call):
                    yield call
                case _:
                    pass

    def _requests(self) -> Iterator[tuple[str, ast.Call]]:
        """Yield the requests by the names of their functions."""
        for statement in self._statements(TOOLS):
            match statement:
                case ast.AsyncFunctionDef(
                    name=name, body=[ast.Return(value=ast.Await(value=ast.Call() as call))]
                ) if function_name(call) == "call":
                    yield name, call
                case _:
                    pass

    def _rule(self, node: ast.expr) -> dict[str, Any] | None:
        values = self._values(node) or {}
        conditions = {
            name: values.pop(field) for field, name in _CONDITIONS.items() if field in values
        }
        rule = {"agent_id" if name == "agent" else name: value for name, value in values.items()}
        return self._checked(Rule, rule | {"conditions": conditions}, "Routing rule", ROUTE, node)

    def _values(self, call: ast.expr) -> dict[str, Any] | None:
        """Return the arguments of a call; None if only a run could tell one of them."""
        if not isinstance(call, ast.Call):
            return None
        try:
            return {
                name: [self._row(each) for each in value.elts]
                if name == "rows" and isinstance(value, ast.List)
                else self._constants.value(value)
                for name, value in self._constants.fields(call).items()
            }
        except NotConstantError:
            return None

    def _row(self, node: ast.expr) -> dict[str, Any]:
        """Return a comparison: `FieldComparison("event.text", "contains", "bill")`."""
        parts = [self._constants.value(each) for each in getattr(node, "args", ())]
        return dict(zip(("field", "operator", "value"), parts, strict=False))

    def _checked(
        self, model: type[BaseModel], values: dict[str, Any], part: str, file: str, node: ast.AST
    ) -> dict[str, Any] | None:
        """Return the values if they make a part; otherwise None and a loss."""
        try:
            model.model_validate(values)
        except ValidationError:
            self._lose(part, file, node, "left out", _NOT_CONSTANT)
            return None
        return values

    def _lose(self, part: str, file: str, node: ast.AST, text: str, consequence: str) -> None:
        self._reading.lose(part, f"{file}, {at(node)}", text, consequence)

    def _statements(self, file: str) -> Iterator[ast.stmt]:
        try:
            yield from statements(parsed(self._texts.get(file, "")))
        except DefinitionError as error:
            self._reading.lose("Module", file, "left out", error.faults[0].sentence)


_MISSING = "Import the whole archive of the export to read it."
_NOT_CONSTANT = "It is not written as in an export."

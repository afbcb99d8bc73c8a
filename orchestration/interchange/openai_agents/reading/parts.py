"""Agents, handoffs and tools of a module, in the order of their statements."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orchestration.interchange.openai_agents.reading.other_modules import OtherModules
from orchestration.interchange.openai_agents.reading.source import (
    at,
    dotted,
    function_name,
    statements,
)
from orchestration.interchange.openai_agents.reading.values import (
    MAX_DEPTH,
    Constants,
    NotConstantError,
)
from orchestration.interchange.reading import Reading


@dataclass(eq=False)
class FoundAgent:
    """A call of `Agent` or `clone`, with later changes of its attributes."""

    node: ast.Call
    variable: str = ""
    base: FoundAgent | None = None
    """The agent of which this is a clone."""
    fields: dict[str, ast.expr] = field(default_factory=dict)
    handoffs: list[ast.expr] = field(default_factory=list)
    tools: list[ast.expr] = field(default_factory=list)

    @property
    def original(self) -> FoundAgent:
        """The agent itself, or the one that was cloned."""
        return self if self.base is None else self.base.original


@dataclass(eq=False)
class FoundTool:
    """A tool: a `FunctionTool`, or a function with `@function_tool`."""

    node: ast.AST
    name: str
    description: str = ""
    parameters: dict[str, Any] | None = None
    kind: str = "function"
    approval: bool = False
    function: str = ""
    """Name of its function in `tools.py`, in an export of Baton."""


class ModuleParts:
    """Parts of one module by their variables."""

    def __init__(
        self, module: ast.Module, reading: Reading, other_modules: Mapping[str, str] | None = None
    ) -> None:
        self.reading = reading
        self.other_modules = OtherModules(other_modules or {}, reading)
        self.imported: set[str] = set()
        """Modules from which names are imported."""
        self.constants = Constants()
        self.agents: list[FoundAgent] = []
        self.by_variable: dict[str, FoundAgent] = {}
        self.tools: dict[str, FoundTool] = {}
        self.handoffs: dict[str, ast.Call] = {}
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.started: list[str] = []
        """Variables of agents that the module runs."""
        self._inline: dict[ast.Call, FoundAgent] = {}
        for statement in statements(module):
            self._read(statement)

    def agent_of(self, node: ast.expr | None) -> FoundAgent | None:
        """Return the agent of an expression: a variable, or a call in place."""
        if isinstance(node, ast.Name):
            return self.by_variable.get(node.id)
        if isinstance(node, ast.Call):
            return self._agent_call(node)
        return None

    def items(self, node: ast.expr, part: str) -> list[ast.expr]:
        """Return the items of a list, or of a variable with a list."""
        for _ in range(MAX_DEPTH):
            if isinstance(node, ast.Name) and node.id in self.constants.names:
                node = self.constants.names[node.id]
        if isinstance(node, ast.List | ast.Tuple):
            return list(node.elts)
        if isinstance(node, ast.Attribute) and (agent := self.agent_of(node.value)) is not None:
            return list(agent.handoffs if node.attr == "handoffs" else agent.tools)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._sum(node, part)
        self.lose(part, node, "left out", "It is not a list of names.")
        return []

    def lose(self, part: str, node: ast.AST, description: str, consequence: str) -> None:
        """Report a part that is not read, with its line."""
        self.reading.lose(part, at(node), description, consequence)

    def _sum(self, node: ast.expr, part: str) -> list[ast.expr]:
        found: list[ast.expr] = []
        waiting: list[ast.expr] = [node]
        while waiting:
            each = waiting.pop()
            if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add):
                waiting += [each.right, each.left]
            elif isinstance(each, ast.List | ast.Tuple):
                found += each.elts
            else:
                self.lose(part, each, "left out", "It is not a list of names.")
        return found

    # Statements

    def _read(self, statement: ast.stmt) -> None:
        match statement:
            case ast.ImportFrom(module=str() as name):
                self.imported.add(name)
            case ast.ClassDef(name=name):
                self.constants.classes[name] = statement
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(statement)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assign(name, value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._assign(name, value)
            case (
                ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attribute)])
                | ast.AugAssign(target=ast.Attribute(value=ast.Name(id=name), attr=attribute))
            ) if name in self.by_variable:
                is_added = isinstance(statement, ast.AugAssign)
                self._change(self.by_variable[name], attribute, statement.value, is_added)
            case ast.Expr(value=ast.Call() as call):
                self._method(call)
            case _:
                pass
        self._started(statement)

    def _assign(self, name: str, value: ast.expr) -> None:
        agent = self._agent_call(value)
        if agent is not None:
            agent.variable = agent.variable or name
            self.by_variable[name] = agent
            return
        self.by_variable.pop(name, None)
        call = function_name(value)
        if isinstance(value, ast.Name) and value.id in self.by_variable:
            self.by_variable[name] = self.by_variable[value.id]
        elif isinstance(value, ast.Call) and call in ("handoff", "Handoff"):
            self.handoffs[name] = value
        elif isinstance(value, ast.Call) and call == "FunctionTool":
            self.tools[name] = self.function_tool(value, name)
        elif not (isinstance(value, ast.Name) and value.id == name):
            self.constants.names[name] = value
            for each in value.elts if isinstance(value, ast.List | ast.Tuple) else ():
                self.agent_of(each)

    def _agent_call(self, node: ast.expr) -> FoundAgent | None:
        if not isinstance(node, ast.Call):
            return None
        if node in self._inline:
            return self._inline[node]
        base: FoundAgent | None = None
        match function_name(node):
            case "Agent":
                pass
            case "clone" if isinstance(node.func, ast.Attribute):
                base = self.agent_of(node.func.value)
                if base is None:
                    return None
            case _:
                return None
        found = FoundAgent(node, base=base)
        if base is not None:
            found.fields |= {k: v for k, v in base.fields.items() if k != "handoff_description"}
            found.handoffs, found.tools = list(base.handoffs), list(base.tools)
        if node.args and base is None:
            found.fields["name"] = node.args[0]
        self._inline[node] = found
        self.agents.append(found)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.lose("Agent", node, "some settings left out", "They are not written as names.")
            else:
                self._change(found, keyword.arg, keyword.value, is_added=False)
        return found

    def _change(self, agent: FoundAgent, attribute: str, value: ast.expr, is_added: bool) -> None:
        if attribute not in ("handoffs", "tools"):
            agent.fields[attribute] = value
            return
        new = self.items(value, "Handoffs" if attribute == "handoffs" else "Tools")
        old = agent.handoffs if attribute == "handoffs" else agent.tools
        items: list[ast.expr] = list(old) if is_added else []
        for each in new:
            self._add_inline(each)
            if isinstance(each, ast.Starred):
                is_own = dotted(each.value) == f"{agent.variable}.{attribute}"
                items += old if is_own else self.items(each.value, "Handoffs")
            else:
                items.append(each)
        if attribute == "handoffs":
            agent.handoffs = items
        else:
            agent.tools = items

    def _add_inline(self, item: ast.expr) -> None:
        """Add an agent that is written in place: `Agent(…)`, `handoff(Agent(…))`."""
        self.agent_of(item)
        if isinstance(item, ast.Call):
            for each in [*item.args, *(keyword.value for keyword in item.keywords)]:
                self.agent_of(each)
            if isinstance(item.func, ast.Attribute):
                self.agent_of(item.func.value)

    def _method(self, call: ast.Call) -> None:
        """Read `agent.handoffs.append(other)` and `extend`."""
        match call.func:
            case ast.Attribute(
                value=ast.Attribute(
                    value=ast.Name(id=name), attr="handoffs" | "tools" as attribute
                ),
                attr="append" | "extend" | "insert" as method,
            ) if name in self.by_variable and call.args:
                value = call.args[-1]
                items = value if method == "extend" else ast.List(elts=[value])
                self._change(self.by_variable[name], attribute, items, is_added=True)
            case _:
                pass

    def _started(self, statement: ast.stmt) -> None:
        """Note the agent of `Runner.run(agent, …)`."""
        value = getattr(statement, "value", None)
        call = value.value if isinstance(value, ast.Await) else value
        if (
            isinstance(call, ast.Call)
            and dotted(call.func) in ("Runner.run", "Runner.run_sync", "Runner.run_streamed")
            and call.args
            and isinstance(call.args[0], ast.Name)
        ):
            self.started.append(call.args[0].id)

    # Tools

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.functions[node.name] = node
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if dotted(called).rpartition(".")[2] != "function_tool":
                continue
            tool = FoundTool(node, node.name, _first_paragraph(node))
            tool.parameters = self.constants.arguments_schema(node)
            if isinstance(decorator, ast.Call):
                options = self.constants.fields(decorator)
                tool.name = self.text(options.get("name_override"), tool.name)
                tool.description = self.text(options.get("description_override"), tool.description)
                tool.approval = self._is_true(options.get("needs_approval"))
            self.tools[node.name] = tool

    def function_tool(self, node: ast.Call, variable: str) -> FoundTool:
        """Return the tool of a call of `FunctionTool`."""
        fields = self.constants.fields(node)
        tool = FoundTool(node, self.text(fields.get("name"), variable))
        tool.description = self.text(fields.get("description"), "")
        tool.approval = self._is_true(fields.get("needs_approval"))
        if (schema := fields.get("params_json_schema")) is not None:
            tool.parameters = self.json(schema, "Parameters of a tool")
        invoked = fields.get("on_invoke_tool")
        if isinstance(invoked, ast.Call) and function_name(invoked) == "invoker":
            tool.kind = self.text(self.constants.fields(invoked).get("kind"), "function")
            tool.function = dotted(invoked.args[0]).rpartition(".")[2] if invoked.args else ""
        return tool

    def _is_true(self, node: ast.expr | None) -> bool:
        """Report whether an approval is needed; a function that decides counts as True."""
        return node is not None and not (isinstance(node, ast.Constant) and not node.value)

    # Values

    def text(self, node: ast.expr | None, default: str, part: str = "Text") -> str:
        """Return the text of an expression, or the default and a loss."""
        if node is None:
            return default
        try:
            return self.constants.text(node)
        except NotConstantError as error:
            self.lose(part, error.node, "left out", "Only a run of the code could tell it.")
            return default

    def json(self, node: ast.expr, part: str) -> dict[str, Any] | None:
        """Return the object of an expression, or None and a loss."""
        try:
            value = self.constants.value(node)
        except NotConstantError as error:
            self.lose(part, error.node, "left out", "Only a run of the code could tell it.")
            return None
        if not isinstance(value, dict):
            self.lose(part, node, "left out", "An object is expected here.")
            return None
        return value


def _first_paragraph(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    text = ast.get_docstring(node) or ""
    return text.split("\n\n")[0]

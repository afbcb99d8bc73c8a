"""Tools of agents."""

from __future__ import annotations

import ast
from typing import Any

from orchestration.handoff import key_of
from orchestration.interchange.openai_agents.reading.parts import FoundTool, ModuleParts
from orchestration.interchange.openai_agents.reading.source import at, dotted, function_name
from orchestration.interchange.openai_agents.reading.values import NotConstantError

_KINDS = ("function", "http", "subtask", "user_input")
_OWN = ("runtime.transfer_to_human", "runtime.ask_person")


class AgentToolReader:
    """Reader of the tools that agents name; each tool is added once."""

    def __init__(self, parts: ModuleParts) -> None:
        self._parts = parts
        self._reading = parts.reading
        self._names: dict[str, str] = {}

    def names(self, items: list[ast.expr]) -> list[str]:
        """Return the names of the tools of a list; agents as tools are read elsewhere."""
        found: list[str] = []
        for item in items:
            variable = dotted(item)
            if variable in _OWN or function_name(item) == "as_tool":
                continue
            if variable:
                found.append(self.named(variable, item))
            elif isinstance(item, ast.Call) and function_name(item) in (
                "FunctionTool",
                "function_tool",
            ):
                found.append(self._inline(item))
            else:
                name = function_name(item) or "A tool"
                self._parts.lose("Tool", item, f"{name} left out", "Its agent has no such tool.")
        return found

    def named(self, variable: str, node: ast.expr | None = None) -> str:
        """Return the name of the tool of a variable, which may be imported."""
        if variable not in self._names:
            tool = self._parts.tools.get(variable)
            if tool is None:
                tool = FoundTool(node or ast.Constant(None), variable.rpartition(".")[2])
                self._parts.lose(
                    "Tool",
                    tool.node,
                    "only its name is read",
                    "Its description and parameters are in another module.",
                )
            self._names[variable] = self._add(tool)
        return self._names[variable]

    def servers(self, node: ast.expr | None) -> list[str]:
        """Return the names of the tools of MCP servers; only those of an export are known."""
        found: list[str] = []
        for item in self._parts.items(node, "MCP servers") if node is not None else []:
            if isinstance(item, ast.Call) and function_name(item) == "McpServer":
                found += self._server(item)
            else:
                self._parts.lose("MCP server", item, "left out", "Its tools are unknown.")
        return found

    def _server(self, call: ast.Call) -> list[str]:
        try:
            connection, names = (self._parts.constants.value(each) for each in call.args)
            approval = self._parts.constants.fields(call).get("approval")
            approved = self._parts.constants.value(approval) if approval is not None else []
        except (NotConstantError, ValueError):
            self._parts.lose("MCP server", call, "left out", "Its tools are unknown.")
            return []
        found: list[str] = []
        for name, remote in names.items() if isinstance(names, dict) else ():
            key = f"{connection}:{name}"
            if key not in self._names:
                tool = FoundTool(call, name, kind="mcp", approval=name in approved)
                mcp = {
                    "connection": key_of(str(connection), "connection"),
                    "tool": "" if remote == name else self._reading.line(remote, at(call)),
                }
                self._names[key] = self._add(tool, mcp=mcp)
            found.append(self._names[key])
        return found

    def _inline(self, call: ast.Call) -> str:
        """Return the name of a tool that is written in place: `function_tool(find)`."""
        if function_name(call) == "function_tool" and call.args:
            function = self._parts.functions.get(dotted(call.args[0]))
            name = function.name if function else dotted(call.args[0]).rpartition(".")[2] or "tool"
            tool = FoundTool(call, name)
            if function is not None:
                tool.parameters = self._parts.constants.arguments_schema(function)
                tool.description = (ast.get_docstring(function) or "").split("\n\n")[0]
            return self._add(tool)
        return self._add(self._parts.function_tool(call, "tool"))

    def _add(self, tool: FoundTool, **fields: Any) -> str:
        reading, path = self._reading, at(tool.node)
        name = reading.tool_name(tool.name, path)
        added: dict[str, Any] = {
            "name": name,
            "kind": tool.kind if tool.kind in (*_KINDS, "mcp") else "function",
            "description": reading.line(tool.description, path),
            "approval": tool.approval,
            **fields,
        }
        if tool.parameters is not None:
            added["parameters"] = tool.parameters
        if tool.kind == "http" and (http := self._parts.other_modules.request(tool.function, name)):
            added["http"] = http
        reading.fields["tools"].append(added)
        reading.keep("Tools", name)
        return name

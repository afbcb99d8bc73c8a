"""Handoffs of an agent, and agents as its tools."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from orchestration.definition import TOOL_NAME_PATTERN
from orchestration.interchange.openai_agents.reading.agent_fields import AgentFields
from orchestration.interchange.openai_agents.reading.parts import FoundAgent, ModuleParts
from orchestration.interchange.openai_agents.reading.source import at, dotted, function_name
from orchestration.interchange.openai_agents.reading.values import NotConstantError

_READ = (
    "agent",
    "tool_name",
    "tool_name_override",
    "tool_description",
    "tool_description_override",
    "input_json_schema",
    "input_type",
    "input_filter",
    "on_invoke_handoff",
    "agent_name",
    "strict_json_schema",
)
_OWN_SCHEMAS = ("runtime.NOTE", "runtime.MESSAGE")
_MAX_COUNT = 1_000


class HandoffReader:
    """Reader of the handoffs between agents with stages."""

    def __init__(
        self, parts: ModuleParts, phases: Mapping[FoundAgent, str], fields: AgentFields
    ) -> None:
        self._parts = parts
        self._reading = parts.reading
        self._phases = phases
        self._fields = fields

    def read(self, agent: FoundAgent) -> list[dict[str, Any]]:
        """Return the transitions of an agent's handoffs, without their source and kind."""
        by_target: dict[str, dict[str, Any]] = {}
        for item in agent.handoffs:
            call = self._call(item)
            target = self._target(item, call)
            phase = self._phases.get(target) if target is not None else None
            if target is None or phase is None:
                self._parts.lose("Handoff", item, "left out", "Its target is not in the module.")
            elif phase in by_target:
                self._parts.lose("Handoff", item, "left out", f"Another one leads to {phase}.")
            else:
                details = self._details(call, target) if call is not None else {}
                by_target[phase] = {"target": phase, **details}
        return list(by_target.values())

    def workers(self, agent: FoundAgent) -> list[dict[str, Any]]:
        """Return the transitions of an agent to the agents that are its tools."""
        found: dict[str, dict[str, Any]] = {}
        for call, worker in self._worker_calls(agent):
            phase = self._phases.get(worker)
            if phase is not None:
                node = self._parts.constants.fields(call).get("tool_description")
                text = self._parts.text(node, "", "Description of a tool")
                own = f"Have {self._target_name(worker)} do a task, and get the answer."
                text = text.removeprefix(own).removeprefix(" ") if text.startswith(own) else text
                found.setdefault(
                    phase, {"target": phase, "description": self._reading.line(text, at(call))}
                )
        return list(found.values())

    def lose_workers(self, agent: FoundAgent) -> None:
        """Report agents that are tools, where these are not read."""
        for call, _ in self._worker_calls(agent):
            self._parts.lose("Agent as a tool", call, "left out", "Its lead cannot delegate to it.")

    def _worker_calls(self, agent: FoundAgent) -> list[tuple[ast.Call, FoundAgent]]:
        return [
            (item, worker)
            for item in agent.tools
            if isinstance(item, ast.Call)
            and function_name(item) == "as_tool"
            and isinstance(item.func, ast.Attribute)
            and (worker := self._parts.agent_of(item.func.value)) is not None
        ]

    def _call(self, item: ast.expr) -> ast.Call | None:
        """Return the call of `handoff` or `Handoff` of an item."""
        if isinstance(item, ast.Name):
            return self._parts.handoffs.get(item.id)
        is_handoff = function_name(item) in ("handoff", "Handoff")
        return item if is_handoff and isinstance(item, ast.Call) else None

    def _target(self, item: ast.expr, call: ast.Call | None) -> FoundAgent | None:
        if call is None:
            return self._parts.agent_of(item)
        options = self._parts.constants.fields(call)
        if function_name(call) == "handoff":
            return self._parts.agent_of(options.get("agent") or next(iter(call.args), None))
        invoked = options.get("on_invoke_handoff")
        if isinstance(invoked, ast.Call) and invoked.args:
            return self._parts.agent_of(invoked.args[0])
        function = self._parts.functions.get(dotted(invoked))
        for statement in function.body if function is not None else ():
            if isinstance(statement, ast.Return):
                return self._parts.agent_of(statement.value)
        return self._by_name(options.get("agent_name"))

    def _by_name(self, node: ast.expr | None) -> FoundAgent | None:
        if isinstance(node, ast.Attribute) and node.attr == "name":
            return self._parts.agent_of(node.value)
        if isinstance(node, ast.Constant):
            named = [each for each in self._phases if self._fields.name(each) == node.value]
            return named[0] if len(named) == 1 else None
        return None

    def _details(self, call: ast.Call, target: FoundAgent) -> dict[str, Any]:
        options = self._parts.constants.fields(call)
        for name in options.keys() - set(_READ):
            self._parts.lose("Handoff", options[name], f"{name[:60]} left out", "It has no effect.")
        details: dict[str, Any] = {"description": self._description(options, target)}
        schema = self._schema(options)
        if schema is not None:
            details["input_schema"] = schema
        node = options.get("tool_name") or options.get("tool_name_override")
        name = self._parts.text(node, "", "Name of a tool")
        if schema is not None and re.fullmatch(TOOL_NAME_PATTERN, name):
            details["tool_name"] = name
        if (node := options.get("input_filter")) is not None:
            details |= self._filter(node)
        return details

    def _description(self, options: Mapping[str, ast.expr], target: FoundAgent) -> str:
        node = options.get("tool_description") or options.get("tool_description_override")
        text = self._parts.text(node, "", "Description of a handoff")
        default = f"Transfer the conversation to {self._target_name(target)}."
        if node is None or text == default:
            return ""
        return self._reading.line(text, at(node))

    def _target_name(self, agent: FoundAgent) -> str:
        """Return the name that an export uses for a target."""
        if self._fields.is_group(agent) or self._fields.is_person(agent):
            return self._phases.get(agent, "")
        return self._fields.name(agent.original)

    def _schema(self, options: Mapping[str, ast.expr]) -> dict[str, Any] | None:
        if (node := options.get("input_json_schema")) is not None:
            if dotted(node) in _OWN_SCHEMAS:
                return None
            return self._parts.json(node, "Payload")
        if (node := options.get("input_type")) is not None:
            schema = self._parts.constants.class_schema(dotted(node))
            if schema is None:
                self._parts.lose("Payload", node, "left out", "Its schema is unknown.")
            return schema
        return None

    def _filter(self, node: ast.expr) -> dict[str, Any]:
        found: dict[str, Any] | None = None
        name = dotted(node).rpartition(".")[2] or function_name(node)
        match name:
            case "remove_all_tools":
                found = {"keep": "no_tools"}
            case "question_and_handoff":
                found = {"keep": "summary"}
            case "last_messages" | "matching" if isinstance(node, ast.Call) and node.args:
                found = self._own_filter(name, node.args[0])
        if found is None:
            self._parts.lose("Filter", node, "left out", "The target sees the whole conversation.")
            return {}
        return {"input_filter": found}

    def _own_filter(self, name: str, node: ast.expr) -> dict[str, Any] | None:
        try:
            value = self._parts.constants.value(node)
        except NotConstantError:
            return None
        if name == "matching" and isinstance(value, str):
            return {"keep": "matching", "expression": value[:1_000]}
        if name == "last_messages" and isinstance(value, int) and 1 <= value <= _MAX_COUNT:
            return {"keep": "last", "count": value}
        return None

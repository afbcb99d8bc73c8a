"""List of all tools of a model: functions, requests, questions, subtasks and handoffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestration.definition import PipelineDefinition, Tool
from orchestration.tools import HandoffOption, ToolSpec

MOST_NAMED = 3
"""Maximum number of named targets of one handoff tool; more are counted."""


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool of a model."""

    name: str
    kind: str
    """Kind as text: `an HTTP request`, `hands over to Reviewer`."""
    notes: Sequence[str] = ()
    """Further properties, such as `asks first` for a tool with approval."""
    select: str = ""
    """Kind of the part that defines it: a tool, a transition, or empty."""
    key: str = ""


def tool_list(
    definition: PipelineDefinition, phase: str, tools: Sequence[ToolSpec]
) -> tuple[ToolEntry, ...]:
    """Return the tools of the model in a phase, each with its kind."""
    return tuple(_entry(definition, phase, spec) for spec in tools)


def _entry(definition: PipelineDefinition, phase: str, spec: ToolSpec) -> ToolEntry:
    if spec.kind == "command":
        return ToolEntry(spec.name, "an action of the supervisor")
    tool = definition.tools_by_name.get(spec.name)
    if spec.options or tool is None:
        verb = "delegates to" if spec.kind == "delegate" else "hands over to"
        kind = f"{verb} {_targets(spec.options)}"
        if len(spec.options) == 1:
            return ToolEntry(spec.name, kind, (), "transition", f"{phase}>{spec.options[0].phase}")
        return ToolEntry(spec.name, kind)
    return ToolEntry(spec.name, _kind(tool), tuple(_notes(tool)), "tool", tool.name)


def _kind(tool: Tool) -> str:
    match tool.kind:
        case "function":
            return "a function"
        case "subtask":
            return f"another pipeline: {tool.pipeline}" if tool.pipeline else "another pipeline"
        case "user_input":
            return "asks the user"
        case "http":
            return "an HTTP request"
        case "mcp":
            return f"a tool of {tool.mcp.connection}" if tool.mcp else "a tool of an MCP server"


def _notes(tool: Tool) -> Iterator[str]:
    if tool.stand_in:
        yield "plays examples"
    if tool.approval and (tool.kind != "user_input" or tool.stand_in):
        yield "asks first"
    if tool.idempotent:
        yield "may be repeated"


def _targets(options: Sequence[HandoffOption]) -> str:
    """Return the targets as text: `Reviewer, a person`."""
    names = list(dict.fromkeys(map(_target, options)))
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return ", ".join(names) or "no agent yet"


def _target(option: HandoffOption) -> str:
    return "a person" if option.agent_id is None else option.agent_name or option.agent_id

"""All that a model may call, in one list: tools, questions, subtasks and handoffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orchestration.definition import PipelineDefinition, Tool
from orchestration.tools import HandoffOption, ToolSpec

MOST_NAMED = 3
"""Maximum number of named targets of one handoff tool; more are counted."""


@dataclass(frozen=True, slots=True)
class MayCall:
    """One thing that a model may call."""

    name: str
    what: str
    """Kind of call: `an HTTP request`, `hands over to Reviewer`."""
    notes: Sequence[str] = ()
    """Further facts: for example that a person is asked first."""
    select: str = ""
    """The kind of part that says so, where it is one: a tool, or a transition."""
    key: str = ""


def repertoire(
    definition: PipelineDefinition, phase: str, tools: Sequence[ToolSpec]
) -> tuple[MayCall, ...]:
    """Return the tools of the model in a phase, each with its kind."""
    return tuple(_may_call(definition, phase, spec) for spec in tools)


def _may_call(definition: PipelineDefinition, phase: str, spec: ToolSpec) -> MayCall:
    tool = definition.tools_by_name.get(spec.name)
    if spec.options or tool is None:
        goes = "has a task done by" if spec.kind == "delegate" else "hands over to"
        what = f"{goes} {_targets(spec.options)}"
        if len(spec.options) == 1:
            return MayCall(spec.name, what, (), "transition", f"{phase}>{spec.options[0].phase}")
        return MayCall(spec.name, what)
    return MayCall(spec.name, _what(tool), tuple(_notes(tool)), "tool", tool.name)


def _what(tool: Tool) -> str:
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


def _targets(ways: Sequence[HandoffOption]) -> str:
    """Return the targets in words: `Reviewer, a person`."""
    names = list(dict.fromkeys(_target(way) for way in ways))
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return ", ".join(names) or "nobody yet"


def _target(way: HandoffOption) -> str:
    return "a person" if way.agent_id is None else way.agent_name or way.agent_id

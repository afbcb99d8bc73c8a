"""Changes to the tools of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, GoneError, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.editor.actions.renames import with_tool_name
from designer.editor.actions.topology import free_key
from designer.models import Pipeline
from orchestration.definition import Tool, ToolExample
from orchestration.tools import TASK_PARAMETERS, user_input_tool


@edit_action
def add_tool(*, pipeline: Pipeline, user: User) -> Change:
    """Add a tool with the first free name (`tool-2`). No agent has it yet."""
    pipeline = current_row(pipeline)
    tool = Tool(name=free_key("tool", pipeline.tools.values_list("name", flat=True)))
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Add tool {tool.name}",
        patch=Patch(tools={tool.name: tool}),
    )


@edit_action
def update_tool(*, pipeline: Pipeline, user: User, name: str, tool: Tool) -> Change:
    """Replace a tool. A new name also replaces the old one in all references.

    Examples are kept if the field is not set in `tool`. If the kind changes, missing parameters and
    the default parameters of the old kind become the default parameters of the new kind.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    if name not in old.tools_by_name:
        raise GoneError(f"There is no tool “{name}” any more.")
    old_tool = old.tools_by_name[name]
    if "examples" not in tool.model_fields_set:
        tool = tool.model_copy(update={"examples": old_tool.examples})
    defaults = (_default_parameters(old_tool.kind), _default_parameters("function"))
    if tool.kind != old_tool.kind and tool.parameters in defaults:
        tool = tool.model_copy(update={"parameters": _default_parameters(tool.kind)})
    others = tuple(other for other in old.tools if other.name != name)
    new = old.model_copy(update={"tools": (*others, tool.model_copy(update={"name": name}))})
    label = f"Change tool {name}"
    if tool.name != name:
        _refuse_tool(pipeline, tool.name)
        new, label = with_tool_name(new, name, tool.name), f"Rename tool {name} → {tool.name}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch.between(old, new))


@edit_action
def update_examples(
    *, pipeline: Pipeline, user: User, name: str, examples: tuple[ToolExample, ...]
) -> Change:
    """Change the examples of a tool, which answer its calls in a rehearsal."""
    pipeline = current_row(pipeline)
    exists = pipeline.tools.filter(name=name).exists()
    keys = Patch(tools={name: None} if exists else {})
    old = definitions.read_parts(pipeline, keys).tools.get(name)
    if old is None:
        raise GoneError(f"There is no tool “{name}” any more.")
    tool = old.model_copy(update={"examples": examples})
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change the examples of {name}",
        patch=Patch(tools={name: tool}),
    )


@edit_action
def delete_tool(*, pipeline: Pipeline, user: User, name: str) -> Change:
    """Delete a tool, and remove it from its agents."""
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    if name not in old.tools_by_name:
        raise GoneError(f"There is no tool “{name}” any more.")
    agents = tuple(
        agent.model_copy(update={"tools": tuple(tool for tool in agent.tools if tool != name)})
        for agent in old.agents
    )
    tools = tuple(tool for tool in old.tools if tool.name != name)
    new = old.model_copy(update={"agents": agents, "tools": tools})
    return make_edit(
        pipeline=pipeline, user=user, label=f"Delete tool {name}", patch=Patch.between(old, new)
    )


_DEFAULT_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "subtask": TASK_PARAMETERS,
    "user_input": user_input_tool().parameters,
}


def _default_parameters(kind: str) -> Mapping[str, Any]:
    """Return the parameters of a new tool of this kind."""
    return _DEFAULT_PARAMETERS.get(kind, Tool(name="tool").parameters)


def _refuse_tool(pipeline: Pipeline, name: str) -> None:
    if pipeline.tools.filter(name=name).exists():
        raise RefusedError(f"There is a tool “{name}” already.", field="name")

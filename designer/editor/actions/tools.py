"""Changes to the tools of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import Change, GoneError, RefusedError, lock, make_edit
from designer.definitions import Patch
from designer.editor.actions.renames import with_tool_name
from designer.editor.actions.topology import free_key
from designer.models import Pipeline
from orchestration.definition import Tool, ToolExample
from orchestration.tools import TASK_PARAMETERS, user_input_tool


@transaction.atomic
def add_tool(*, pipeline: Pipeline, user: User) -> Change:
    """Add a tool, which no agent has yet, under the first name that is free (`tool-2`)."""
    pipeline = lock(pipeline)
    tool = Tool(name=free_key("tool", pipeline.tools.values_list("name", flat=True)))
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Add tool {tool.name}",
        patch=Patch(tools={tool.name: tool}),
    )


@transaction.atomic
def update_tool(*, pipeline: Pipeline, user: User, name: str, tool: Tool) -> Change:
    """Make a tool what `tool` says. A new name is written wherever the old one stood.

    Its examples stay as they are, where `tool` says nothing of them. Of another kind, it takes that
    kind's usual parameters, where it has none or its old kind's.
    """
    pipeline = lock(pipeline)
    old = definitions.read(pipeline)
    if name not in old.tools_by_name:
        raise GoneError(f"There is no tool “{name}” any more.")
    before = old.tools_by_name[name]
    if "examples" not in tool.model_fields_set:
        tool = tool.model_copy(update={"examples": before.examples})
    if tool.kind != before.kind and tool.parameters in (_usual(before.kind), _usual("function")):
        tool = tool.model_copy(update={"parameters": _usual(tool.kind)})
    others = tuple(other for other in old.tools if other.name != name)
    kept = tool.model_copy(update={"name": name})
    new = old.model_copy(update={"tools": (*others, kept)})
    label = f"Change tool {name}"
    if tool.name != name:
        _refuse_tool(pipeline, tool.name)
        new, label = with_tool_name(new, name, tool.name), f"Rename tool {name} → {tool.name}"
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch.between(old, new))


@transaction.atomic
def update_examples(
    *, pipeline: Pipeline, user: User, name: str, examples: tuple[ToolExample, ...]
) -> Change:
    """Change what stands in for a tool."""
    pipeline = lock(pipeline)
    there = pipeline.tools.filter(name=name).exists()
    named = Patch(tools={name: None} if there else {})
    was = definitions.read_parts(pipeline, named).tools.get(name)
    if was is None:
        raise GoneError(f"There is no tool “{name}” any more.")
    tool = was.model_copy(update={"examples": examples})
    return make_edit(
        pipeline=pipeline,
        user=user,
        label=f"Change the examples of {name}",
        patch=Patch(tools={name: tool}),
    )


@transaction.atomic
def delete_tool(*, pipeline: Pipeline, user: User, name: str) -> Change:
    """Delete a tool, and take it from the agents that have it."""
    pipeline = lock(pipeline)
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


_USUAL: Mapping[str, Mapping[str, Any]] = {
    "subtask": TASK_PARAMETERS,
    "user_input": user_input_tool().parameters,
}


def _usual(kind: str) -> Mapping[str, Any]:
    """The parameters with which a tool of a kind begins."""
    return _USUAL.get(kind, Tool(name="tool").parameters)


def _refuse_tool(pipeline: Pipeline, name: str) -> None:
    if pipeline.tools.filter(name=name).exists():
        raise RefusedError(f"There is a tool “{name}” already.", field="name")

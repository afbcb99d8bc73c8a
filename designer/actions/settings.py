"""Changing what belongs to the pipeline as a whole, and its tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.actions.edits import Change, GoneError, RefusedError, lock, make_edit
from designer.actions.renames import with_tool_name
from designer.actions.topology import free_key
from designer.models import Pipeline
from designer.patches import Patch, Settings
from orchestration.definition import Tool, ToolExample
from orchestration.layout import lookout
from orchestration.tools import TASK_PARAMETERS, user_input_tool


@transaction.atomic
def update_pipeline(*, pipeline: Pipeline, user: User, settings: Settings) -> Change:
    """Change those settings of the pipeline that are set."""
    pipeline = lock(pipeline)
    touched = settings.touched
    if (entry := touched.get("entry")) and not pipeline.stages.filter(phase=entry).exists():
        raise RefusedError(f"There is no stage “{entry}” any more.", field="entry")
    for field in ("default_agent_id", "supervisor_id"):
        if (key := touched.get(field)) and not pipeline.agents.filter(key=key).exists():
            raise RefusedError(f"There is no agent “{key}” any more.", field=field)
    label = _label(pipeline, settings)
    if touched.get("supervisor_id") and pipeline.supervisor_x is None:
        # Its card stays where it is first seen, wherever stages go.
        place = lookout(definitions.read(pipeline).layout.stages.values())
        settings = Settings(**touched, supervisor_position=place)
    return make_edit(pipeline=pipeline, user=user, label=label, patch=Patch(settings=settings))


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


_WORDS = {
    "name": "the name",
    "description": "the description",
    "topology": "the topology",
    "limits": "the limits",
    "entry": "the entry",
    "default_agent_id": "the default agent",
    "supervisor_id": "the supervisor",
    "aliases": "the aliases",
    "handoff_tool_name": "the handoff tool",
    "on_handoff": "who speaks after a handoff",
    "allow_human": "handoffs to a person",
}


def _label(pipeline: Pipeline, settings: Settings) -> str:
    """Names what differs, so that undo says what it takes back."""
    was = definitions.read_parts(pipeline, Patch(settings=settings)).settings.touched
    different = [name for name, part in settings.touched.items() if part != was[name]]
    words = [_WORDS[name] for name in different if name in _WORDS]
    return f"Change {' and '.join(words) or 'the pipeline'}"


def _refuse_tool(pipeline: Pipeline, name: str) -> None:
    if pipeline.tools.filter(name=name).exists():
        raise RefusedError(f"There is a tool “{name}” already.", field="name")

"""Import of tools from an OpenAPI document or an MCP server into a pipeline."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.contrib.auth.models import User

from designer import definitions
from designer.core import Change, RefusedError, current_row, edit_action, make_edit
from designer.definitions import Patch
from designer.models import Pipeline
from orchestration.definition import MAX_TOOLS, Tool
from orchestration.handoff import distinct_names


@edit_action
def import_tools(
    *, pipeline: Pipeline, user: User, tools: Sequence[Tool], agent_ids: Collection[str] = ()
) -> tuple[Change, tuple[str, ...]]:
    """Add tools and assign them to agents; return the change and the names of the tools.

    A number is appended to a name that is already used.
    """
    pipeline = current_row(pipeline)
    old = definitions.read(pipeline)
    if not tools:
        raise RefusedError("Select at least one tool.")
    if len(old.tools) + len(tools) > MAX_TOOLS:
        raise RefusedError(f"A pipeline has at most {MAX_TOOLS} tools: select fewer.")
    used = {*old.tools_by_name, *(name for agent in old.agents for name in agent.tools)}
    names = distinct_names([tool.name for tool in tools], taken=used)
    added = (
        tool.model_copy(update={"name": name}) for tool, name in zip(tools, names, strict=True)
    )
    agents = tuple(
        agent.model_copy(update={"tools": tuple(sorted({*agent.tools, *names}))})
        if agent.id in agent_ids
        else agent
        for agent in old.agents
    )
    new = old.model_copy(update={"tools": (*old.tools, *added), "agents": agents})
    label = f"Add tool {names[0]}" if len(names) == 1 else f"Add {len(names)} tools"
    change = make_edit(pipeline=pipeline, user=user, label=label, patch=Patch.between(old, new))
    return change, names

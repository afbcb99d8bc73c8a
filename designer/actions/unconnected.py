"""Agents that ask a provider which is not connected: their pipeline cannot be rehearsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.contrib.auth.models import User

from designer.connections import Offered, offered_to
from designer.models import Pipeline
from orchestration.definition import PipelineDefinition
from orchestration.validation import Issue
from orchestration.validation.issues import error

CODE = "provider-not-connected"


def find_unconnected(
    pipeline: Pipeline,
    user: User,
    definition: PipelineDefinition,
    subtasks: Iterable[PipelineDefinition] = (),
) -> list[Issue]:
    """What bars a rehearsal since the owner of the pipeline is not connected to it.

    A definition from elsewhere may name what this server has not, so that it is no fault of the
    design: it stands in the way of nothing but a rehearsal.
    """
    offered = offered_to(pipeline.owner_id)
    owner = "you have" if pipeline.owner_id == user.pk else "the owner of this pipeline has"
    found = [
        error(CODE, f"{said}, and {owner} no connection of that name.", "agent", (key,), path)
        for key, said, path in _unconnected(definition, offered)
    ]
    for subtask in subtasks:
        within = f"In the pipeline {subtask.name!r}: "
        for _, said, _ in _unconnected(subtask, offered):
            sentence = (
                f"{within}{said[0].lower()}{said[1:]}, and {owner} no connection of that name."
            )
            found.append(error(CODE, sentence, "pipeline", (), "$"))
    return found


def _unconnected(
    definition: PipelineDefinition, offered: Offered
) -> Iterator[tuple[str, str, str]]:
    """The agent, what it asks for, and where that stands."""
    asked = {key for stage in definition.stages for key in stage.agent_ids}
    asked |= {rule.agent_id for rule in definition.rules} | {definition.default_agent_id or ""}
    for place, agent in enumerate(definition.agents):
        if agent.id not in asked:
            continue
        for field, name in (("provider", agent.provider), ("fallback", agent.fallback)):
            if name and name not in offered.models:
                verb = "asks" if field == "provider" else "falls back on"
                said = f"Agent {agent.name!r} {verb} the provider {name!r}"
                yield agent.id, said, f"$.agents[{place}].{field}"

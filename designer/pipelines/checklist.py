"""Checklist that guides a user through the first pipeline: draw, instruct, rehearse, take away."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from designer.models import Checklist, Pipeline, RecordedEvent
from orchestration.definition import PipelineDefinition
from orchestration.validation import uninstructed_agents

MAX_KEYS = 20
"""Maximum number of agents that the item of the instructions names."""


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item of the checklist."""

    name: str
    title: str
    help_text: str
    is_done: bool
    keys: tuple[str, ...] = ()
    """Keys of the next agents to instruct."""


def checklist_of(
    pipeline: Pipeline, user: User, definition: PipelineDefinition
) -> tuple[ChecklistItem, ...]:
    """Return the items with their state; none for other people's pipelines and closed checklists.

    The state is that of the pipeline itself. A complete checklist is closed.
    """
    if pipeline.owner_id != user.pk:
        return ()
    checklist = Checklist.objects.filter(user=user).first()
    if checklist is not None and checklist.is_closed:
        return ()
    is_exported = checklist is not None and checklist.exported_pipeline_id == pipeline.pk
    items = (
        _draw(definition),
        _instruct(definition),
        ChecklistItem("rehearse", "Rehearse", "Send it a message.", _is_rehearsed(pipeline, user)),
        ChecklistItem("take-away", "Take away", "Export it as a file.", is_exported),
    )
    if all(item.is_done for item in items):
        close_checklist(user)
        return ()
    return items


def close_checklist(user: User) -> None:
    """Close the checklist permanently."""
    Checklist.objects.update_or_create(user=user, defaults={"is_closed": True})


def record_export(pipeline: Pipeline, user: User) -> None:
    """Record that the user exported an own pipeline, for the checklist."""
    if pipeline.owner_id != user.pk:
        return
    if not Checklist.objects.filter(user=user, is_closed=True).exists():
        Checklist.objects.update_or_create(user=user, defaults={"exported_pipeline": pipeline})


def _draw(definition: PipelineDefinition) -> ChecklistItem:
    help_text = "Connect two stages." if definition.stages else "Add the first stage."
    return ChecklistItem("draw", "Draw", help_text, bool(definition.transitions))


def _instruct(definition: PipelineDefinition) -> ChecklistItem:
    without = uninstructed_agents(definition)
    serving = {agent for stage in definition.stages for agent in stage.agent_ids}
    is_done = not without and not serving.isdisjoint(definition.agents_by_id)
    keys = tuple(without[:MAX_KEYS])
    return ChecklistItem("instruct", "Instruct", "Write what each agent does.", is_done, keys)


def _is_rehearsed(pipeline: Pipeline, user: User) -> bool:
    events = RecordedEvent.objects.filter(
        conversation__pipeline=pipeline,
        conversation__started_by=user,
        type="message.received",
    )
    return events.exists()

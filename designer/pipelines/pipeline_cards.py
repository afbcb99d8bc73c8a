"""Cards of the list of pipelines, with a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import OuterRef, Subquery
from django.utils.safestring import SafeString

from designer.canvas import pictures_of
from designer.core import count_obstacles, natural_key
from designer.models import Agent, Conversation, Pipeline, Tool

MAX_SEARCH_TEXT = 2_000
"""Maximum length of the text of a pipeline that the search of the list reads."""


@dataclass(frozen=True, slots=True)
class PipelineCard:
    """A pipeline in the list."""

    pipeline: Pipeline
    picture: SafeString
    activity: Literal["edited", "rehearsed"]
    """Kind of the last activity."""
    active: datetime
    """Time of the last activity."""
    search_text: str
    """Name, description, tags and agents."""
    run_by: tuple[str, ...] = ()
    """Names of the user's other pipelines that run it as a subtask, by its name."""


def pipeline_cards(user: User) -> list[PipelineCard]:
    """Return the pipelines that the user may open, the most recently active first."""
    newest = Conversation.objects.filter(pipeline=OuterRef("pk")).order_by("-pk")
    pipelines = Pipeline.objects.seen_by(user).listed().select_related("owner")
    rows = list(pipelines.annotate(last_rehearsal=Subquery(newest.values("created")[:1])))
    obstacles = count_obstacles(user)
    for row in rows:
        row.errors += obstacles.get(row.pk, 0)
    pictures, agents, uses = pictures_of(rows), _agent_names(rows), _subtask_uses(rows, user)
    cards = [
        replace(_card(row, pictures[row.pk], agents.get(row.pk, ())), run_by=uses.get(row.pk, ()))
        for row in rows
    ]
    return sorted(cards, key=lambda card: (card.active, card.pipeline.pk), reverse=True)


def _card(row: Any, picture: SafeString, agents: Sequence[str]) -> PipelineCard:
    # Viewers may not open conversations, so their list does not mention them.
    rehearsed: datetime | None = None if row.role == "viewer" else row.last_rehearsal
    text = "\n".join([row.name, *row.tags, *agents, row.description])[:MAX_SEARCH_TEXT]
    if rehearsed is not None and rehearsed > row.updated:
        return PipelineCard(row, picture, "rehearsed", rehearsed, text)
    return PipelineCard(row, picture, "edited", row.updated, text)


def _subtask_uses(rows: Iterable[Pipeline], user: User) -> Mapping[int, tuple[str, ...]]:
    """Return the names of the user's pipelines that run another one of the user, by its id."""
    tools = Tool.objects.filter(pipeline__owner=user, kind="subtask").order_by()
    uses = defaultdict[str, set[str]](set)
    for name, pipeline in tools.values_list("pipeline_name", "pipeline__name"):
        uses[name].add(pipeline)
    return {
        row.pk: tuple(sorted(uses[row.name] - {row.name}, key=natural_key))
        for row in rows
        if row.owner_id == user.pk and row.name in uses
    }


def _agent_names(rows: Iterable[Pipeline]) -> Mapping[int, list[str]]:
    """Return the names of the agents of each pipeline, by its primary key."""
    names: dict[int, list[str]] = {}
    agents = Agent.objects.filter(pipeline__in=[row.pk for row in rows]).order_by("name")
    for pk, name in agents.values_list("pipeline_id", "name"):
        names.setdefault(pk, []).append(name)
    return names

"""Pipelines and requests that the tests of the editor share."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer import definitions
from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import (
    Agent,
    Layout,
    PipelineDefinition,
    Position,
    Stage,
    Transition,
)

HTMX = {"HX-Request": "true"}


def chain(*phases: str, **fields: Any) -> PipelineDefinition:
    """Return a chain of stages, each with its own agent and a transition to the next."""
    fields = {"name": "Support", "entry": phases[0] if phases else None, **fields}
    return PipelineDefinition(
        agents=tuple(Agent(id=f"agent-{phase}", name=phase.title()) for phase in phases),
        stages=tuple(Stage(phase=phase, agent_id=f"agent-{phase}") for phase in phases),
        transitions=tuple(
            Transition(source=source, target=target) for source, target in pairwise(phases)
        ),
        layout=Layout(
            stages={phase: Position(x=60 + 290 * n, y=250) for n, phase in enumerate(phases)}
        ),
        **fields,
    )


def draw(user: User, *phases: str, **fields: Any) -> Pipeline:
    """Return a stored pipeline of such a chain."""
    return import_definition(user=user, definition=chain(*phases, **fields))


def now(pipeline: Pipeline) -> PipelineDefinition:
    """Return the current definition of the pipeline."""
    return definitions.read(Pipeline.objects.get(pk=pipeline.pk))


def send(client: Client, pipeline: Pipeline, view: str, /, **fields: Any) -> Any:
    """Post a gesture as the page does, with the version that it shows."""
    version = Pipeline.objects.values_list("version", flat=True).get(pk=pipeline.pk)
    posted = {"version": version, **fields}
    return client.post(reverse(view, args=[pipeline.pk]), posted, headers=HTMX)


def moves(**places: tuple[float, float]) -> str:
    """Return the field of moves of a gesture."""
    return json.dumps([{"phase": phase, "x": x, "y": y} for phase, (x, y) in places.items()])


def swapped(response: Any) -> set[str]:
    """Return the ids of the swapped elements; `-id` for deleted ones, `+selector` for additions."""
    html = response.content.decode()
    swaps = set()
    for tag in re.findall(r"<[a-z]+ [^>]*hx-swap-oob=[^>]*>", html):
        swap = re.search(r'hx-swap-oob="([^"]*)"', tag)
        name = re.search(r' id="([^"]*)"', tag)
        assert swap
        added = swap[1].partition(":")[2]
        swaps.add(
            f"+{added}"
            if added
            else f"-{name[1]}"
            if name and swap[1] == "delete"
            else name[1]
            if name
            else ""
        )
    return swaps


ALWAYS = {"version-chip", "undo-buttons", "pipeline-name", "notice"}
"""Elements that are swapped after every edit."""


def transitions_of(pipeline: Pipeline) -> dict[tuple[str, str], Transition]:
    """Return the transitions of a pipeline by their ends."""
    return {(way.source, way.target): way for way in now(pipeline).transitions}


def kinds(pipeline: Pipeline) -> dict[str, str]:
    """Return the kinds of transitions by key: `{"intake>review": "next"}`."""
    return {
        f"{source}>{target}": way.kind for (source, target), way in transitions_of(pipeline).items()
    }

"""Definitions for commands: pipelines by number or name, and files."""

from __future__ import annotations

import re
from pathlib import Path

from django.core.management.base import CommandError
from django.db import DatabaseError

from designer.core import gather_subtasks, slug
from designer.models import Pipeline, Version
from designer.versions import DRAFT, UnknownVersionError, select_definition
from orchestration.definition import PipelineDefinition
from orchestration.exceptions import DefinitionError
from orchestration.loading import load_storable
from orchestration.names import did_you_mean

_VERSION = re.compile(r"@(draft|live|v?[0-9]+)$")


def find_definition(
    name: str,
) -> tuple[PipelineDefinition, list[PipelineDefinition], Pipeline | None]:
    """Find a pipeline by number, name or file; return it with its subtasks and its row.

    See `find_selected`.
    """
    definition, row, _ = find_selected(name)
    if row is None:
        return definition, [], None
    subtasks, obstacles = gather_subtasks(row, row.owner, definition)
    if obstacles:
        raise CommandError(obstacles[0].message)
    return definition, list(subtasks.values()), row


def find_selected(name: str) -> tuple[PipelineDefinition, Pipeline | None, Version | None]:
    """Find a pipeline by number, name or file; return it with its row and the chosen version.

    `name@7`, `name@live` and `name@draft` choose a version; the name may be written as a slug.
    """
    path = Path(name)
    if name.endswith(".json") or path.is_file():
        return read_file(path), None, None
    name, _, choice = name.rpartition("@") if _VERSION.search(name) else (name, "", DRAFT)
    rows = Pipeline.objects.select_related(
        "entry", "default_agent", "supervisor", "owner"
    ).order_by("pk")
    number = int(name) if re.fullmatch("[0-9]{1,18}", name) else None
    try:
        matches = list(rows.filter(pk=number) if number is not None else rows.filter(name=name))
        names = {} if matches else dict(Pipeline.objects.values_list("pk", "name"))
        if not matches:
            same = [
                pk for pk in names if name.casefold() in (names[pk].casefold(), slug(names[pk]))
            ]
            matches = list(rows.filter(pk__in=same))
    except DatabaseError as error:
        raise CommandError(
            f"The database cannot be read ({error}): run manage.py migrate first."
        ) from error
    if len(matches) > 1:
        numbers = ", ".join(f"{row.pk} of {row.owner.get_username()}" for row in matches)
        raise CommandError(f"There are several pipelines {name!r}: choose a number ({numbers}).")
    if not matches:
        question = did_you_mean(name, names.values()) or " Check the name."
        raise CommandError(f"There is no pipeline or file {name!r}.{question}")
    row = matches[0]
    try:
        selected = select_definition(row, choice)
    except UnknownVersionError as error:
        raise CommandError(str(error)) from error
    version = None if selected.choice == DRAFT else selected.version
    return selected.definition, row, version


def read_file(path: Path) -> PipelineDefinition:
    """Load a definition from a file."""
    try:
        return load_storable(path.read_bytes())
    except OSError as error:
        question = did_you_mean(path.name, [each.name for each in path.parent.glob("*.json")])
        raise CommandError(f"{path} cannot be read: {error.strerror}.{question}") from error
    except DefinitionError as error:
        faults = "".join(f"\n  {fault}" for fault in error.faults)
        raise CommandError(f"{path} is not a valid definition:{faults}") from error

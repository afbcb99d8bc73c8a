"""Sides of a comparison: the draft, a version, the live version, another pipeline, or a file.

A side has a short name, so that each comparison has an address: `draft`, `live`, `7`,
`pipeline-12`, `file-3`, `edit-41` for the draft before the edit with this count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse

from designer import definitions
from designer.core import read_definition
from designer.models import ComparedFile, Pipeline, Version
from designer.versions.errors import UnknownPointError, VersionError
from designer.versions.history import point_at
from designer.versions.selection import DRAFT, find_version
from designer.versions.state import definition_of, live_version
from orchestration.definition import PipelineDefinition

MAX_VERSIONS = 300
"""Maximum number of versions in the list of sides, the newest ones."""
MAX_PIPELINES = 100
"""Maximum number of other pipelines in the list of sides, the newest first."""

_NUMBERED = re.compile(r"(pipeline|file|edit)-([0-9]{1,18})")


class SideError(Exception):
    """A side that cannot be compared; the text is shown to the user."""


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One side of a comparison."""

    name: str
    title: str
    """Its name on the page: `Draft`, `Version 7`, `pets.baton.json`."""
    definition: PipelineDefinition


@dataclass(frozen=True, slots=True)
class SideGroup:
    """Sides of one kind in a list, by name and title."""

    label: str
    sides: tuple[tuple[str, str], ...]


def find_side(user: User, pipeline: Pipeline, name: str) -> ComparisonSide:
    """Return a side by its name; raise `SideError` if the user cannot compare it."""
    if name == DRAFT:
        return ComparisonSide(DRAFT, "Draft", _current(pipeline))
    match _NUMBERED.fullmatch(name):
        case re.Match() as numbered if numbered[1] == "pipeline":
            return _pipeline(user, name, int(numbered[2]))
        case re.Match() as numbered if numbered[1] == "edit":
            return _edit(pipeline, name, int(numbered[2]))
        case re.Match() as numbered:
            return _file(user, pipeline, name, int(numbered[2]))
    return _version(pipeline, name)


def side_groups(user: User, pipeline: Pipeline, shown: Mapping[str, str]) -> list[SideGroup]:
    """Return the sides that the user can choose, and the shown ones that are not among them.

    `shown` has the titles of the shown sides by name.
    """
    own = ((DRAFT, "Draft"), *_versions(pipeline))
    rows = Pipeline.objects.seen_by(user).exclude(pk=pipeline.pk).order_by("-updated", "-pk")
    others = rows.values_list("pk", "name")[:MAX_PIPELINES]
    files = _files(user, pipeline).values_list("pk", "name")
    groups = [
        SideGroup("This pipeline", own),
        SideGroup("Files", tuple((f"file-{pk}", name) for pk, name in files)),
        SideGroup("Other pipelines", tuple((f"pipeline-{pk}", name) for pk, name in others)),
    ]
    listed = {name for group in groups for name, _ in group.sides}
    others_shown = tuple((name, title) for name, title in shown.items() if name not in listed)
    return [group for group in (*groups, SideGroup("Shown", others_shown)) if group.sides]


def _pipeline(user: User, name: str, pk: int) -> ComparisonSide:
    row = Pipeline.objects.seen_by(user).filter(pk=pk).first()
    if row is None:
        raise SideError(
            f"There is no pipeline {pk} that you can open: choose another one to compare."
        )
    return ComparisonSide(name, row.name, _current(row))


def _current(pipeline: Pipeline) -> PipelineDefinition:
    """Return the current definition, from the cache if it is there."""
    edition = definitions.cached_edition(pipeline)
    return edition.definition if edition is not None else read_definition(pipeline)


def _files(user: User, pipeline: Pipeline) -> QuerySet[ComparedFile]:
    return ComparedFile.objects.filter(owner=user, pipeline=pipeline)


def _file(user: User, pipeline: Pipeline, name: str, pk: int) -> ComparisonSide:
    row = _files(user, pipeline).filter(pk=pk).first()
    if row is None:
        raise SideError("This file is no longer stored: choose it again to compare it.")
    return ComparisonSide(name, row.name, PipelineDefinition.model_validate(row.definition))


def _edit(pipeline: Pipeline, name: str, count: int) -> ComparisonSide:
    try:
        point = point_at(pipeline, count)
    except UnknownPointError as error:
        raise SideError(
            "This edit is no longer in the history: choose another state to compare."
        ) from error
    return ComparisonSide(name, f"Draft before edit {count}", point.before)


def address_of_others_edit(pipeline: Pipeline, user: User) -> str:
    """Return the address of the changes since before the last edit by another user; empty: none."""
    entry = pipeline.history.exclude(user=user).first()
    if entry is None:
        return ""
    sides = urlencode({"from": f"edit-{entry.version}", "to": DRAFT})
    return f"{reverse('difference', args=[pipeline.pk])}?{sides}"


def _version(pipeline: Pipeline, name: str) -> ComparisonSide:
    try:
        version = find_version(pipeline, name)
    except VersionError as error:
        raise SideError(str(error)) from error
    return ComparisonSide(name, _title(version, live_version(pipeline)), definition_of(version))


def _versions(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Yield the versions by their numbers, the newest first."""
    live = live_version(pipeline)
    for version in pipeline.versions.without_definition()[:MAX_VERSIONS]:
        yield str(version.number), _title(version, live)


def _title(version: Version, live: Version | None) -> str:
    mark = " (live)" if version == live else ""
    return f"{version}{mark} {version.name}".strip()


def first_side(pipeline: Pipeline) -> str:
    """Return the earlier side of a comparison without one: the live or the newest version.

    Without a version it is the draft itself.
    """
    live = live_version(pipeline)
    return str(live.number) if live else next((name for name, _ in _versions(pipeline)), DRAFT)

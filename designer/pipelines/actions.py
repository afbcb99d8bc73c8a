"""Actions that create, rename, copy, import and delete pipelines."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.canvas import with_positions
from designer.core import Change, atomic_action, notify_shared, read_definition
from designer.definitions import Patch, Settings
from designer.models import Membership, Pipeline, Version
from designer.pipelines.settings import update_settings
from orchestration.definition import PipelineDefinition
from orchestration.loading import unknown_names
from orchestration.validation import errors, validate

NAME_LENGTH = 120


NameChoice = Callable[[Collection[str]], str]
"""Function that chooses the name of a pipeline, given the names of the user's other pipelines."""


def create_pipeline(*, user: User, name: str) -> Pipeline:
    """Create a pipeline without stages."""
    return import_definition(user=user, definition=PipelineDefinition(name=name))


def rename_pipeline(*, pipeline: Pipeline, user: User, name: str) -> Change:
    """Rename a pipeline, as an edit that can be undone in the editor."""
    return update_settings(pipeline=pipeline, user=user, settings=Settings(name=name))


def duplicate_pipeline(
    *, pipeline: Pipeline, user: User, version: Version | None = None
) -> Pipeline:
    """Copy the draft or a version of a pipeline and its tags, without its history."""
    definition = version.snapshot() if version else read_definition(pipeline)
    checked = check_definition(user=user, definition=definition)
    checked.row.tags = list(pipeline.tags)
    return _store(checked, partial(_copy_name, definition.name))


@atomic_action
def delete_pipeline(*, pipeline: Pipeline) -> None:
    """Delete a pipeline with its edits and conversations; the sockets of its open pages close."""
    key = pipeline.pk
    pipeline.delete()
    transaction.on_commit(partial(notify_shared, key))


def import_definition(
    *, user: User, definition: PipelineDefinition, choose_name: NameChoice | None = None
) -> Pipeline:
    """Create a pipeline from a storable definition; see `loading.load_storable`.

    Stages without a position get one.
    """
    return _store(check_definition(user=user, definition=definition), choose_name)


@dataclass(frozen=True)
class CheckedPipeline:
    """A new pipeline, checked by the rules and not yet stored."""

    row: Pipeline
    patch: Patch


def check_definition(*, user: User, definition: PipelineDefinition) -> CheckedPipeline:
    """Run the rules on a definition, outside of any transaction, and prepare its row."""
    definition = with_positions(definition)
    issues = validate(definition)
    row = Pipeline(owner=user, name=definition.name, version=1)
    if unknown := unknown_names(definition):
        row.unresolved = {"names": sorted(unknown)}
    row.errors = len(errors(issues))
    row.warnings = len(issues) - row.errors
    row.full_clean()
    return CheckedPipeline(row, Patch.of(definition))


def store_pipeline(checked: CheckedPipeline, name: str = "") -> Pipeline:
    """Store a checked pipeline, perhaps under another name. The caller opens the transaction."""
    row, patch = checked.row, checked.patch
    if name:
        row.name = name
        settings = Settings(**{**patch.settings.touched, "name": name})
        patch = patch.model_copy(update={"settings": settings})
    row.save()
    definitions.write(row, patch)
    return row


def pipeline_to_replace(*, user: User, name: str) -> Pipeline | None:
    """Return the pipeline whose draft an imported file with this name may replace.

    The user's own pipelines come before shared ones, the most recently changed first.
    """
    named = Pipeline.objects.filter(name=name).order_by("-updated", "-pk")
    shared = Membership.objects.filter(user=user, role="editor").values("pipeline")
    return named.filter(owner=user).first() or named.filter(pk__in=shared).first()


def names_of_pipelines(user: User) -> set[str]:
    """Return the names of a user's own pipelines."""
    return set(Pipeline.objects.of(user).values_list("name", flat=True))


@atomic_action
def _store(checked: CheckedPipeline, choose_name: NameChoice | None) -> Pipeline:
    name = choose_name(names_of_pipelines(checked.row.owner)) if choose_name else ""
    return store_pipeline(checked, name)


def free_name(name: str, used_names: Collection[str]) -> str:
    """Return a name, with a number if it is used already: `Support desk (2)`."""
    plain = _NUMBERED.sub("", name) if name in used_names else name
    free, number = name, 1
    while free in used_names:
        number += 1
        suffix = f" ({number})"
        free = plain[: NAME_LENGTH - len(suffix)] + suffix
    return free


_NUMBERED = re.compile(r"(?<=.) \(\d{1,6}\)$")


def _copy_name(name: str, used_names: Collection[str]) -> str:
    number = 1
    while True:
        suffix = " (copy)" if number == 1 else f" (copy {number})"
        copy = name[: NAME_LENGTH - len(suffix)] + suffix
        if copy not in used_names:
            return copy
        number += 1

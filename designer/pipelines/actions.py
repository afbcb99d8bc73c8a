"""Actions that create, rename, copy, import and delete pipelines."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.canvas import with_positions
from designer.core import Change
from designer.definitions import Patch, Settings
from designer.models import Pipeline
from designer.pipelines.settings import update_settings
from orchestration.definition import PipelineDefinition
from orchestration.validation import errors, validate

NAME_LENGTH = 120


@transaction.atomic
def create_pipeline(*, user: User, name: str) -> Pipeline:
    """Create a pipeline without stages."""
    return import_definition(user=user, definition=PipelineDefinition(name=name))


def rename_pipeline(*, pipeline: Pipeline, user: User, name: str) -> Change:
    """Rename a pipeline, as an edit that can be undone in the editor."""
    return update_settings(pipeline=pipeline, user=user, settings=Settings(name=name))


@transaction.atomic
def duplicate_pipeline(*, pipeline: Pipeline, user: User) -> Pipeline:
    """Copy the current state of a pipeline, without its history, under a new name."""
    definition = definitions.read(pipeline)
    used_names = set(Pipeline.objects.of(user).values_list("name", flat=True))
    copy = definition.model_copy(update={"name": _copy_name(definition.name, used_names)})
    return import_definition(user=user, definition=copy)


@transaction.atomic
def delete_pipeline(*, pipeline: Pipeline) -> None:
    """Delete a pipeline with its edits and conversations."""
    pipeline.delete()


def import_definition(*, user: User, definition: PipelineDefinition) -> Pipeline:
    """Create a pipeline from a storable definition; see `loading.load_storable`.

    Stages without a position get one.
    """
    definition = with_positions(definition)
    issues = validate(definition)
    pipeline = Pipeline(owner=user, name=definition.name, version=1)
    pipeline.errors = len(errors(issues))
    pipeline.warnings = len(issues) - pipeline.errors
    with transaction.atomic():  # only now: it locks an SQLite database for all writers
        pipeline.full_clean()
        pipeline.save()
        definitions.write(pipeline, Patch.of(definition))
    return pipeline


def _copy_name(name: str, used_names: set[str]) -> str:
    number = 1
    while True:
        suffix = " (copy)" if number == 1 else f" (copy {number})"
        copy = name[: NAME_LENGTH - len(suffix)] + suffix
        if copy not in used_names:
            return copy
        number += 1

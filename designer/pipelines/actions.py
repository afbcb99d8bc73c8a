"""Whole pipelines: making, naming, copying and deleting them."""

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
    """Make a pipeline without stages."""
    return import_definition(user=user, definition=PipelineDefinition(name=name))


def rename_pipeline(*, pipeline: Pipeline, user: User, name: str) -> Change:
    """Give a pipeline another name. It is an edit like others, and can be undone in the editor."""
    return update_settings(pipeline=pipeline, user=user, settings=Settings(name=name))


@transaction.atomic
def duplicate_pipeline(*, pipeline: Pipeline, user: User) -> Pipeline:
    """Copy a pipeline as it is now, under a name that says so, without its history."""
    definition = definitions.read(pipeline)
    taken = set(Pipeline.objects.of(user).values_list("name", flat=True))
    copy = definition.model_copy(update={"name": _name_of_copy(definition.name, taken)})
    return import_definition(user=user, definition=copy)


@transaction.atomic
def delete_pipeline(*, pipeline: Pipeline) -> None:
    """Delete a pipeline with its edits and conversations."""
    pipeline.delete()


@transaction.atomic
def import_definition(*, user: User, definition: PipelineDefinition) -> Pipeline:
    """Make a pipeline out of a definition that can be stored; see `loading.load_storable`.

    Stages without a place are given one.
    """
    drawn = with_positions(definition)
    issues = validate(drawn)
    pipeline = Pipeline(owner=user, name=drawn.name, version=1)
    pipeline.errors = len(errors(issues))
    pipeline.warnings = len(issues) - pipeline.errors
    pipeline.full_clean()
    pipeline.save()
    definitions.write(pipeline, Patch.of(drawn))
    return pipeline


def _name_of_copy(name: str, taken: set[str]) -> str:
    number = 1
    while True:
        mark = " (copy)" if number == 1 else f" (copy {number})"
        copy = name[: NAME_LENGTH - len(mark)] + mark
        if copy not in taken:
            return copy
        number += 1

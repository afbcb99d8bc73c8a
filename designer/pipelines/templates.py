"""Templates: saving a design as one, naming and deleting it, and beginning a pipeline with it."""

from __future__ import annotations

import json

from django.contrib.auth.models import User
from django.db import transaction

from designer import definitions
from designer.core import RefusedError
from designer.models import Pipeline, Template
from designer.pipelines.actions import NAME_LENGTH, import_definition
from orchestration.definition import PipelineDefinition
from orchestration.loading import MAX_BYTES

MAX_TEMPLATES = 100
"""Maximum number of templates of one person."""


@transaction.atomic
def save_template(*, pipeline: Pipeline, user: User, name: str, description: str) -> Template:
    """Keep a pipeline as it is now, as a template of the user's.

    A name that the user has given to another, and a design too large for a file, are refused.
    """
    _hold_shelf(user.pk)
    _refuse_name(user.pk, name)
    if Template.objects.of(user).count() >= MAX_TEMPLATES:
        raise RefusedError(
            f"You have {MAX_TEMPLATES} templates, which is as many as are kept: delete one first.",
            field="name",
        )
    definition = definitions.read(pipeline).model_copy(
        update={"name": name, "description": description}
    )
    text = definition.dump()
    if len(text.encode()) > MAX_BYTES:
        size = f"{MAX_BYTES // 1024**2} MiB"
        raise RefusedError(f"The design is larger than the {size} of a template.", field="name")
    template = Template(
        owner=user,
        name=name,
        description=description,
        definition=json.loads(text),
        stage_count=len(definition.stages),
    )
    template.full_clean()
    template.save()
    return template


@transaction.atomic
def rename_template(*, template: Template, name: str) -> None:
    """Give a template another name."""
    _hold_shelf(template.owner_id)
    if name != template.name:
        _refuse_name(template.owner_id, name)
        template.name = name
        template.save(update_fields=["name", "updated"])


@transaction.atomic
def delete_template(*, template: Template) -> None:
    """Delete a template. The pipelines that began with it stay."""
    template.delete()


@transaction.atomic
def use_template(*, user: User, template: Template) -> Pipeline:
    """Begin a pipeline with a template."""
    definition = PipelineDefinition.model_validate(template.definition)
    named = {"name": template.name, "description": template.description}
    return use_definition(user=user, definition=definition.model_copy(update=named))


@transaction.atomic
def use_definition(*, user: User, definition: PipelineDefinition) -> Pipeline:
    """Begin a pipeline with a definition, under its name or the next that is free (`Desk 2`)."""
    taken = set(Pipeline.objects.of(user).values_list("name", flat=True))
    name, number = definition.name, 1
    while name in taken:
        number += 1
        mark = f" {number}"
        name = definition.name[: NAME_LENGTH - len(mark)] + mark
    return import_definition(user=user, definition=definition.model_copy(update={"name": name}))


def _hold_shelf(owner_id: int) -> None:
    """Hold someone's templates, even where there is none yet, until the transaction ends.

    Of two that are saved or named at once, the second is checked when the first is there.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner_id)


def _refuse_name(owner_id: int, name: str) -> None:
    if Template.objects.filter(owner=owner_id, name=name).exists():
        raise RefusedError(f"You have a template “{name}” already.", field="name")

"""Actions that save, rename, delete and use templates."""

from __future__ import annotations

import json
from functools import partial

from django.contrib.auth.models import User

from designer.core import RefusedError, atomic_action, read_definition
from designer.models import Pipeline, Template
from designer.pipelines.actions import free_name, import_definition
from orchestration.definition import PipelineDefinition
from orchestration.loading import MAX_BYTES

MAX_TEMPLATES = 100
"""Maximum number of templates of one person."""


def save_template(*, pipeline: Pipeline, user: User, name: str, description: str) -> Template:
    """Save the current state of a pipeline as a template of the user.

    A duplicate name and a design that is too large for a file are rejected.
    """
    definition = read_definition(pipeline).model_copy(
        update={"name": name, "description": description}
    )
    text = definition.dump()
    if len(text.encode()) > MAX_BYTES:
        size = f"{MAX_BYTES // 1024**2} MiB"
        raise RefusedError(f"The design is larger than {size}: shorten its texts.", field="name")
    template = Template(
        owner=user,
        name=name,
        description=description,
        definition=json.loads(text),
        stage_count=len(definition.stages),
    )
    template.full_clean(validate_constraints=False)
    return _store_template(template, user)


@atomic_action
def _store_template(template: Template, user: User) -> Template:
    _lock_templates(user.pk)
    _refuse_name(user.pk, template.name)
    if Template.objects.of(user).count() >= MAX_TEMPLATES:
        raise RefusedError(
            f"You have the maximum of {MAX_TEMPLATES} templates: delete one first.",
            field="name",
        )
    template.save()
    return template


@atomic_action
def rename_template(*, template: Template, name: str) -> None:
    """Rename a template."""
    _lock_templates(template.owner_id)
    if name != template.name:
        _refuse_name(template.owner_id, name)
        template.name = name
        template.save(update_fields=["name", "updated"])


@atomic_action
def delete_template(*, template: Template) -> None:
    """Delete a template. Pipelines created from it stay."""
    template.delete()


def use_template(*, user: User, template: Template) -> Pipeline:
    """Create a pipeline from a template."""
    definition = PipelineDefinition.model_validate(template.definition)
    texts = {"name": template.name, "description": template.description}
    return use_definition(user=user, definition=definition.model_copy(update=texts))


def use_definition(*, user: User, definition: PipelineDefinition) -> Pipeline:
    """Create a pipeline from a definition, under its name or the next free one (`Desk (2)`)."""
    choose = partial(free_name, definition.name)
    return import_definition(user=user, definition=definition, choose_name=choose)


def _lock_templates(owner_id: int) -> None:
    """Lock a user's templates until the transaction ends, even if there is none yet.

    Simultaneous requests therefore cannot use the same name.
    """
    User.objects.select_for_update(no_key=True).get(pk=owner_id)


def _refuse_name(owner_id: int, name: str) -> None:
    if Template.objects.filter(owner=owner_id, name=name).exists():
        raise RefusedError(
            f"You already have a template “{name}”: choose another name.", field="name"
        )

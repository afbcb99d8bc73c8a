"""Gallery of templates: the user's own and the samples."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from django.contrib.auth.models import User
from django.utils.safestring import SafeString

from designer.canvas import picture_of, pictures_of_templates
from designer.core import natural_key
from designer.models import Template
from designer.pipelines.sample_pipelines import samples


@dataclass(frozen=True, slots=True)
class TemplateCard:
    """A template in the gallery."""

    name: str
    description: str
    stage_count: int
    picture: SafeString
    sample: str
    """Key of a sample; empty for a template of the user."""
    pk: int | None = None


def gallery(user: User, own_pipelines: Collection[str]) -> list[TemplateCard]:
    """Return the user's own templates, followed by the samples.

    A sample is left out while one of the user's pipelines has its name: the list shows it already.
    """
    templates = Template.objects.of(user).listed()
    rows = sorted(templates, key=lambda template: natural_key(template.name))
    pictures = pictures_of_templates(rows)
    own = [
        TemplateCard(row.name, row.description, row.stage_count, pictures[row.pk], "", row.pk)
        for row in rows
    ]
    return [*own, *(sample for sample in _samples() if sample.name not in own_pipelines)]


@cache
def _samples() -> list[TemplateCard]:
    return [
        TemplateCard(
            definition.name,
            definition.description,
            len(definition.stages),
            picture_of(definition),
            sample=key,
        )
        for key, definition in samples().items()
    ]

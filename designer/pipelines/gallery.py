"""The gallery of templates: the samples, and a person's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from django.contrib.auth.models import User
from django.utils.safestring import SafeString

from designer.canvas import picture_of, pictures_of_templates
from designer.models import Template
from designer.pipelines.sample_pipelines import samples


@dataclass(frozen=True, slots=True)
class TemplateCard:
    """One template as the gallery shows it."""

    name: str
    description: str
    stage_count: int
    picture: SafeString
    sample: str
    """The key of a sample; empty: it is a template of the person's own."""
    pk: int | None = None


def gallery(user: User) -> list[TemplateCard]:
    """The person's own templates, and then the samples."""
    rows = list(Template.objects.of(user).listed())
    pictures = pictures_of_templates(rows)
    own = [
        TemplateCard(row.name, row.description, row.stage_count, pictures[row.pk], "", row.pk)
        for row in rows
    ]
    return [*own, *_samples()]


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

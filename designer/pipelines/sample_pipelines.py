"""The sample pipelines that a new person finds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.contrib.auth.models import User
from django.db import transaction

from designer.models import Pipeline
from designer.pipelines.actions import import_definition
from orchestration.definition import PipelineDefinition
from orchestration.loading import load_storable

SAMPLES = Path(__file__).resolve().parent / "samples"
ORDER = ("support", "coding", "support-desk", "city-guide", "weekend-trip", "bike-shop")
"""The files of the samples as a list shows them: from the plainest on."""


@transaction.atomic
def create_samples(*, user: User) -> list[Pipeline]:
    """Give a person every sample whose name none of their pipelines has; return the new ones."""
    taken = set(Pipeline.objects.of(user).values_list("name", flat=True))
    return [
        import_definition(user=user, definition=definition)
        for definition in reversed(list(samples().values()))
        if definition.name not in taken
    ]


def sample_names() -> list[str]:
    """Return the names of the samples."""
    return [definition.name for definition in samples().values()]


@cache
def samples() -> Mapping[str, PipelineDefinition]:
    """The samples by the names of their files, in order."""
    return {name: load_storable((SAMPLES / f"{name}.json").read_bytes()) for name in ORDER}

"""Sample pipelines for new users."""

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
"""Files of the samples, from simple to complex."""


@transaction.atomic
def create_samples(*, user: User) -> list[Pipeline]:
    """Create the samples whose names the user's pipelines do not have; return them."""
    used_names = set(Pipeline.objects.of(user).values_list("name", flat=True))
    return [
        import_definition(user=user, definition=definition)
        for definition in reversed(list(samples().values()))
        if definition.name not in used_names
    ]


def sample_names() -> list[str]:
    """Return the names of the samples."""
    return [definition.name for definition in samples().values()]


@cache
def samples() -> Mapping[str, PipelineDefinition]:
    """Return the samples by file name, in order."""
    return {name: load_storable((SAMPLES / f"{name}.json").read_bytes()) for name in ORDER}

"""Sample pipelines for new users."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from django.contrib.auth.models import User

from designer.core import atomic_action
from designer.models import Pipeline
from designer.pipelines.actions import (
    CheckedPipeline,
    check_definition,
    names_of_pipelines,
    store_pipeline,
)
from orchestration.definition import PipelineDefinition
from orchestration.loading import load_storable

SAMPLES = Path(__file__).resolve().parent / "samples"
ORDER = ("support", "coding", "support-desk", "city-guide", "weekend-trip", "bike-shop")
"""Files of the samples, from simple to complex."""


def create_samples(*, user: User) -> list[Pipeline]:
    """Create the samples whose names the user's pipelines do not have; return them."""
    used_names = names_of_pipelines(user)
    definitions = [each for each in samples().values() if each.name not in used_names]
    checked = [check_definition(user=user, definition=each) for each in reversed(definitions)]
    return _store_missing(user, checked)


@atomic_action
def _store_missing(user: User, samples: list[CheckedPipeline]) -> list[Pipeline]:
    """Store the samples in one transaction, except those that were stored meanwhile."""
    used_names = names_of_pipelines(user)
    return [store_pipeline(sample) for sample in samples if sample.row.name not in used_names]


def sample_names() -> list[str]:
    """Return the names of the samples."""
    return [definition.name for definition in samples().values()]


@cache
def samples() -> Mapping[str, PipelineDefinition]:
    """Return the samples by file name, in order."""
    return {name: load_storable((SAMPLES / f"{name}.json").read_bytes()) for name in ORDER}

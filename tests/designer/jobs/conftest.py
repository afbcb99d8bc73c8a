"""Fixtures of the tests of jobs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from designer.jobs import start_job
from designer.models import Job
from tests.designer.jobs.gated_job import GATED


@pytest.fixture
def gated(settings: Any, user: User, tmp_path: Path) -> Callable[..., Job]:
    """Start a job with gates: `gated(5)`, on the items 1 to 5."""
    settings.JOB_KINDS = settings.JOB_KINDS | {"gated": "tests.designer.jobs.gated_job.GATED"}

    def start(count: int, **options: Any) -> Job:
        arguments = {"folder": str(tmp_path), **options.pop("arguments", {})}
        items = range(1, count + 1)
        options.setdefault("title", "Gated items")
        options.setdefault("asked_by", user)
        return start_job(kind=GATED, items=items, arguments=arguments, **options)

    return start

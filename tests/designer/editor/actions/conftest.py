"""Fixtures of the tests of actions."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from designer.models import Pipeline


@pytest.fixture
def actor(pipeline: Pipeline, user: User) -> dict[str, Any]:
    """Return the arguments of every action: the pipeline and its owner."""
    return {"pipeline": pipeline, "user": user}

"""Fixtures of the tests of pipelines."""

import pytest

from designer.pipelines.templates import save_template
from tests.designer.editor_requests import draw


@pytest.fixture
def desk(user):
    """Pipeline for templates."""
    return draw(user, "intake", "review", name="Desk", description="Of <b>ours</b>.")


@pytest.fixture
def template(user, desk):
    """Template of `desk`."""
    return save_template(pipeline=desk, user=user, name="My desk", description="For desks.")

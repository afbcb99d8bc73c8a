"""Actions on whole pipelines."""

import pytest

from designer.pipelines.actions import duplicate_pipeline, import_definition
from designer.pipelines.tags import set_tags
from orchestration.definition import Layout, Position
from tests.designer.editor_requests import chain, draw, now

pytestmark = pytest.mark.django_db


def test_copies_of_long_names_have_different_names(user):
    pipeline = draw(user, name="x" * 120)
    copies = [duplicate_pipeline(pipeline=pipeline, user=user).name for _ in range(3)]
    assert len(set(copies)) == 3
    assert all(len(name) == 120 for name in copies)


def test_a_copy_has_the_tags_of_its_pipeline(user):
    pipeline = draw(user)
    set_tags(pipeline=pipeline, tags=["billing", "live"])
    pipeline.refresh_from_db()
    copy = duplicate_pipeline(pipeline=pipeline, user=user)
    copy.refresh_from_db()
    assert copy.tags == ["billing", "live"]


def test_stages_without_a_position_are_arranged_from_the_entry(user):
    bare = chain("intake", "review", "resolution").without_layout()
    positions = now(import_definition(user=user, definition=bare)).layout.stages
    assert positions["intake"].x < positions["review"].x < positions["resolution"].x
    assert len(set(positions.values())) == 3


def test_stages_with_a_position_keep_it(user):
    drawn = chain("intake", "review")
    layout = Layout(stages={"intake": Position(x=7, y=8)})
    definition = drawn.model_copy(update={"layout": layout})
    positions = now(import_definition(user=user, definition=definition)).layout.stages
    assert positions["intake"] == Position(x=7, y=8)
    assert positions["review"].y > 8

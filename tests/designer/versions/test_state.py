"""State of the draft relative to the versions."""

from __future__ import annotations

import pytest

from designer.definitions import Settings
from designer.models import Pipeline, Version
from designer.pipelines.settings import update_settings
from designer.versions import publish, roll_back, save_version
from designer.versions.state import DraftState, definition_of, draft_state, live_version
from tests.designer.editor_requests import draw, now, send


def edit(pipeline: Pipeline, user, text: str) -> Pipeline:
    """Change the behaviour of the draft."""
    settings = Settings(description=text)
    return update_settings(pipeline=pipeline, user=user, settings=settings).pipeline


@pytest.mark.parametrize(
    ("changes", "live", "label"),
    [
        (0, 7, "Draft · same as v7 (live)"),
        (0, 6, "Draft · same as v7"),
        (1, None, "Draft · 1 change since v7"),
        (5, 7, "Draft · 5 changes since v7 (live)"),
    ],
)
def test_the_label_counts_the_changes_and_marks_the_live_version(changes, live, label):
    newest = Version(pk=7, number=7)
    state = DraftState(newest, Version(pk=live, number=live) if live else None, changes)
    assert state.label == label


@pytest.mark.django_db
def test_changes_count_since_the_newest_version_even_if_another_one_is_live(client, user):
    pipeline = draw(user, "intake", "review")
    assert draft_state(pipeline) == DraftState(None, None, 0)
    first = publish(pipeline=pipeline, user=user, name="First")
    pipeline = edit(pipeline, user, "Changed.")
    second = publish(pipeline=pipeline, user=user, name="Second", expected=1)
    roll_back(pipeline=pipeline, user=user, expected=2)
    assert draft_state(pipeline) == DraftState(second, first, 0)
    send(client, pipeline, "add_note", x="40", y="-8")
    pipeline = Pipeline.objects.get(pk=pipeline.pk)
    assert draft_state(pipeline).changes == 0, "the layout does not count"
    pipeline = edit(pipeline, user, "Changed again.")
    send(client, pipeline, "add_agent")
    assert draft_state(Pipeline.objects.get(pk=pipeline.pk)).changes == 2


@pytest.mark.django_db
def test_the_live_version_is_that_of_its_own_pipeline(user):
    one, other = draw(user, "intake"), draw(user, "intake")
    version = publish(pipeline=one, user=user, name="First")
    save_version(pipeline=other, user=user)
    assert live_version(one) == version
    assert live_version(other) is None


@pytest.mark.django_db
def test_the_definition_of_a_version_is_read_once(user, django_assert_num_queries):
    pipeline = draw(user, "intake", "review", description="Only of this test.")
    save_version(pipeline=pipeline, user=user)
    versions = [pipeline.versions.without_definition().get() for _ in range(2)]
    with django_assert_num_queries(1):
        first, second = map(definition_of, versions)
    assert first == second == now(pipeline)

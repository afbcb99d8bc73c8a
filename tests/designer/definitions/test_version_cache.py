"""Cache of definitions: a cached definition equals the rows."""

from __future__ import annotations

import json

import pytest
from django.db import transaction
from django.test import TestCase
from django.urls import reverse

from designer import definitions
from designer.definitions import version_cache
from designer.editor.actions import topology
from designer.models import Pipeline
from designer.pipelines.actions import delete_pipeline
from orchestration.definition import Position
from orchestration.validation import validate
from tests.designer.editor_requests import draw, now, send

committed = TestCase.captureOnCommitCallbacks


@pytest.fixture(autouse=True)
def _empty():
    version_cache.clear_cache()
    yield
    version_cache.clear_cache()


def fresh(pipeline):
    return Pipeline.objects.get(pk=pipeline.pk)


def cached_pipeline(user, *phases):
    """Return a pipeline with a cached edition."""
    pipeline = fresh(draw(user, *phases))
    with committed(execute=True):
        definitions.read(pipeline)
    assert definitions.cached_edition(pipeline)
    return pipeline


def add_stage(pipeline, user):
    at = Position(x=1, y=2)
    topology.add_stage(pipeline=pipeline, user=user, at=at, source=None, agent_id=None)


@pytest.mark.django_db
def test_a_version_is_read_once(user, django_assert_num_queries):
    pipeline = cached_pipeline(user, "intake", "review")
    with django_assert_num_queries(0):
        assert definitions.read(pipeline) is definitions.read(pipeline)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("view", "fields"),
    [
        ("connect", {"source": "resolution", "target": "intake"}),
        ("move_stages", {"moves": json.dumps([{"phase": "intake", "x": 7, "y": 8}])}),
        ("add_stage", {"x": 1, "y": 2, "kind": "group"}),
        ("delete_parts", {"stages": '["review"]'}),
        ("add_frame", {"stages": '["intake", "review"]'}),
        ("add_agent", {}),
        ("make_entry", {"entry": "review"}),
    ],
)
def test_after_a_gesture_the_next_version_is_cached_and_equals_the_rows(client, user, view, fields):
    pipeline = cached_pipeline(user, "intake", "review", "resolution")
    with committed(execute=True):
        assert send(client, pipeline, view, **fields).status_code == 200
    edition = definitions.cached_edition(fresh(pipeline))
    assert edition
    assert edition.definition == definitions.read_rows(fresh(pipeline))
    assert edition.issues == validate(edition.definition)


@pytest.mark.django_db
def test_an_edit_that_is_rolled_back_is_not_cached(user):
    pipeline = cached_pipeline(user, "intake", "review")
    before = definitions.cached_edition(pipeline)
    with committed(execute=True), transaction.atomic():
        add_stage(pipeline, user)
        transaction.set_rollback(True)
    assert definitions.cached_edition(fresh(pipeline)) is before
    assert list(now(pipeline).stages_by_phase) == ["intake", "review"]
    assert len(version_cache._EDITIONS) == 1


@pytest.mark.django_db
def test_a_commit_of_another_process_is_read_from_the_rows(user):
    pipeline = cached_pipeline(user, "intake", "review")
    with committed(execute=False):  # this process gets no notification
        add_stage(pipeline, user)
    assert definitions.cached_edition(fresh(pipeline)) is None
    assert len(now(pipeline).stages) == 3
    assert now(pipeline) == definitions.read_rows(fresh(pipeline))


@pytest.mark.django_db
def test_an_edition_read_during_another_commit_is_not_cached(user):
    pipeline = fresh(draw(user, "intake", "review"))
    with committed(execute=True):
        definitions.read(pipeline)
        with committed(execute=False):
            add_stage(pipeline, user)
    assert definitions.cached_edition(pipeline) is None


@pytest.mark.django_db
def test_the_cache_is_bounded_and_holds_one_version_of_a_pipeline(user):
    first = cached_pipeline(user, *(f"s{n}" for n in range(100)))
    large = definitions.edition(first)
    for version in range(3):
        version_cache._cache((first.pk, version, first.updated), large)
    assert len(version_cache._EDITIONS) == 1
    for pk in range(-2 * version_cache.MAX_WEIGHT // large.weight, 0):
        version_cache._cache((pk, 1, first.updated), large)
    assert version_cache._EDITIONS.currsize <= version_cache.MAX_WEIGHT
    assert definitions.cached_edition(first) is None


@pytest.mark.django_db
def test_a_deleted_pipeline_is_not_read_from_the_cache(client, user):
    pipeline = cached_pipeline(user, "intake")
    delete_pipeline(pipeline=fresh(pipeline))
    assert client.get(reverse("editor", args=[pipeline.pk])).status_code == 404

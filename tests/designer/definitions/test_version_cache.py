"""What is kept of a version: it is what the rows say, or it is not kept."""

from __future__ import annotations

import json

import pytest
from django.db import transaction
from django.test import TestCase
from django.urls import reverse
from hypothesis import given

from designer import definitions
from designer.definitions import version_cache
from designer.definitions.patches import Patch
from designer.editor.actions import topology
from designer.models import Pipeline
from designer.pipelines.actions import delete_pipeline
from orchestration.definition import Position
from orchestration.validation import validate
from tests.designer.editor_requests import draw, now, send
from tests.orchestration.strategies import storable_definitions

committed = TestCase.captureOnCommitCallbacks


@pytest.fixture(autouse=True)
def _empty():
    version_cache.forget_all()
    yield
    version_cache.forget_all()


def fresh(pipeline):
    return Pipeline.objects.get(pk=pipeline.pk)


def opened(user, *phases):
    """A pipeline whose edition is kept."""
    pipeline = fresh(draw(user, *phases))
    with committed(execute=True):
        definitions.read(pipeline)
    assert definitions.kept(pipeline)
    return pipeline


def add_stage(pipeline, user):
    at = Position(x=1, y=2)
    topology.add_stage(pipeline=pipeline, user=user, at=at, source=None, agent_id=None)


@given(storable_definitions(), storable_definitions())
def test_a_patched_definition_is_the_one_that_the_patch_leads_to(old, new):
    patch = Patch.between(old, new)
    made = definitions.patched(old, patch)
    assert made == new
    assert made.dump() == new.dump()
    assert made.transitions_from == new.transitions_from


@pytest.mark.django_db
def test_a_version_is_read_once(user, django_assert_num_queries):
    pipeline = opened(user, "intake", "review")
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
def test_after_a_gesture_the_next_version_is_at_hand_and_is_what_the_rows_say(
    client, user, view, fields
):
    pipeline = opened(user, "intake", "review", "resolution")
    with committed(execute=True):
        assert send(client, pipeline, view, **fields).status_code == 200
    found = definitions.kept(fresh(pipeline))
    assert found
    assert found.definition == definitions.read_rows(fresh(pipeline))
    assert found.issues == validate(found.definition)


@pytest.mark.django_db
def test_what_is_rolled_back_leaves_no_trace(user):
    pipeline = opened(user, "intake", "review")
    was = definitions.kept(pipeline)
    with committed(execute=True), transaction.atomic():
        add_stage(pipeline, user)
        transaction.set_rollback(True)
    assert definitions.kept(fresh(pipeline)) is was
    assert list(now(pipeline).stages_by_phase) == ["intake", "review"]
    assert len(version_cache._EDITIONS) == 1


@pytest.mark.django_db
def test_what_another_process_commits_is_read_anew(user):
    pipeline = opened(user, "intake", "review")
    with committed(execute=False):  # this process does not hear of it
        add_stage(pipeline, user)
    assert definitions.kept(fresh(pipeline)) is None
    assert len(now(pipeline).stages) == 3
    assert now(pipeline) == definitions.read_rows(fresh(pipeline))


@pytest.mark.django_db
def test_what_was_read_while_another_process_committed_is_not_kept(user):
    pipeline = fresh(draw(user, "intake", "review"))
    with committed(execute=True):
        definitions.read(pipeline)
        with committed(execute=False):
            add_stage(pipeline, user)
    assert definitions.kept(pipeline) is None


@pytest.mark.django_db
def test_only_so_much_is_kept_and_of_a_pipeline_one_version(user):
    first = opened(user, *(f"s{n}" for n in range(100)))
    heavy = definitions.edition(first)
    for version in range(3):
        version_cache._keep((first.pk, version, first.updated), heavy)
    assert len(version_cache._EDITIONS) == 1
    for pk in range(-2 * version_cache.MAX_WEIGHT // heavy.weight, 0):
        version_cache._keep((pk, 1, first.updated), heavy)
    assert version_cache._EDITIONS.currsize <= version_cache.MAX_WEIGHT
    assert definitions.kept(first) is None


@pytest.mark.django_db
def test_a_deleted_pipeline_is_not_read_from_what_was_kept(client, user):
    pipeline = opened(user, "intake")
    delete_pipeline(pipeline=fresh(pipeline))
    assert client.get(reverse("editor", args=[pipeline.pk])).status_code == 404

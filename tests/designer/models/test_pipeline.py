"""Pipelines as rows, and their permissions."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from designer.core.http import role_in
from designer.models import Membership, Pipeline
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review", description="Who <b>answers</b>.")


def post(client, view, /, *args, **fields):
    return client.post(reverse(view, args=args), fields)


def test_the_most_recently_changed_pipeline_comes_first(client, user, pipeline):
    other = draw(user, "a")
    post(client, "pipeline_rename", pipeline.pk, name="Renamed")
    rows = list(Pipeline.objects.of(user).listed())
    assert rows == [pipeline, other]


def test_each_user_sees_own_and_shared_pipelines_with_a_role(user, other_user, pipeline):
    assert not Pipeline.objects.seen_by(other_user).exists()
    Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")
    assert role_in(Pipeline.objects.seen_by(user).get()) == "owner"
    assert role_in(Pipeline.objects.seen_by(other_user).get()) == "viewer"
    assert not Pipeline.objects.of(other_user).exists()


def test_the_list_counts_the_stages(pipeline):
    assert vars(Pipeline.objects.all().listed().get())["stage_count"] == 2


def test_a_stage_has_at_most_one_next_transition(pipeline):
    source, target = pipeline.stages.all()
    third = pipeline.stages.create(phase="third")
    with pytest.raises(IntegrityError), transaction.atomic():
        pipeline.transitions.create(source=source, target=third)
    pipeline.transitions.create(source=source, target=third, kind="return")
    assert source.transitions_out.count() == 2
    assert target.transitions_in.count() == 1

"""Sample pipelines."""

import pytest
from django.urls import reverse

from designer.models import Pipeline
from designer.pipelines.sample_pipelines import sample_names

pytestmark = pytest.mark.django_db


def post(client, view, /, *args, **fields):
    return client.post(reverse(view, args=args), fields)


def test_samples_are_created_once(client, user):
    post(client, "samples_create")
    post(client, "samples_create")
    names = set(Pipeline.objects.of(user).values_list("name", flat=True))
    assert names == set(sample_names())
    assert Pipeline.objects.count() == len(names)

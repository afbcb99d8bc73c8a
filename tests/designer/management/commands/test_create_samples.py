"""Command that creates the samples."""

import pytest
from django.core.management import CommandError, call_command

from designer.models import Pipeline
from designer.pipelines.sample_pipelines import create_samples, sample_names

pytestmark = pytest.mark.django_db


def test_a_new_user_gets_the_samples_once(user):
    call_command("create_samples", username="ada", verbosity=0)
    count = Pipeline.objects.count()
    assert count == len(sample_names())
    call_command("create_samples", username="ada", verbosity=0)
    assert Pipeline.objects.count() == count


def test_deleted_samples_are_restored_only_on_request(client, user):
    create_samples(user=user)
    Pipeline.objects.all().delete()
    assert user.__class__.objects.get(pk=user.pk).last_login is not None
    call_command("create_samples", username="ada", verbosity=0)
    assert not Pipeline.objects.exists()
    call_command("create_samples", username="ada", again=True, verbosity=0)
    assert Pipeline.objects.count() == len(sample_names())


def test_a_missing_user_is_reported(db):
    with pytest.raises(CommandError, match="no user 'nobody'"):
        call_command("create_samples", username="nobody")

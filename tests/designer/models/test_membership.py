"""Members of a pipeline."""

import pytest
from django.db import IntegrityError

from designer.models import Membership

pytestmark = pytest.mark.django_db


def test_a_user_has_one_role_in_a_pipeline(pipeline, other_user):
    with pytest.raises(IntegrityError):
        Membership.objects.create(pipeline=pipeline, user=other_user, role="viewer")


def test_members_are_ordered_by_name(pipeline, django_user_model):
    user = django_user_model.objects.create_user("alan")
    Membership.objects.create(pipeline=pipeline, user=user, role="viewer")
    assert list(map(str, pipeline.memberships.all())) == ["alan: viewer", "grace: editor"]

"""Templates as rows."""

import pytest
from django.db import IntegrityError, transaction

from designer.models import Template

pytestmark = pytest.mark.django_db


def test_templates_are_listed_by_name_without_their_definitions(user, other_user):
    for owner, name in ((user, "b"), (user, "a"), (other_user, "c")):
        Template.objects.create(owner=owner, name=name, definition={})
    templates = list(Template.objects.of(user).listed())
    assert list(map(str, templates)) == ["a", "b"]
    assert all("definition" in template.get_deferred_fields() for template in templates)


def test_a_name_is_unique_for_each_owner(user, other_user):
    Template.objects.create(owner=user, name="a", definition={})
    Template.objects.create(owner=other_user, name="a", definition={})
    with pytest.raises(IntegrityError), transaction.atomic():
        Template.objects.create(owner=user, name="a", definition={})

"""Creation of an administrator from the command line."""

import pytest
from django.core.exceptions import ValidationError

from designer.accounts.people.administrators import create_administrator
from designer.core import RefusedError
from designer.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_an_administrator_is_active_and_recorded_without_an_actor():
    user = create_administrator(username="root", email="root@baton.example")
    assert (user.is_active, user.is_superuser, user.is_staff) == (True, True, True)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.target) == (
        "user_created",
        None,
        f"user {user.pk} “root”",
    )
    assert entry.detail == "administrator, by create_admin"


def test_for_a_used_name_the_command_for_a_link_is_named(user):
    with pytest.raises(RefusedError, match="for a link") as refused:
        create_administrator(username="ADA")
    assert refused.value.field == "username"


def test_an_invalid_name_creates_and_records_nothing():
    with pytest.raises(ValidationError, match="Enter a valid username"):
        create_administrator(username="a b")
    assert not AuditEntry.objects.exists()

"""Creation and roles of users."""

import pytest
from django.contrib.auth.models import User

from designer.accounts.people.users import apply_role, create_user, is_taken, role_of
from designer.core import RefusedError
from designer.models import AccountRole, AuditEntry

PERSON = {"email": "new@baton.example", "role": "user", "detail": "by a test"}


@pytest.mark.parametrize("role", AccountRole)
def test_a_user_has_the_role_that_was_applied(role):
    user = User(username="new", is_staff=role == AccountRole.USER)
    apply_role(user, role)
    assert role_of(user) == role
    assert user.is_staff == (role == AccountRole.ADMINISTRATOR)


def test_staff_without_all_rights_is_no_administrator():
    assert role_of(User(username="staff", is_staff=True)) == AccountRole.USER


def test_a_name_is_taken_in_any_case_of_letters(user):
    assert is_taken("Ada")
    assert not is_taken("ad")
    with pytest.raises(RefusedError, match="There is a user “ADA” already") as refused:
        create_user(username="ADA", password=None, by_itself=True, **PERSON)
    assert refused.value.field == "username"
    assert User.objects.get() == user


@pytest.mark.django_db
def test_a_user_who_creates_itself_is_the_actor():
    user = create_user(username="new", password="a good long one", by_itself=True, **PERSON)
    user.refresh_from_db()
    assert user.check_password("a good long one")
    assert (user.is_active, user.is_superuser) == (True, False)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.detail) == (user, "user, by a test")

"""Accounts of people whom a provider has identified."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from designer.accounts.openid.identities import OpenIdPerson, find_or_create_user
from designer.accounts.people.invitations import create_invitation
from designer.core import RefusedError
from designer.models import AuditEntry, Invitation, OpenIdIdentity

pytestmark = pytest.mark.django_db

GRACE = OpenIdPerson("https://login.example", "7", "grace@baton.example", "grace")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", "root@baton.example")


def invite(root: User, email: str, role: str = "user") -> None:
    create_invitation(by=root, role=role, email=email, days=1)


@pytest.mark.parametrize(
    ("verified", "email"),
    [(True, "a@b.example"), ("true", "a@b.example"), (False, ""), (None, ""), ("yes", "")],
)
def test_only_verified_addresses_are_read(verified, email):
    claims = {"iss": "x", "sub": 7, "email": "a@b.example", "email_verified": verified}
    assert OpenIdPerson.from_claims(claims).email == email


def test_an_unverified_address_opens_no_account(root):
    User.objects.create_user("grace", GRACE.email)
    invite(root, GRACE.email)
    with pytest.raises(RefusedError, match="You have no account here"):
        find_or_create_user(replace(GRACE, email=""))


def test_an_invitation_for_the_verified_address_creates_the_account(root):
    invite(root, "Grace@Baton.example", "administrator")
    user = find_or_create_user(GRACE)
    assert (user.username, user.email, user.is_superuser) == ("grace", GRACE.email, True)
    assert Invitation.objects.get().accepted_by == user
    assert find_or_create_user(GRACE) == user
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["invitation_created", "user_created", "identity_linked"]


def test_an_open_provider_creates_users_without_rights():
    user = find_or_create_user(GRACE, is_open=True)
    assert (user.is_staff, user.is_superuser, user.has_usable_password()) == (False, False, False)
    assert find_or_create_user(replace(GRACE, email="", name="renamed")) == user


def test_a_preferred_name_takes_over_no_account(root):
    user = find_or_create_user(replace(GRACE, name="ROOT", email=""), is_open=True)
    assert (user.username, user.is_superuser) == ("ROOT-2", False)
    other = find_or_create_user(replace(GRACE, subject="8", name="<i>", email=""), is_open=True)
    assert other.username == "i"
    third = find_or_create_user(replace(GRACE, subject="9", name="", email=""), is_open=True)
    assert third.username == "user"


def test_an_address_that_went_to_another_person_opens_no_account():
    user = find_or_create_user(GRACE, is_open=True)
    with pytest.raises(RefusedError, match="belongs to another person"):
        find_or_create_user(replace(GRACE, subject="8"), is_open=True)
    assert OpenIdIdentity.objects.get().user == user


def test_two_accounts_with_one_address_are_not_guessed():
    for name in ("one", "two"):
        User.objects.create_user(name, GRACE.email)
    with pytest.raises(RefusedError, match="Several accounts have your e-mail address"):
        find_or_create_user(GRACE, is_open=True)


def test_a_deactivated_account_is_not_replaced_by_a_new_one():
    User.objects.create_user("grace", GRACE.email, is_active=False)
    with pytest.raises(RefusedError, match="deactivated"):
        find_or_create_user(GRACE, is_open=True)

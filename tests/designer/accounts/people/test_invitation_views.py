"""Page of an invitation."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from designer.models import AuditEntry, Invitation
from tests.designer.accounts.people.invitation_pages import FORM, invite, path

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("role", "is_administrator"), [("user", False), ("administrator", True)])
def test_an_invited_person_creates_an_account_and_is_signed_in(root, role, is_administrator):
    link, client = path(invite(root, role)), Client()
    assert "root has invited you" in client.get(link).text
    response = client.post(link, FORM)
    assert (response.status_code, response["Location"]) == (302, "/")
    user = User.objects.get(username="new")
    assert client.session["_auth_user_id"] == str(user.pk)
    assert (user.email, user.is_superuser, user.is_staff) == (
        "new@baton.example",
        is_administrator,
        is_administrator,
    )
    assert Client().login(username="new", password="a good long one")
    assert Invitation.objects.get().accepted_by == user
    entry = AuditEntry.objects.get(action="user_created")
    assert (entry.actor, entry.target) == (user, f"user {user.pk} “new”")
    assert entry.detail == f"{role}, with invitation {Invitation.objects.get().pk}"
    signed_in = AuditEntry.objects.filter(action="signed_in").earliest("pk")
    assert (signed_in.actor, signed_in.detail) == (user, "invitation")


def test_an_invitation_works_once(root):
    link = path(invite(root))
    Client().post(link, FORM)
    second = Client().post(link, FORM | {"username": "second"})
    assert second.status_code == 410
    assert "no longer valid" in second.text
    assert not User.objects.filter(username="second").exists()


def test_an_expired_and_an_unknown_invitation_are_refused(root):
    link = path(invite(root))
    past = timezone.now() - timedelta(seconds=1)
    Invitation.objects.update(created_at=past - timedelta(days=7), expires_at=past)
    for address in (link, path("guessed")):
        assert Client().get(address).status_code == 410
        assert Client().post(address, FORM).status_code == 410

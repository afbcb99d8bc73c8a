"""Invitations: use by the invited person."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from designer.accounts.people.changes import change_role, deactivate_user
from designer.accounts.people.invitations import MAX_OPEN, accept_invitation, create_invitation
from designer.core import GoneError, RefusedError
from designer.models import AuditEntry, Invitation

pytestmark = pytest.mark.django_db

FORM = {
    "username": "new",
    "new_password1": "a good long one",
    "new_password2": "a good long one",
}


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", "root@baton.example", "correct horse")


def invite(by: User, role: str = "user") -> str:
    return create_invitation(by=by, role=role, email="new@baton.example", days=7)


def path(token: str) -> str:
    return reverse("accept_invitation", args=[token])


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


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"username": "ROOT"}, "There is a user “ROOT” already: choose another name."),
        ({"username": "a b"}, "A user name has only letters, digits"),
        ({"username": ""}, "User name must not be empty."),
        ({"new_password2": "x"}, "The two passwords differ"),
        (
            {
                "username": "hieronymus",
                "new_password1": "hieronymus",
                "new_password2": "hieronymus",
            },
            "too similar to the username",
        ),
    ],
)
def test_refused_input_is_explained_and_the_invitation_stays_open(root, values, text):
    link = path(invite(root))
    response = Client().post(link, FORM | values)
    assert response.status_code == 422
    assert text in response.text
    assert User.objects.count() == 1
    assert Client().post(link, FORM).status_code == 302


def test_an_expired_and_an_unknown_invitation_are_refused(root):
    link = path(invite(root))
    past = timezone.now() - timedelta(seconds=1)
    Invitation.objects.update(created_at=past - timedelta(days=7), expires_at=past)
    for address in (link, path("guessed")):
        assert Client().get(address).status_code == 410
        assert Client().post(address, FORM).status_code == 410


def test_invitations_end_with_the_role_of_their_author(root):
    other = User.objects.create_superuser("other")
    first, second = path(invite(other)), path(invite(root))
    change_role(user_id=other.pk, role="user", by=root)
    assert Client().get(first).status_code == 410
    change_role(user_id=other.pk, role="administrator", by=root)
    assert Client().get(first).status_code == 410, "it is revoked"
    deactivate_user(user_id=root.pk, by=other)
    assert Client().get(second).status_code == 410
    revoked = AuditEntry.objects.filter(action="invitation_revoked")
    assert [entry.actor for entry in revoked.order_by("pk")] == [root, other]


def test_the_number_of_open_invitations_is_limited(root):
    token = invite(root)
    row = Invitation.objects.get()
    Invitation.objects.bulk_create(
        Invitation(digest=str(number), role="user", created_by=root, expires_at=row.expires_at)
        for number in range(MAX_OPEN - 1)
    )
    with pytest.raises(RefusedError, match="There are 200 open invitations"):
        invite(root)
    accept_invitation(token=token, username="new", password="a good long one")
    invite(root)


@pytest.mark.django_db(transaction=True)
def test_two_simultaneous_requests_create_one_account(root):
    token, together = invite(root), Barrier(2)
    outcomes: list[str] = []

    def accept(name: str) -> None:
        together.wait()
        try:
            accept_invitation(token=token, username=name, password="a good long one")
            outcomes.append("created")
        except GoneError:
            outcomes.append("gone")
        finally:
            connection.close()

    threads = [Thread(target=accept, args=[name]) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["created", "gone"]
    assert User.objects.count() == 2

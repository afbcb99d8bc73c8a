"""Invitations: their end, their number, and use at the same time."""

from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from designer.accounts.people.changes import change_role, deactivate_user
from designer.accounts.people.invitations import MAX_OPEN, accept_invitation
from designer.core import GoneError, RefusedError
from designer.models import AuditEntry, Invitation
from tests.designer.accounts.people.invitation_pages import invite, path

pytestmark = pytest.mark.django_db


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

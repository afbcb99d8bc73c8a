"""Page of a person's own account."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from designer.accounts import create_sign_in_link
from designer.core.http import user_of_session
from designer.models import AuditEntry, SignInLink
from tests.conftest import signed_in
from tests.designer.accounts.passwords.password_pages import ACCOUNT, CHANGE, NEW, changes

pytestmark = pytest.mark.django_db


def test_a_changed_password_ends_all_other_sessions(client, user):
    other = signed_in(user)
    create_sign_in_link(user=user)
    assert f'href="{ACCOUNT}"' in client.get("/").text

    page = client.post(ACCOUNT, CHANGE, follow=True)

    assert "Your password is changed." in page.text
    user.refresh_from_db()
    assert user.check_password("a good long one")
    assert client.get(ACCOUNT).status_code == 200
    assert other.get(ACCOUNT).status_code == 302
    assert user_of_session(other.cookies["sessionid"].value) is None, "sockets end as well"
    assert not SignInLink.objects.exists()
    assert changes() == [("ada", f"user {user.pk} “ada”", "on the account page")]
    assert "a good long one" not in str(AuditEntry.objects.values())


def test_an_administrator_without_a_password_sets_the_first_one():
    user = User.objects.create_user("root")
    client = signed_in(user)
    page = client.get(ACCOUNT)
    assert "Set a password" in page.text
    assert "Present password" not in page.text
    client.post(ACCOUNT, NEW)
    assert Client().login(username="root", password="a good long one")
    assert changes() == [("root", f"user {user.pk} “root”", "set for the first time")]

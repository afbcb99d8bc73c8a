"""Page of a person's own account."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.accounts import create_sign_in_link
from designer.core.http import user_of_session
from designer.core.notifications import listen, session_group
from designer.models import AuditEntry, SignInLink
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

PAGE = reverse("account")
NEW = {"new_password1": "a good long one", "new_password2": "a good long one"}
CHANGE = {"old_password": "correct horse", **NEW}


def recorded() -> list[tuple[str, str, str]]:
    rows = AuditEntry.objects.filter(action="password_changed")
    return list(rows.values_list("actor_name", "target", "detail"))


def test_a_changed_password_ends_all_other_sessions(client, user):
    other = signed_in(user)
    create_sign_in_link(user=user)
    assert f'href="{PAGE}"' in client.get("/").text

    page = client.post(PAGE, CHANGE, follow=True)

    assert "Your password is changed." in page.text
    user.refresh_from_db()
    assert user.check_password("a good long one")
    assert client.get(PAGE).status_code == 200
    assert other.get(PAGE).status_code == 302
    assert user_of_session(other.cookies["sessionid"].value) is None, "sockets end as well"
    assert not SignInLink.objects.exists()
    assert recorded() == [("ada", f"user {user.pk} “ada”", "on the account page")]
    assert "a good long one" not in str(AuditEntry.objects.values())


@pytest.mark.django_db(transaction=True)
async def test_a_changed_password_is_announced_to_open_pages(async_client, user):
    await async_client.aforce_login(user)
    async with listen([session_group(user.pk)]) as receive:
        await async_client.post(PAGE, CHANGE)
        message = await receive(10)
    assert message == {"type": "session.ended", "user": user.pk}


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"old_password": "wrong"}, "This is not your present password."),
        ({"old_password": ""}, "Present password must not be empty."),
        ({"new_password2": "another"}, "The two passwords differ: enter the new password twice."),
        ({"new_password1": "ada", "new_password2": "ada"}, "This password is too short."),
        ({"new_password1": "12345678", "new_password2": "12345678"}, "entirely numeric"),
    ],
)
def test_a_refused_password_is_explained_and_nothing_changes(client, user, values, text):
    page = client.post(PAGE, CHANGE | values)
    assert text in page.text
    user.refresh_from_db()
    assert user.check_password("correct horse")
    assert recorded() == []


def test_wrong_passwords_are_limited_like_failed_sign_ins(client, user):
    for _ in range(5):
        client.post(PAGE, CHANGE | {"old_password": "wrong"})
    assert "Too many wrong passwords." in client.post(PAGE, CHANGE).text
    user.refresh_from_db()
    assert user.check_password("correct horse")


def test_an_administrator_without_a_password_sets_the_first_one():
    user = User.objects.create_user("root")
    client = signed_in(user)
    page = client.get(PAGE)
    assert "Set a password" in page.text
    assert "Present password" not in page.text
    client.post(PAGE, NEW)
    assert Client().login(username="root", password="a good long one")
    assert recorded() == [("root", f"user {user.pk} “root”", "set for the first time")]

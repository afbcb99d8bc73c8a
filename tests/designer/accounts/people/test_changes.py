"""Changes of accounts by administrators."""

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from designer.accounts import create_sign_in_link
from designer.core.http import user_of_session
from designer.core.notifications import listen, session_group
from designer.models import Pipeline, SignInLink
from tests.conftest import signed_in
from tests.designer.accounts.people.people_pages import PEOPLE, post, recorded
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


def test_a_deactivated_user_is_signed_out_and_keeps_the_pipelines(admin_client, root, user):
    session, pipeline = signed_in(user), draw(user, "intake")
    create_sign_in_link(user=user)

    assert "“ada” is deactivated and signed out." in post(admin_client, "person_deactivate", user)

    assert session.get("/").status_code == 302
    assert user_of_session(session.cookies["sessionid"].value) is None, "sockets end as well"
    assert not SignInLink.objects.exists()
    wrong = Client().post("/sign-in/", {"username": "ada", "password": "correct horse"})
    assert "Please enter a correct user name and password" in wrong.text
    assert Pipeline.objects.filter(pk=pipeline.pk).exists()

    assert "“ada” can sign in again." in post(admin_client, "person_activate", user)
    assert session.get("/").status_code == 302, "the old session has ended for good"
    assert Client().login(username="ada", password="correct horse")
    target = f"user {user.pk} “ada”"
    assert recorded()[1:3] == [
        ("user_deactivated", "root", target, ""),
        ("sign_in_failed", "ada", "", "password"),
    ]
    assert recorded()[3] == ("user_activated", "root", target, "")


@pytest.mark.django_db(transaction=True)
async def test_a_deactivation_is_announced_to_open_pages(async_client, root, user):
    await async_client.aforce_login(root)
    async with listen([session_group(user.pk)]) as receive:
        await async_client.post(reverse("person_deactivate", args=[user.pk]))
        message = await receive(10)
    assert message == {"type": "session.ended", "user": user.pk}


def test_only_the_sessions_of_the_deactivated_user_end(admin_client, user, other_user):
    signed_in(user), signed_in(user), signed_in(other_user)
    post(admin_client, "person_deactivate", user)
    assert Session.objects.count() == 2


def test_the_last_active_administrator_stays(admin_client, root, user):
    User.objects.create_superuser("gone", is_active=False)
    for name, values in (("person_deactivate", {}), ("person_role", {"role": "user"})):
        assert "“root” is the last active administrator" in post(admin_client, name, root, **values)
    root.refresh_from_db()
    assert (root.is_active, root.is_superuser) == (True, True)
    post(admin_client, "person_role", user, role="administrator")
    page = post(admin_client, "person_role", root, role="user")
    assert "The role of “root” is now: user." in page
    assert PEOPLE not in page
    root.refresh_from_db()
    assert (root.is_staff, root.is_superuser) == (False, False)
    assert [row for row in recorded() if row[0] == "role_changed"] == [
        ("role_changed", "root", f"user {user.pk} “ada”", "administrator, was user"),
        ("role_changed", "root", f"user {root.pk} “root”", "user, was administrator"),
    ]

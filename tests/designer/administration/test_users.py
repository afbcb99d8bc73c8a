"""Users in Django's admin."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import AuditEntry
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin_client(db: None) -> Client:
    return signed_in(User.objects.create_superuser("root"))


def page_of(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def test_a_name_and_an_address_are_changed_with_an_audit_entry(admin_client, user):
    assert f'href="{page_of(user)}"' in admin_client.get("/people/").text
    form = {"username": "Ada", "email": "ada@baton.example"}
    assert admin_client.post(page_of(user), form).status_code == 302
    user.refresh_from_db()
    assert (user.username, user.email) == ("Ada", "ada@baton.example")
    entry = AuditEntry.objects.get(action="user_changed")
    assert (entry.actor_name, entry.target) == ("root", f"user {user.pk} “Ada”")
    assert entry.detail == "username “ada” to “Ada”, email “” to “ada@baton.example”"
    admin_client.post(page_of(user), form)
    assert AuditEntry.objects.filter(action="user_changed").count() == 1


def test_state_role_and_password_are_not_changed_here(admin_client, user):
    before = user.password
    rights = {"is_active": "", "is_superuser": "on", "is_staff": "on", "password": "x"}
    admin_client.post(page_of(user), {"username": "ada", "email": "", **rights})
    user.refresh_from_db()
    assert (user.is_active, user.is_superuser, user.is_staff) == (True, False, False)
    assert user.password == before
    assert before not in admin_client.get(page_of(user)).text


def test_a_used_name_is_refused(admin_client, user):
    page = admin_client.post(page_of(user), {"username": "ROOT", "email": ""}).text
    assert "There is a user “ROOT” already: choose another name." in page
    user.refresh_from_db()
    assert user.username == "ada"


def test_users_are_neither_added_nor_deleted(admin_client, user):
    assert admin_client.get(reverse("admin:auth_user_add")).status_code == 403
    page = reverse("admin:auth_user_delete", args=[user.pk])
    assert admin_client.post(page, {"post": "yes"}).status_code == 403
    action = {"action": "delete_selected", "_selected_action": user.pk, "post": "yes"}
    admin_client.post(reverse("admin:auth_user_changelist"), action)
    assert User.objects.filter(pk=user.pk).exists()

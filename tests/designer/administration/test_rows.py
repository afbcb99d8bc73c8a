"""Rows in Django's admin."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.accounts import create_sign_in_link
from designer.accounts.people.invitations import create_invitation
from designer.administration import admin_site
from designer.administration.rows import RowAdmin
from designer.models import (
    AuditEntry,
    Connection,
    Conversation,
    Invitation,
    Job,
    OpenIdIdentity,
    Pipeline,
    RecordedEvent,
    Release,
    ShareLink,
    SignInLink,
    Stage,
    Version,
)
from designer.rehearsal.actions.share_links import create_share_link
from designer.versions import publish
from tests.conftest import signed_in
from tests.designer.recorded_conversations import record_rehearsal

pytestmark = pytest.mark.django_db


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def admin_client(root: User) -> Client:
    return signed_in(root)


def page_of(row: Any) -> str:
    meta = type(row)._meta
    return reverse(f"admin:designer_{meta.model_name}_change", args=[row.pk])


@pytest.fixture
def rows(user, root) -> list[Any]:
    """Rows that the app protects by rules or secrets."""
    conversation = record_rehearsal(user)
    assert conversation.pipeline is not None
    publish(pipeline=conversation.pipeline, user=user, name="First")
    create_share_link(conversation=conversation, user=user)
    create_sign_in_link(user=user)
    create_invitation(by=root, role="user", email="", days=1)
    connection = Connection(owner=user, name="work", base_url="https://models.example/v1")
    connection.store_secrets(key="sk-canary", headers=None)
    connection.save()
    OpenIdIdentity.objects.create(user=user, issuer="https://login.example", subject="7")
    models = (
        AuditEntry, Connection, Conversation, Invitation, OpenIdIdentity, Pipeline, RecordedEvent,
        Release, SignInLink, Stage, Version, ShareLink,
    )  # fmt: skip
    return [model.objects.all()[0] for model in models]


def test_rows_are_shown_and_never_changed(admin_client, rows):
    for row in rows:
        page = page_of(row)
        response = admin_client.get(page)
        assert response.status_code == 200, page
        assert "_save" not in response.text, page
        for secret in ("digest", "token_hash", "sealed_key", "sealed_headers"):
            if value := getattr(row, secret, ""):
                assert value not in response.text, page
        assert admin_client.post(page, {"name": "changed"}).status_code == 403, page
        if not isinstance(row, OpenIdIdentity):
            deleted = admin_client.post(page.replace("change", "delete"), {"post": "yes"})
            assert deleted.status_code == 403, page
        add = page.rpartition("/")[0].rpartition("/")[0].rpartition("/")[0] + "/add/"
        assert admin_client.get(add).status_code == 403, add
        row.refresh_from_db()


def test_lists_are_searched_without_large_values(admin_client, rows, django_assert_max_num_queries):
    with django_assert_max_num_queries(12) as queries:
        html = admin_client.get("/admin/designer/conversation/", {"q": "ada"}).text
    assert "1 conversation" in html
    assert not [query for query in queries if '"definition"' in query["sql"]]
    assert "0 conversations" in admin_client.get("/admin/designer/conversation/", {"q": "x"}).text


def test_every_model_but_two_is_read_only():
    own = {type(each) for each in admin_site._registry.values()}
    assert {each.__name__ for each in own} == {"RowAdmin", "OpenIdIdentityAdmin", "UserAdmin"}
    assert issubclass(type(admin_site._registry[Job]), RowAdmin)


def test_a_link_to_a_provider_is_removed_with_an_audit_entry(admin_client, root, rows):
    identity = OpenIdIdentity.objects.get()
    page = page_of(identity).replace("change", "delete")
    assert admin_client.post(page, {"post": "yes"}).status_code == 302
    assert not OpenIdIdentity.objects.exists()
    entry = AuditEntry.objects.get(action="identity_unlinked")
    assert (entry.actor, entry.target) == (root, f"user {identity.user_id} “ada”")
    assert entry.detail == "7 at https://login.example"

"""Audit entries of actions."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from designer.audit import record_audit
from designer.models import AuditAction, AuditEntry
from designer.rehearsal.actions.conversations import start_conversation
from tests.conftest import signed_in
from tests.designer.connections.connection_pages import FIELDS, save_connection
from tests.designer.editor_requests import draw

pytestmark = pytest.mark.django_db


def entries() -> list[tuple[str, str, str, str]]:
    """Return action, user, object and details of the entries, oldest first."""
    rows = AuditEntry.objects.exclude(action=AuditAction.SIGNED_IN).order_by("pk")
    return list(rows.values_list("action", "actor_name", "target", "detail"))


def test_changes_of_permissions_are_recorded(client, user, other_user, other_client):
    pipeline = draw(user, "intake")
    target = f"pipeline {pipeline.pk} “{pipeline.name}”"
    share = reverse("share", args=[pipeline.pk])
    for role in ("viewer", "editor"):
        client.post(share, {"username": "grace", "role": role})
    client.post(reverse("unshare", args=[pipeline.pk]), {"user": other_user.pk})
    client.post(share, {"username": "grace", "role": "viewer"})
    other_client.post(reverse("leave", args=[pipeline.pk]))
    assert entries() == [
        ("pipeline_shared", "ada", target, "grace: viewer"),
        ("pipeline_shared", "ada", target, "grace: editor, was viewer"),
        ("pipeline_unshared", "ada", target, "grace, was editor"),
        ("pipeline_shared", "ada", target, "grace: viewer"),
        ("pipeline_unshared", "grace", target, "grace, was viewer"),
    ]


def test_share_links_are_recorded_once_each(client, user):
    conversation = start_conversation(pipeline=draw(user, "intake"), user=user)
    client.post(reverse("share_links", args=[conversation.pk]), {"days": "7"})
    link = conversation.share_links.get()
    for _ in range(2):
        client.post(reverse("watch_revoke", args=[conversation.pk, link.pk]))
    target = f"link {link.pk} to conversation {conversation.pk}"
    assert entries() == [
        ("share_link_created", "ada", target, "for 7 days"),
        ("share_link_revoked", "ada", target, ""),
    ]


def test_changes_of_keys_are_recorded_without_the_keys(client):
    row = save_connection(client, name="work", key="sk-canary-1", headers="X-Team: canary-2")
    address = f"/connections/{row.pk}/"
    kept = FIELDS | {"name": "work", "headers": "X-Team: ••••••"}
    client.post(address, kept | {"model": "another"})
    client.post(address, kept | {"key": "sk-canary-3"})
    client.post(address, kept | {"headers": "X-Team: canary-4\nX-New: canary-5"})
    client.post(address, FIELDS | {"name": "work", "forget_key": "on"})
    call_command("encrypt_anew")
    client.post(f"{address}delete/")
    target = f"connection {row.pk} “work”, {row.place}"
    assert entries() == [
        ("connection_added", "ada", target, "with a key, header X-Team"),
        ("key_changed", "ada", target, "key replaced"),
        ("key_changed", "ada", target, "header X-Team replaced, header X-New added"),
        ("key_changed", "ada", target, "key removed, header X-Team removed, header X-New removed"),
        ("secrets_reencrypted", "", "", "0 connections, 0 failed"),
        ("connection_deleted", "ada", target, ""),
    ]
    assert "canary" not in str(AuditEntry.objects.values())


def test_an_entry_is_stored_only_with_its_change(user):
    @transaction.atomic
    def fail_after_recording() -> None:
        record_audit(AuditAction.KEY_CHANGED, actor=user)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_recording()
    assert entries() == []


def test_an_entry_survives_its_user_and_ends_after_its_time(user, other_user, settings):
    record_audit(AuditAction.KEY_CHANGED, actor=other_user, target="x" * 500, detail="a\0b")
    other_user.delete()
    (entry,) = AuditEntry.objects.all()
    assert (entry.actor, entry.actor_name, len(entry.target)) == (None, "grace", 300)
    settings.AUDIT_DAYS = 30
    AuditEntry.objects.update(at=timezone.now() - timedelta(days=31))
    signed_in(user)
    assert [row.action for row in AuditEntry.objects.all()] == ["signed_in"]

"""Audit entries as rows."""

import pytest

from designer.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_an_action_has_its_label_and_one_of_another_version_its_value():
    assert AuditEntry(action="role_changed").action_label == "Role changed"
    assert AuditEntry(action="moon_landed").action_label == "moon_landed"


def test_an_entry_keeps_the_name_of_a_deleted_user(user):
    AuditEntry.objects.create(action="signed_in", actor=user, actor_name=user.username)
    user.delete()
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.actor_name) == (None, "ada")


def test_the_newest_entry_comes_first():
    for action in ("signed_in", "signed_out"):
        AuditEntry.objects.create(action=action, target="ada")
    assert [str(entry) for entry in AuditEntry.objects.all()] == ["signed_out ada", "signed_in ada"]

"""Invitations as rows."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from designer.models import Invitation
from designer.models.sign_in import token_digest

TOKEN = "token-of-the-tests"


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def invitation(root: User) -> Invitation:
    expires = timezone.now() + timedelta(days=1)
    return Invitation.objects.create(
        digest=token_digest(TOKEN), role="user", created_by=root, expires_at=expires
    )


def test_an_invitation_is_found_by_its_token_only(invitation):
    assert Invitation.objects.for_token(TOKEN).get() == invitation
    assert not Invitation.objects.for_token(invitation.digest).exists()
    assert not Invitation.objects.for_token("").exists()


@pytest.mark.parametrize("field", ["accepted_at", "revoked_at", "expires_at"])
def test_a_used_revoked_or_expired_invitation_is_not_open(invitation, field):
    assert Invitation.objects.open().get() == invitation
    created = timezone.now() - timedelta(days=2)
    past = created + timedelta(days=1)
    Invitation.objects.update(**{"created_at": created, field: past})
    assert not Invitation.objects.open().exists()


@pytest.mark.parametrize("field", ["is_active", "is_superuser"])
def test_invitations_of_former_administrators_are_not_open(invitation, root, field):
    setattr(root, field, False)
    root.save()
    assert not Invitation.objects.open().exists()


def test_an_invitation_cannot_expire_before_it_is_created(root):
    now = timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        Invitation.objects.create(
            digest="0" * 64, role="user", created_by=root, created_at=now, expires_at=now
        )

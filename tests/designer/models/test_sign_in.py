"""Sign-in links as rows."""

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from designer.accounts.sign_in import create_sign_in_link
from designer.models import SignInLink


def test_a_link_cannot_expire_before_it_is_created(user):
    now = timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        SignInLink.objects.create(digest="0" * 64, user=user, created_at=now, expires_at=now)


def test_only_unused_current_links_of_active_users_are_usable(user):
    token = create_sign_in_link(user=user)
    links = SignInLink.objects.for_token(token)
    assert links.usable().count() == 1
    links.update(used_at=timezone.now())
    assert not links.usable().exists()
    links.update(used_at=None)
    user.is_active = False
    user.save()
    assert not links.usable().exists()

"""Creation and use of sign-in links."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from designer.accounts.sign_in import create_sign_in_link, use_sign_in_link
from designer.models import SignInLink


def test_a_new_link_deletes_expired_links(user):
    create_sign_in_link(user=user)
    SignInLink.objects.update(
        created_at=timezone.now() - timedelta(days=2), expires_at=timezone.now() - timedelta(days=1)
    )
    create_sign_in_link(user=user)
    assert SignInLink.objects.count() == 1


def test_the_token_of_a_link_is_not_stored(user):
    token = create_sign_in_link(user=user)
    row = SignInLink.objects.values().get()
    assert token not in str(row)
    assert len(row["digest"]) == 64


@pytest.mark.django_db(transaction=True)
def test_only_one_of_simultaneous_uses_of_a_link_signs_in():
    token = create_sign_in_link(user=User.objects.create_user("ada"))
    barrier = Barrier(4)
    winners = []

    def use() -> None:
        barrier.wait()
        try:
            if use_sign_in_link(token=token):
                winners.append(1)
        finally:
            connection.close()

    threads = [Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert winners == [1]

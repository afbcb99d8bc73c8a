"""Audit entries of sign-ins and sign-outs."""

import pytest

from designer.accounts import create_sign_in_link
from designer.models import AuditEntry

pytestmark = pytest.mark.django_db


def test_every_way_to_sign_in_is_recorded_with_address_and_request(user, anonymous_client):
    response = anonymous_client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    failed = AuditEntry.objects.get()
    assert (failed.action, failed.actor, failed.actor_name) == ("sign_in_failed", None, "ada")
    assert (failed.address, failed.request_id) == ("127.0.0.1", response["X-Request-ID"])

    anonymous_client.post("/sign-in/", {"username": "ada", "password": "correct horse"})
    anonymous_client.post("/sign-out/")
    token = create_sign_in_link(user=user)
    anonymous_client.post(f"/sign-in/{token}/")
    rows = AuditEntry.objects.order_by("pk").values_list("action", "actor_name", "detail")
    assert list(rows)[1:] == [
        ("signed_in", "ada", "password"),
        ("signed_out", "ada", ""),
        ("sign_in_link_created", "", ""),
        ("signed_in", "ada", "sign-in link"),
    ]
    assert "wrong" not in str(AuditEntry.objects.values())
    assert token not in str(AuditEntry.objects.values())


def test_blocked_attempts_do_not_fill_the_table(user, anonymous_client):
    for _ in range(8):
        anonymous_client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    assert AuditEntry.objects.count() == 5

"""Sign-in by password, its limit on failed attempts, and its log."""

import logging

import pytest
from django.test import Client

from designer.accounts.sign_in_limits import MAX_FAILURES_OF_ADDRESS

pytestmark = pytest.mark.django_db


def sign_in(username: str, password: str, address: str = "192.0.2.1", forwarded: str = "") -> str:
    """Sign in from an address; return the page, or an empty text after success."""
    form = {"username": username, "password": password}
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    response = Client(REMOTE_ADDR=address).post("/sign-in/", form, headers=headers)
    return response.text if response.status_code == 200 else ""


def test_after_five_wrong_passwords_the_right_one_is_blocked_too(user):
    for _ in range(5):
        assert "Please enter a correct user name and password" in sign_in("ada", "wrong")
    for name in ("ada", "ADA"):
        assert "Wait 15 minutes" in sign_in(name, "correct horse")
    assert sign_in("ada", "correct horse", address="192.0.2.2") == ""
    assert "Wait" not in sign_in("grace", "wrong")


def test_signing_in_resets_the_count_of_wrong_passwords(user):
    for _ in range(3):
        for _ in range(4):
            sign_in("ada", "wrong")
        assert sign_in("ada", "correct horse") == ""


def test_an_empty_password_does_not_reset_the_count(user):
    for _ in range(4):
        sign_in("ada", "wrong")
    sign_in("ada", "")
    assert "Wait 15 minutes" in sign_in("ada", "wrong")


def test_one_failing_user_locks_out_nobody_else_behind_the_same_proxy(user, settings):
    settings.TRUSTED_PROXIES = 1
    for _ in range(20):
        sign_in("grace", "wrong", address="10.0.0.1", forwarded="192.0.2.7")
    assert sign_in("ada", "correct horse", address="10.0.0.1", forwarded="192.0.2.8") == ""
    assert sign_in("ada", "correct horse", address="10.0.0.1", forwarded="192.0.2.7") == ""


def test_clients_behind_a_proxy_are_counted_by_their_own_addresses(user, settings):
    settings.TRUSTED_PROXIES = 1
    for number in range(5):
        sign_in("ada", "wrong", address="10.0.0.1", forwarded=f"203.0.113.{number}, 192.0.2.7")
    text = sign_in("ada", "correct horse", address="10.0.0.1", forwarded="192.0.2.7")
    assert "Wait 15 minutes" in text
    assert sign_in("ada", "correct horse", address="10.0.0.1", forwarded="192.0.2.8") == ""


def test_many_failures_from_one_address_block_it_for_every_name(user):
    for number in range(MAX_FAILURES_OF_ADDRESS):
        assert "Wait" not in sign_in(f"name-{number}", "wrong")
    assert "Wait 15 minutes" in sign_in("ada", "correct horse")
    assert sign_in("ada", "correct horse", address="192.0.2.2") == ""


def test_sign_ins_are_logged_without_the_password(user, caplog):
    caplog.set_level(logging.INFO, "designer.accounts.sign_in")
    sign_in("ada\nforged", "wrong")
    sign_in("ada", "correct horse")
    sign_in("ada", "")
    for _ in range(5):
        sign_in("ada", "wrong")
    lines = [
        (record.levelname, record.getMessage())
        for record in caplog.records
        if record.name == "designer.accounts.sign_in"
    ]
    assert lines[0] == (
        "WARNING",
        r"Sign-in failed: name 'ada\nforged', address 192.0.2.1",
    )
    assert lines[1] == ("INFO", "Sign-in succeeded: name 'ada', address 192.0.2.1")
    assert lines[2] == ("WARNING", "Sign-in failed: name 'ada', address 192.0.2.1")
    assert lines[-1] == ("WARNING", "Sign-in blocked: name 'ada', address 192.0.2.1")
    assert len(lines) == 8
    assert "horse" not in caplog.text
    assert "wrong" not in caplog.text

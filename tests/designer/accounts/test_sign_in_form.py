"""Sign-in by password and its limit on attempts."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client


@pytest.fixture
def empty_cache() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def sign_in(username: str, password: str, address: str = "192.0.2.1") -> str:
    """Sign in from an address; return the page, or an empty text after success."""
    form = {"username": username, "password": password}
    response = Client(REMOTE_ADDR=address).post("/sign-in/", form)
    return response.text if response.status_code == 200 else ""


@pytest.mark.usefixtures("empty_cache")
def test_after_five_wrong_passwords_the_right_one_is_blocked_too(user):
    for _ in range(5):
        assert "Please enter a correct username and password" in sign_in("ada", "wrong")
    for name in ("ada", "ADA"):
        assert "Wait 15 minutes" in sign_in(name, "correct horse")
    assert sign_in("ada", "correct horse", address="192.0.2.2") == ""
    assert "Wait" not in sign_in("grace", "wrong")


@pytest.mark.usefixtures("empty_cache")
def test_signing_in_resets_the_count_of_wrong_passwords(user):
    for _ in range(3):
        for _ in range(4):
            sign_in("ada", "wrong")
        assert sign_in("ada", "correct horse") == ""


@pytest.mark.usefixtures("empty_cache")
def test_an_empty_password_does_not_reset_the_count(user):
    for _ in range(4):
        sign_in("ada", "wrong")
    sign_in("ada", "")
    assert "Wait 15 minutes" in sign_in("ada", "wrong")

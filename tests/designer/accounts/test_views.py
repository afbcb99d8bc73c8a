"""Pages for signing in."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from designer.accounts.sign_in import create_sign_in_link
from designer.models import SignInLink


@pytest.fixture
def path(user: User) -> str:
    return f"/sign-in/{create_sign_in_link(user=user)}/"


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_the_link_shows_a_button_and_the_button_signs_in(anonymous_client, user, path):
    page = anonymous_client.get(path)
    assert "Sign in as ada" in page.text
    assert "no-store" in page["Cache-Control"]

    response = anonymous_client.post(path)

    assert (response.status_code, response["Location"]) == (302, "/")
    assert anonymous_client.session["_auth_user_id"] == str(user.pk)


def test_viewing_the_link_does_not_use_it(anonymous_client, path):
    for _ in range(3):
        assert anonymous_client.get(path).status_code == 200
    assert not is_signed_in(anonymous_client)


def test_a_link_works_once(anonymous_client, path):
    anonymous_client.post(path)
    second = Client()
    assert second.post(path).status_code == 410
    assert "no longer valid" in second.get(path).text
    assert not is_signed_in(second)


def test_sign_ins_by_link_are_logged_without_the_link(anonymous_client, path, caplog):
    caplog.set_level(logging.INFO, "designer.accounts.sign_in")
    for _ in range(2):
        anonymous_client.get(path)
        anonymous_client.post(path)
    lines = [
        (record.levelname, record.getMessage())
        for record in caplog.records
        if record.name == "designer.accounts.sign_in"
    ]
    assert lines == [
        ("INFO", "Sign-in by link succeeded: name 'ada', address 127.0.0.1"),
        ("WARNING", "Sign-in by link failed: address 127.0.0.1"),
    ]
    assert path not in str(lines)


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_unknown_link_is_invalid(anonymous_client, db, method):
    assert getattr(anonymous_client, method)("/sign-in/guessed/").status_code == 410


def test_a_link_expires_after_a_day(anonymous_client, path):
    a_day_ago = timezone.now() - timedelta(hours=24)
    SignInLink.objects.update(created_at=a_day_ago - timedelta(seconds=1), expires_at=a_day_ago)
    assert anonymous_client.post(path).status_code == 410


def test_a_link_of_an_inactive_user_is_invalid(anonymous_client, user, path):
    user.is_active = False
    user.save()
    assert anonymous_client.post(path).status_code == 410


def test_the_button_has_csrf_protection(path):
    assert Client(enforce_csrf_checks=True).post(path).status_code == 403


def test_a_password_signs_in_and_a_wrong_one_is_reported(anonymous_client, user):
    wrong = anonymous_client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    assert "Please enter a correct user name and password" in wrong.text

    right = {"username": "ada", "password": "correct horse", "next": "/somewhere/"}
    response = anonymous_client.post("/sign-in/", right)

    assert response["Location"] == "/somewhere/"
    assert is_signed_in(anonymous_client)


def test_signing_in_never_redirects_to_another_site(anonymous_client, user):
    form = {"username": "ada", "password": "correct horse", "next": "https://evil.example/"}
    assert anonymous_client.post("/sign-in/", form)["Location"] == "/"


def test_only_sign_in_and_shared_pages_are_visible_without_a_session():
    """Walk every route: LoginRequiredMiddleware protects all views except the declared ones."""
    open_views = {
        pattern.name
        for pattern in routes(get_resolver().url_patterns)
        if not getattr(pattern.callback, "login_required", True)
    }
    panes = {"events", "event", "earlier", "track", "sums", "timeline", "contexts", "variants"}
    assert open_views == {
        "accept_invitation",
        "definition_schema",  # for editors without a session
        "login",  # of the admin, which leads to "sign_in"
        "newest_schema",
        "openid_callback",
        "openid_sign_in",
        "password_reset",
        "password_reset_link",
        "sign_in",
        "sign_in_by_link",
        "watch",
        *(f"watch_{name}" for name in {*panes, "agui"}),
    }


def routes(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        else:
            yield from routes(pattern.url_patterns)

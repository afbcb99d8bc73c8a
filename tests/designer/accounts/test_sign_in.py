"""Signing in by password and by link."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from threading import Barrier, Thread

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from designer.accounts.sign_in import create_sign_in_link, use_sign_in_link
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


def test_looking_at_the_link_does_not_use_it_up(anonymous_client, path):
    for _ in range(3):
        assert anonymous_client.get(path).status_code == 200
    assert not is_signed_in(anonymous_client)


def test_a_link_works_once(anonymous_client, path):
    anonymous_client.post(path)
    second = Client()
    assert second.post(path).status_code == 410
    assert "no longer valid" in second.get(path).text
    assert not is_signed_in(second)


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_link_that_never_was_is_not_valid(anonymous_client, db, method):
    assert getattr(anonymous_client, method)("/sign-in/guessed/").status_code == 410


def test_a_link_is_too_old_after_a_day(anonymous_client, path):
    a_day_ago = timezone.now() - timedelta(hours=24)
    SignInLink.objects.update(created_at=a_day_ago - timedelta(seconds=1), expires_at=a_day_ago)
    assert anonymous_client.post(path).status_code == 410


def test_a_link_of_someone_who_may_no_longer_sign_in_is_not_valid(anonymous_client, user, path):
    user.is_active = False
    user.save()
    assert anonymous_client.post(path).status_code == 410


def test_the_button_is_guarded_against_other_sites(path):
    assert Client(enforce_csrf_checks=True).post(path).status_code == 403


def test_a_new_link_sweeps_out_the_old_ones(user, path):
    SignInLink.objects.update(
        created_at=timezone.now() - timedelta(days=2), expires_at=timezone.now() - timedelta(days=1)
    )
    create_sign_in_link(user=user)
    assert SignInLink.objects.count() == 1


def test_the_database_does_not_hold_the_token(user):
    token = create_sign_in_link(user=user)
    row = SignInLink.objects.values().get()
    assert token not in str(row)
    assert len(row["digest"]) == 64


def test_the_database_refuses_a_link_that_expires_before_it_begins(user):
    now = timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        SignInLink.objects.create(digest="0" * 64, user=user, created_at=now, expires_at=now)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_use_a_link_at_once_one_signs_in():
    token = create_sign_in_link(user=User.objects.create_user("ada"))
    together = Barrier(4)
    winners = []

    def use() -> None:
        together.wait()
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


def test_a_password_signs_in_and_a_wrong_one_is_told(anonymous_client, user):
    wrong = anonymous_client.post("/sign-in/", {"username": "ada", "password": "wrong"})
    assert "Please enter a correct username and password" in wrong.text

    right = {"username": "ada", "password": "correct horse", "next": "/somewhere/"}
    response = anonymous_client.post("/sign-in/", right)

    assert response["Location"] == "/somewhere/"
    assert is_signed_in(anonymous_client)


@pytest.fixture
def no_tries() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def sign_in(username: str, password: str, address: str = "192.0.2.1") -> str:
    """Try a password from an address; what the page says, or nothing where it let in."""
    form = {"username": username, "password": password}
    response = Client(REMOTE_ADDR=address).post("/sign-in/", form)
    return response.text if response.status_code == 200 else ""


@pytest.mark.usefixtures("no_tries")
def test_after_five_wrong_passwords_the_right_one_waits_too(user):
    for _ in range(5):
        assert "Please enter a correct username and password" in sign_in("ada", "wrong")
    for name in ("ada", "ADA"):
        assert "Wait 15 minutes" in sign_in(name, "correct horse")
    assert sign_in("ada", "correct horse", address="192.0.2.2") == ""
    assert "Wait" not in sign_in("grace", "wrong")


@pytest.mark.usefixtures("no_tries")
def test_signing_in_forgets_the_wrong_passwords_before(user):
    for _ in range(3):
        for _ in range(4):
            sign_in("ada", "wrong")
        assert sign_in("ada", "correct horse") == ""


@pytest.mark.usefixtures("no_tries")
def test_leaving_the_password_out_does_not_begin_the_count_anew(user):
    for _ in range(4):
        sign_in("ada", "wrong")
    sign_in("ada", "")
    assert "Wait 15 minutes" in sign_in("ada", "wrong")


def test_after_signing_in_nobody_is_sent_to_another_site(anonymous_client, user):
    form = {"username": "ada", "password": "correct horse", "next": "https://evil.example/"}
    assert anonymous_client.post("/sign-in/", form)["Location"] == "/"


def test_signing_out_takes_a_post(client):
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert not is_signed_in(client)


def test_only_the_pages_for_signing_in_are_seen_without_a_session():
    """Walk every route: LoginRequiredMiddleware guards a view unless the view says otherwise.

    What is watched is seen by who has the link.
    """
    open_views = {
        pattern.name
        for pattern in routes(get_resolver().url_patterns)
        if not getattr(pattern.callback, "login_required", True)
    }
    watched = {"events", "event", "earlier", "track", "timeline", "contexts", "agui"}
    assert open_views == {
        "sign_in",
        "sign_in_by_link",
        "watch",
        *(f"watch_{one}" for one in watched),
    }


def routes(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern
        else:
            yield from routes(pattern.url_patterns)


def test_the_command_prints_a_link_that_works(anonymous_client, user):
    output = StringIO()
    call_command("sign_in_link", username="ada", base_url="http://127.0.0.1:8000/", stdout=output)
    link = output.getvalue().strip()
    assert link.startswith("http://127.0.0.1:8000/sign-in/")
    anonymous_client.post(link.removeprefix("http://127.0.0.1:8000"))
    assert is_signed_in(anonymous_client)


def test_the_command_names_a_user_that_is_not_there(db):
    with pytest.raises(CommandError, match="no active user 'nobody'"):
        call_command("sign_in_link", username="nobody")

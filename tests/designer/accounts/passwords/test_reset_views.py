"""A new password by a link in a mail."""

import re
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from designer.accounts.mail import send_later
from designer.models import AuditEntry
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db

REQUEST = reverse("password_reset")
SIGN_IN = reverse("sign_in")
NEW = {"new_password1": "a good long one", "new_password2": "a good long one"}


@pytest.fixture(autouse=True)
def mail_server(settings: LazySettings) -> None:
    settings.MAIL_ENABLED = True


@pytest.fixture
def ada(user: User) -> User:
    user.email = "Ada@baton.example"
    user.save()
    return user


def request_for(email: str) -> str:
    """Request a mail and return the page after it."""
    page = Client().post(REQUEST, {"email": email}, follow=True)
    send_later(lambda: None).result(timeout=60)  # mails are sent in order
    return page.text


def requests() -> list[tuple[str, str]]:
    rows = AuditEntry.objects.filter(action="password_reset_requested").order_by("pk")
    return list(rows.values_list("actor_name", "target"))


def link_in(text: object) -> str:
    found = re.search(r"http://testserver(/password-reset/\S+)", str(text))
    assert found
    return found[1]


def open_link(client: Client, link: str) -> str:
    """Follow the link to the form, whose address does not contain the token; return it."""
    response = client.get(link)
    assert response.status_code == 302
    return str(response["Location"])


def test_a_mail_leads_to_a_new_password_once(ada):
    other = signed_in(ada)
    assert "a mail with a link is on its way" in request_for("ada@BATON.example")
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["Ada@baton.example"], "Set a new password for Baton")
    assert 'user name "ada" on testserver' in message.body
    link = link_in(message.body)

    client = Client()
    form = open_link(client, link)
    assert link.rpartition("/")[0].rpartition("/")[2] not in form
    assert "The two passwords differ" in client.post(form, NEW | {"new_password2": "x"}).text
    page = client.post(form, NEW, follow=True)
    assert "Your password is changed: sign in with it." in page.text
    assert Client().login(username="ada", password="a good long one")
    assert other.get("/account/").status_code == 302, "other sessions have ended"

    assert Client().get(link).status_code == 410
    assert client.post(form, NEW).status_code == 410
    assert requests() == [("ada@BATON.example", f"user {ada.pk} “ada”")]
    changed = AuditEntry.objects.get(action="password_changed")
    assert (changed.actor, changed.detail) == (ada, "with a reset link")
    assert link.split("/")[3] not in str(AuditEntry.objects.values())


def test_the_response_does_not_tell_which_accounts_exist(ada):
    User.objects.create_user("gone", "gone@baton.example", "x", is_active=False)
    User.objects.create_user("linked", "linked@baton.example")  # without a password
    known, *others = (
        re.sub(r'value="[^"]*"|X-CSRFToken": "\w+', "", request_for(f"{name}@baton.example"))
        for name in ("ada", "gone", "linked", "nobody")
    )
    assert {known} == set(others)
    assert [message.to for message in mail.outbox] == [["Ada@baton.example"]]
    assert requests()[1:] == [
        (f"{name}@baton.example", "no account with a password")
        for name in ("gone", "linked", "nobody")
    ]


@pytest.mark.parametrize("name", ["ada", "nobody"])
def test_mails_to_one_address_are_limited(ada, name):
    for _ in range(5):
        assert "on its way" in request_for(f"{name}@baton.example")
    assert "Too many requests for a new password." in request_for(f"{name}@baton.example")
    assert len(requests()) == 5
    assert "on its way" in request_for("other@baton.example")


def test_an_invalid_address_is_explained(db):
    assert "Enter an e-mail address such as" in request_for("nowhere")
    assert "E-mail address must not be empty." in request_for("")


def test_a_new_password_unblocks_the_sign_in(ada):
    for _ in range(6):
        Client().post(SIGN_IN, {"username": "ada", "password": "wrong"})
    request_for("ada@baton.example")
    client = Client()
    client.post(open_link(client, link_in(mail.outbox[0].body)), NEW)
    response = client.post(SIGN_IN, {"username": "ada", "password": "a good long one"})
    assert response.status_code == 302


class OldTokens(PasswordResetTokenGenerator):
    """Tokens made an hour and a second ago."""

    def _now(self) -> datetime:
        return datetime.now() - timedelta(hours=1, seconds=1)  # noqa: DTZ005 - as Django does


def test_a_link_expires_after_an_hour(ada):
    uid = urlsafe_base64_encode(force_bytes(ada.pk))
    link = reverse("password_reset_link", args=[uid, OldTokens().make_token(ada)])
    page = Client().get(link)
    assert page.status_code == 410
    assert "This link is no longer valid" in page.text


def test_without_a_mail_server_nothing_is_offered(settings, anonymous_client):
    assert f'href="{REQUEST}"' in anonymous_client.get(SIGN_IN).text
    settings.MAIL_ENABLED = False
    assert f'href="{REQUEST}"' not in anonymous_client.get(SIGN_IN).text
    assert anonymous_client.get(REQUEST).status_code == 404
    assert anonymous_client.post(REQUEST, {"email": "ada@baton.example"}).status_code == 404

"""A new password by a link in a mail."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from designer.models import AuditEntry
from tests.conftest import signed_in
from tests.designer.accounts.passwords.password_pages import (
    NEW,
    REQUEST,
    SIGN_IN,
    link_in,
    open_link,
    request_for,
    requests,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mail_server")]


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

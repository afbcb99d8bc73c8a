"""Forms for passwords: refused input, and the limit on wrong passwords."""

import pytest
from django.core import mail
from django.test import Client

from tests.designer.accounts.passwords.password_pages import (
    ACCOUNT,
    CHANGE,
    NEW,
    SIGN_IN,
    changes,
    link_in,
    open_link,
    request_for,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"old_password": "wrong"}, "This is not your present password."),
        ({"old_password": ""}, "Present password must not be empty."),
        ({"new_password2": "another"}, "The two passwords differ: enter the new password twice."),
        ({"new_password1": "ada", "new_password2": "ada"}, "This password is too short."),
        ({"new_password1": "12345678", "new_password2": "12345678"}, "entirely numeric"),
    ],
)
def test_a_refused_password_is_explained_and_nothing_changes(client, user, values, text):
    page = client.post(ACCOUNT, CHANGE | values)
    assert text in page.text
    user.refresh_from_db()
    assert user.check_password("correct horse")
    assert changes() == []


def test_wrong_passwords_are_limited_like_failed_sign_ins(client, user):
    for _ in range(5):
        client.post(ACCOUNT, CHANGE | {"old_password": "wrong"})
    assert "Too many wrong passwords." in client.post(ACCOUNT, CHANGE).text
    user.refresh_from_db()
    assert user.check_password("correct horse")


@pytest.mark.usefixtures("mail_server")
def test_a_new_password_unblocks_the_sign_in(ada):
    for _ in range(6):
        Client().post(SIGN_IN, {"username": "ada", "password": "wrong"})
    request_for("ada@baton.example")
    client = Client()
    client.post(open_link(client, link_in(mail.outbox[0].body)), NEW)
    response = client.post(SIGN_IN, {"username": "ada", "password": "a good long one"})
    assert response.status_code == 302

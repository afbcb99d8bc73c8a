"""The form that requests a mail with a link for a new password."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail

from tests.designer.accounts.passwords.password_pages import request_for, requests

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("mail_server")]


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

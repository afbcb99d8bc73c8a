"""Requests to the pages for passwords, and the audit entries and mails that they cause."""

import re

from django.test import Client
from django.urls import reverse

from designer.accounts.mail import send_later
from designer.models import AuditEntry

ACCOUNT = reverse("account")
REQUEST = reverse("password_reset")
SIGN_IN = reverse("sign_in")
NEW = {"new_password1": "a good long one", "new_password2": "a good long one"}
CHANGE = {"old_password": "correct horse", **NEW}


def changes() -> list[tuple[str, str, str]]:
    """Return user, object and details of the audit entries of changed passwords."""
    rows = AuditEntry.objects.filter(action="password_changed")
    return list(rows.values_list("actor_name", "target", "detail"))


def requests() -> list[tuple[str, str]]:
    """Return user and object of the audit entries of requested mails, oldest first."""
    rows = AuditEntry.objects.filter(action="password_reset_requested").order_by("pk")
    return list(rows.values_list("actor_name", "target"))


def request_for(email: str) -> str:
    """Request a mail and return the page after it."""
    page = Client().post(REQUEST, {"email": email}, follow=True)
    send_later(lambda: None).result(timeout=60)  # mails are sent in order
    return page.text


def link_in(text: object) -> str:
    """Return the link for a new password in a mail."""
    found = re.search(r"http://testserver(/password-reset/\S+)", str(text))
    assert found
    return found[1]


def open_link(client: Client, link: str) -> str:
    """Follow the link to the form, whose address does not contain the token; return it."""
    response = client.get(link)
    assert response.status_code == 302
    return str(response["Location"])

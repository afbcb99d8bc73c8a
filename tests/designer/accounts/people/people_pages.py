"""Requests to the page with all people, and the audit entries that they cause."""

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from designer.models import AuditEntry

PEOPLE = reverse("people")
INVITE = reverse("invite")


def post(client: Client, name: str, user: User, **values: str) -> str:
    """Change a user and return the page after it."""
    return client.post(reverse(name, args=[user.pk]), values, follow=True).text


def recorded() -> list[tuple[str, str, str, str]]:
    """Return action, user, object and details of the audit entries, oldest first."""
    rows = AuditEntry.objects.exclude(action="signed_in").order_by("pk")
    return list(rows.values_list("action", "actor_name", "target", "detail"))

"""An invitation, its page, and valid input for its form."""

from django.contrib.auth.models import User
from django.urls import reverse

from designer.accounts.people.invitations import create_invitation

FORM = {
    "username": "new",
    "new_password1": "a good long one",
    "new_password2": "a good long one",
}


def invite(by: User, role: str = "user") -> str:
    """Create an invitation; return its token."""
    return create_invitation(by=by, role=role, email="new@baton.example", days=7)


def path(token: str) -> str:
    """Return the address of the page of an invitation."""
    return reverse("accept_invitation", args=[token])

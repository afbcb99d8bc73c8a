"""Creation of the first administrator."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer.accounts.people.users import create_user, is_taken
from designer.core import RefusedError
from designer.models import AccountRole


def create_administrator(*, username: str, email: str = "") -> User:
    """Create an active administrator without a password, who signs in by link first."""
    if is_taken(username):
        raise RefusedError(
            f"There is a user “{username}” already: choose another name, or run manage.py "
            "sign_in_link for a link.",
            field="username",
        )
    return create_user(
        username=username,
        email=email,
        role=AccountRole.ADMINISTRATOR,
        password=None,
        detail="by create_admin",
        by_itself=False,
    )

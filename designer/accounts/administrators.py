"""Creation of the first administrator."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer.core import RefusedError, atomic_action


@atomic_action
def create_administrator(*, username: str, email: str = "") -> User:
    """Create an active administrator without a password, who signs in by link first."""
    if User.objects.filter(username__iexact=username).exists():
        raise RefusedError(
            f"There is a user “{username}” already: choose another name, or run manage.py "
            "sign_in_link for a link.",
            field="username",
        )
    user = User(username=username, email=email, is_staff=True, is_superuser=True, is_active=True)
    user.set_unusable_password()
    user.full_clean()
    user.save()
    return user

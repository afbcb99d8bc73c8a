"""Creation and roles of users."""

from __future__ import annotations

from django.contrib.auth.models import User

from designer.audit import record_audit
from designer.core import RefusedError, atomic_action
from designer.models import AccountRole, AuditAction


def user_target(user: User) -> str:
    """Return the name of a user in the audit trail."""
    return f"user {user.pk} “{user}”"


def role_of(user: User) -> AccountRole:
    """Return the role of a user."""
    return AccountRole.ADMINISTRATOR if user.is_superuser else AccountRole.USER


def apply_role(user: User, role: str) -> None:
    """Set Django's fields for a role, without saving."""
    user.is_staff = user.is_superuser = role == AccountRole.ADMINISTRATOR


def is_taken(username: str) -> bool:
    """Report whether there is a user with this name, in any case of letters."""
    return User.objects.filter(username__iexact=username).exists()


@atomic_action
def create_user(
    *, username: str, email: str, role: str, password: str | None, detail: str, by_itself: bool
) -> User:
    """Create an active user. Without a password the person signs in by other means."""
    if is_taken(username):
        message = f"There is a user “{username}” already: choose another name."
        raise RefusedError(message, field="username")
    user = User(username=username, email=email, is_active=True)
    apply_role(user, role)
    user.set_password(password)
    user.full_clean()
    user.save()
    record_audit(
        AuditAction.USER_CREATED,
        actor=user if by_itself else None,
        target=user_target(user),
        detail=f"{role}, {detail}",
    )
    return user

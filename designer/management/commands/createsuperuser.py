"""`manage.py createsuperuser`: create an administrator with a password, with an audit entry."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User

from designer.audit import record_audit
from designer.models import AuditAction


class Command(createsuperuser.Command):
    """Django's command, followed by an entry in the audit trail."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Ask for the fields and store the user; raises CommandError as Django's command does."""
        last = User.objects.order_by("pk").values_list("pk", flat=True).last() or 0
        result = super().handle(*args, **options)
        for user in User.objects.filter(pk__gt=last, is_superuser=True):
            record_audit(
                AuditAction.USER_CREATED,
                target=f"user {user.pk} “{user}”",
                detail="administrator, by manage.py createsuperuser",
            )
        return result

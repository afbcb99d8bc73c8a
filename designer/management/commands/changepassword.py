"""`manage.py changepassword`: set a password in the terminal, with an audit entry."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.management.commands import changepassword
from django.contrib.auth.models import User

from designer.accounts import finish_password_change


class Command(changepassword.Command):
    """Django's command, followed by what each change of a password in Baton does."""

    def handle(self, *args: Any, **options: Any) -> str | None:
        """Ask for the password and store it; raises CommandError as Django's command does."""
        result = super().handle(*args, **options)
        user = User.objects.get(username=options["username"])
        finish_password_change(user=user, actor=None, detail="by manage.py changepassword")
        return result

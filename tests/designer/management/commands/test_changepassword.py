"""`manage.py changepassword`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.management import call_command, get_commands

from designer.accounts import create_sign_in_link
from designer.management.commands.changepassword import Command
from designer.models import AuditEntry, SignInLink

PASSWORD = "a good long one"


class AtTheTerminal(Command):
    """The command with the answers of a person."""

    def _get_pass(self, prompt: str = "") -> str:
        return PASSWORD


def test_manage_py_runs_the_command_of_baton() -> None:
    assert get_commands()["changepassword"] == "designer"


def test_the_new_password_is_recorded_and_ends_sign_in_links(user: User, capsys) -> None:
    create_sign_in_link(user=user)
    call_command(AtTheTerminal(), user.get_username())
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    entry = AuditEntry.objects.get(action="password_changed")
    assert (entry.actor, entry.detail) == (None, "by manage.py changepassword")
    assert f"“{user}”" in entry.target
    assert not SignInLink.objects.exists()

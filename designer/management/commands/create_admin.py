"""`manage.py create_admin`: create the first administrator and print a sign-in link."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.accounts import create_administrator
from designer.core import RefusedError
from designer.management.commands.sign_in_link import default_base_url, sign_in_url


class Command(BaseCommand):
    """Create an administrator without a password; the link signs in once."""

    help = (
        "Create an administrator, who may invite and deactivate people, and print a one-time "
        "sign-in link, valid for 24 hours. The administrator then sets a password on the page "
        "Account."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user and the base address of the link."""
        parser.add_argument("--username", default="admin", help="name of the user (admin)")
        parser.add_argument("--email", default="", help="address for resetting the password")
        parser.add_argument("--base-url", help="address of the server; by default of the settings")

    def handle(
        self, *args: Any, username: str, email: str, base_url: str | None, **options: Any
    ) -> None:
        """Create the user and print the link on a line of its own."""
        try:
            user = create_administrator(username=username, email=email)
        except RefusedError as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            fields = "; ".join(
                f"--{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()
            )
            raise CommandError(f"The administrator was not created. {fields}") from error
        self.stdout.write(sign_in_url(base_url or default_base_url(), user))

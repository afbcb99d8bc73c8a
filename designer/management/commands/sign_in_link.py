"""`manage.py sign_in_link`: print a link that signs one person in, once."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from designer.accounts import create_sign_in_link


class Command(BaseCommand):
    """Print a one-time sign-in link for a user that exists."""

    help = "Print a link that signs a user in once, within 24 hours."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user and the address that the link begins with."""
        parser.add_argument("--username", default="demo", help="whom it signs in (demo)")
        parser.add_argument(
            "--base-url",
            default="http://127.0.0.1:8000",
            help="where the server answers (http://127.0.0.1:8000)",
        )

    def handle(self, *args: Any, username: str, base_url: str, **options: Any) -> None:
        """Make the link and print it alone on a line."""
        try:
            user = User.objects.get(username=username, is_active=True)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no active user {username!r}.") from error
        self.stdout.write(sign_in_url(base_url, user))


def sign_in_url(base_url: str, user: User) -> str:
    """Return the address of a fresh sign-in link for `user` below `base_url`."""
    path = reverse("sign_in_by_link", args=[create_sign_in_link(user=user)])
    return base_url.rstrip("/") + path

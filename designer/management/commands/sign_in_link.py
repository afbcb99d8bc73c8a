"""`manage.py sign_in_link`: print a one-time sign-in link."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from designer.accounts import create_sign_in_link


class Command(BaseCommand):
    """Print a one-time sign-in link for an existing user."""

    help = "Print a one-time sign-in link, valid for 24 hours."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user and the base address of the link."""
        parser.add_argument("--username", default="demo", help="user to sign in (demo)")
        parser.add_argument("--base-url", help="address of the server; by default of the settings")

    def handle(self, *args: Any, username: str, base_url: str | None, **options: Any) -> None:
        """Create the link and print it on a line of its own."""
        try:
            user = User.objects.get(username=username, is_active=True)
        except User.DoesNotExist as error:
            raise CommandError(
                f"There is no active user {username!r}: check --username."
            ) from error
        self.stdout.write(sign_in_url(base_url or default_base_url(), user))


def default_base_url() -> str:
    """Return the address of the first allowed host in production, otherwise of loopback."""
    hosts = [host for host in settings.ALLOWED_HOSTS if not host.startswith(".")]
    return f"https://{hosts[0]}" if settings.PRODUCTION and hosts else "http://127.0.0.1:8000"


def sign_in_url(base_url: str, user: User) -> str:
    """Create a sign-in link for `user` and return its address."""
    path = reverse("sign_in_by_link", args=[create_sign_in_link(user=user)])
    return base_url.rstrip("/") + path

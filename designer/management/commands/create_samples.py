"""`manage.py create_samples`: create the sample pipelines for a new user."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.pipelines import create_samples


class Command(BaseCommand):
    """Create the missing samples of a user.

    By default only for users who have never signed in: others may have deleted samples.
    """

    help = "Create the sample pipelines for a user who has not signed in yet."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user and the option to restore deleted samples."""
        parser.add_argument("--username", default="demo", help="owner of the samples (demo)")
        parser.add_argument(
            "--again",
            action="store_true",
            help="create missing samples even if the user has signed in before",
        )

    def handle(
        self, *args: Any, username: str, again: bool, verbosity: int, **options: Any
    ) -> None:
        """Create the samples and print their names."""
        try:
            user = User.objects.get(username=username)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no user {username!r}: check --username.") from error
        if user.last_login is not None and not again:
            return
        for pipeline in create_samples(user=user):
            if verbosity:
                self.stdout.write(f"Created {pipeline.name}")

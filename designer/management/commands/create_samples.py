"""`manage.py create_samples`: give one person the sample pipelines, once."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.pipelines import create_samples


class Command(BaseCommand):
    """Create the samples that the person does not have.

    Only for someone who has never signed in: later on, samples that are missing were deleted.
    """

    help = "Create the sample pipelines for a user who has not signed in yet."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user, and whether deleted samples are to come back."""
        parser.add_argument("--username", default="demo", help="whose they will be (demo)")
        parser.add_argument(
            "--again",
            action="store_true",
            help="create those that are missing, although the user has been here before",
        )

    def handle(
        self, *args: Any, username: str, again: bool, verbosity: int, **options: Any
    ) -> None:
        """Create them, and name them."""
        try:
            user = User.objects.get(username=username)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no user {username!r}.") from error
        if user.last_login is not None and not again:
            return
        for pipeline in create_samples(user=user):
            if verbosity:
                self.stdout.write(f"Created {pipeline.name}")

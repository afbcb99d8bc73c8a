"""`manage.py doctor`: examine the installation."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.doctor import Finding, check_url, examine

STYLES = {"ok": "SUCCESS", "warning": "WARNING", "error": "ERROR"}


class Command(BaseCommand):
    """Print the state of every part of the installation, with fixes."""

    help = "Check settings, database, channel layer, runs, mail, addresses and versions."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the public address."""
        parser.add_argument("--url", help="also request this public address of the server")

    def handle(self, *args: Any, url: str | None, **options: Any) -> None:
        """Print the findings; fail if one of them is an error."""
        errors = 0
        for finding in examine():
            errors += self._print(finding)
        if url:
            errors += self._print(check_url(url))
        if errors:
            raise CommandError(f"{errors} problems must be fixed: see the lines with “error”.")

    def _print(self, finding: Finding) -> bool:
        style = getattr(self.style, STYLES[finding.level])
        self.stdout.write(f"{style(f'{finding.level:8}')}{finding.subject}: {finding.text}")
        if finding.fix:
            self.stdout.write(f"        {finding.fix}")
        return finding.level == "error"

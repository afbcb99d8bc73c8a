"""`manage.py serve`: run the server of an existing installation."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.serving.migration_state import require_migrated
from designer.serving.server import serve
from designer.serving.server_lock import ServerStartError, server_lock


class Command(BaseCommand):
    """Run daphne with Baton's limits."""

    help = "Serve HTTP and websockets."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the address to listen on."""
        parser.add_argument("--host", default="127.0.0.1", help="address to bind (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to bind (8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        """Serve until a signal stops the process."""
        try:
            with server_lock():
                require_migrated()
                serve(host=host, port=port, announce=self._announce)
        except ServerStartError as error:
            raise CommandError(str(error)) from error

    def _announce(self, url: str) -> None:
        self.stdout.write(f"Baton listens on {url}")
        self.stdout.flush()

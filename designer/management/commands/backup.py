"""`manage.py backup`: write the installation to one file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.backup import BackupError, create_backup, key_sources


class Command(BaseCommand):
    """Back up the database and the files of the data folder, while servers run."""

    help = (
        "Write the database and the files of the data folder to one file. Servers may run "
        "meanwhile. Keys are left out and listed unless --with-keys is used."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the file and the option for keys."""
        parser.add_argument("file", type=Path, help="new file, such as baton-2026-01-31.tar.gz")
        parser.add_argument(
            "--with-keys",
            action="store_true",
            help="include the secret key and the encryption keys: store the file like a password",
        )

    def handle(self, *args: Any, file: Path, with_keys: bool, **options: Any) -> None:
        """Write the backup, and list its content and the keys."""
        try:
            manifest = create_backup(file.absolute(), with_keys=with_keys)
        except BackupError as error:
            raise CommandError(str(error)) from error
        size = file.stat().st_size
        self.stdout.write(f"Backup: {file} ({size:,} bytes, readable by its owner only)")
        self.stdout.write(f"Database: {manifest.database}, {len(manifest.migrations)} migrations")
        self.stdout.write(f"Files of the data folder: {len(manifest.data_files)}")
        verb = "included, from" if with_keys else "not included, store it separately:"
        for name, location in key_sources().items():
            self.stdout.write(f"{name}: {verb} {location}")

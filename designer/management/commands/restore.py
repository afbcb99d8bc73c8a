"""`manage.py restore`: put a backup in the place of an empty or present database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from designer.backup import BackupError, Restoration, restore_backup


class Command(BaseCommand):
    """Restore a backup, and list the next steps."""

    help = "Restore a file of the command backup. Stop all servers and workers first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the file and the option for a database with tables."""
        parser.add_argument("file", type=Path, help="file of the command backup")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace a database with tables; it is kept under another name",
        )

    def handle(self, *args: Any, file: Path, replace: bool, **options: Any) -> None:
        """Restore the backup and list the next steps."""
        try:
            restoration = restore_backup(file.absolute(), replace=replace)
        except BackupError as error:
            raise CommandError(str(error)) from error
        for line in next_steps(restoration):
            self.stdout.write(line)


def next_steps(restoration: Restoration) -> list[str]:
    """Return the lines about a restoration."""
    manifest = restoration.manifest
    lines = [f"Restored the {manifest.database} database, and {len(manifest.data_files)} files."]
    lines.append(f"They are of {manifest.created:%Y-%m-%d %H:%M} UTC.")
    if restoration.previous:
        lines.append(f"The previous database is in {restoration.previous}: delete it later.")
    lines += [
        f"The server lacks a key of the backup in {name}: set it again, otherwise people sign in "
        "again and the secrets of connections must be entered again."
        for name in restoration.missing_keys
    ]
    if restoration.keys_to_set:
        names = " and ".join(restoration.keys_to_set)
        lines.append(f"Set {names} as in restored-keys.env in the data folder, then delete it.")
    lines.append("Next: manage.py migrate, then manage.py doctor, then start the server.")
    return lines

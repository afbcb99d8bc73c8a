"""Backup of an installation in one file, and its restoration on an empty disk."""

from designer.backup.creation import create_backup
from designer.backup.errors import BackupError
from designer.backup.keys import key_sources
from designer.backup.manifest import BackupManifest
from designer.backup.postgresql import find_program, program_version
from designer.backup.restoration import Restoration, restore_backup

__all__ = [
    "BackupError",
    "BackupManifest",
    "Restoration",
    "create_backup",
    "find_program",
    "key_sources",
    "program_version",
    "restore_backup",
]

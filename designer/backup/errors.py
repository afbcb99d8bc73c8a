"""Errors of backups."""


class BackupError(Exception):
    """A backup cannot be made or restored; the text is shown to the operator."""

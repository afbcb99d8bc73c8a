"""Checks of files, keys and users."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User

from designer.doctor.findings import Finding, error, ok, warning
from designer.models import Connection

MIN_FREE = 1024**3
"""Free space of the data folder in bytes below which a warning is due."""


def check_static_files() -> Finding:
    """Look for the collected static files."""
    root = Path(settings.STATIC_ROOT)
    if settings.DEBUG or (root / "staticfiles.json").exists():
        return ok("Static files", f"In {root}")
    fix = "Run manage.py collectstatic --no-input."
    return error("Static files", f"They are not collected in {root}.", fix)


def check_disk() -> Finding:
    """Measure the free space of the data folder."""
    free = shutil.disk_usage(settings.DATA_DIR).free
    text = f"{free / 1024**3:.1f} GiB are free in {settings.DATA_DIR}."
    if free < MIN_FREE:
        return warning("Disk", text, "Free some space: writing stops when the disk is full.")
    return ok("Disk", text)


def check_secrets() -> Finding:
    """Decrypt the secrets of all connections."""
    connections = list(Connection.objects.all())
    unreadable = [each.name for each in connections if each.value().fault]
    if unreadable:
        text = f"The secrets of {len(unreadable)} connections cannot be decrypted: "
        fix = "Set the former BATON_SECRET_KEY or add the former key to BATON_ENCRYPTION_KEYS."
        return error("Keys", text + ", ".join(unreadable[:10]), fix)
    return ok("Keys", f"The secrets of all {len(connections)} connections can be decrypted.")


def check_administrators() -> Finding:
    """Count the active administrators."""
    count = User.objects.filter(is_superuser=True, is_active=True).count()
    if not count:
        text = "There is none, so nobody can invite people."
        return warning("Administrators", text, "Run manage.py create_admin.")
    return ok("Administrators", str(count))

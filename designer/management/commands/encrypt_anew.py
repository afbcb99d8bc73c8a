"""`manage.py encrypt_anew`: encrypt the secrets of all connections with the newest key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from designer.connections import encrypt_anew


class Command(BaseCommand):
    """Encrypt with the first of BATON_ENCRYPTION_KEYS what an older one has encrypted."""

    help = (
        "Encrypt the keys and headers of all connections with the first of BATON_ENCRYPTION_KEYS. "
        "Afterwards the older ones can be taken out of it."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and say of which connections the secrets cannot be read."""
        done, unreadable = encrypt_anew()
        self.stdout.write(f"Encrypted with the first key: {done}.")
        if unreadable:
            raise CommandError(
                f"None of the keys reads these: {', '.join(unreadable)}. Their keys have to be "
                "entered again."
            )

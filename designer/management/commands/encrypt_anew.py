"""`manage.py encrypt_anew`: encrypt the secrets of all connections with the newest key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from designer.connections import reencrypt_secrets


class Command(BaseCommand):
    """Encrypt the secrets of all connections again with the first of BATON_ENCRYPTION_KEYS."""

    help = (
        "Encrypt the keys and headers of all connections with the first of BATON_ENCRYPTION_KEYS. "
        "Afterwards the older keys can be removed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Encrypt the secrets, and list the connections whose secrets cannot be decrypted."""
        encrypted, unreadable = reencrypt_secrets()
        self.stdout.write(f"Encrypted with the first key: {encrypted}.")
        if unreadable:
            raise CommandError(
                f"None of the keys decrypts these connections: {', '.join(unreadable)}. Enter "
                "their keys again."
            )

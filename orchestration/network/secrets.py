"""Secret values of a connection and their redaction."""

from __future__ import annotations

from collections.abc import Iterable

REDACTED = "[key]"
"""Replacement for a secret value."""

MIN_SECRET = 6
"""Minimum length of a secret; redacting shorter values would make texts unreadable."""

Secrets = tuple[str, ...]
"""Values that must not appear in an answer, an error or a log."""


def secrets_of(key: str, headers: Iterable[str]) -> Secrets:
    """Return a key and the values of headers, the longest first.

    The part after the scheme of a value such as `Bearer sk-12345` is a secret, too.

    >>> secrets_of("sk-12345", ["Bearer sk-67890", "eu"])
    ('Bearer sk-67890', 'sk-12345', 'sk-67890')
    """
    values = {key}
    for value in headers:
        values |= {value, value.partition(" ")[2]}
    secrets = (value for value in values if len(value) >= MIN_SECRET)
    return tuple(sorted(secrets, key=lambda value: (-len(value), value)))


def redact(text: str, secrets: Secrets) -> str:
    """Replace all secrets in a text.

    >>> redact("No sk-12345 here.", secrets_of("sk-12345", []))
    'No [key] here.'
    """
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text

"""Secret values of a connection and their redaction."""

from __future__ import annotations

from collections.abc import Iterable

STRUCK = "[key]"
"""Stands for what was struck out."""

SHORTEST = 6
"""Characters below which striking a value out would do more harm than good."""

Secrets = tuple[str, ...]
"""Values that must not appear in an answer, an error or a log."""


def secrets_of(key: str, headers: Iterable[str]) -> Secrets:
    """A key and the values of headers, the longest first, lest a part of one be left.

    Of a value such as `Bearer sk-12345` what follows the scheme is secret by itself, too.

    >>> secrets_of("sk-12345", ["Bearer sk-67890", "eu"])
    ('Bearer sk-67890', 'sk-12345', 'sk-67890')
    """
    values = {key}
    for value in headers:
        values |= {value, value.partition(" ")[2]}
    found = (value for value in values if len(value) >= SHORTEST)
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def strike(text: str, secrets: Secrets) -> str:
    """The text without what is secret.

    >>> strike("No sk-12345 here.", secrets_of("sk-12345", []))
    'No [key] here.'
    """
    for secret in secrets:
        text = text.replace(secret, STRUCK)
    return text

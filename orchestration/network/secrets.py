"""Secret values of connections: keys, header values, passwords and tokens of commands."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from urllib.parse import unquote, urlsplit

MIN_SECRET = 8
"""Minimum length of a secret; redacting shorter values would make texts unreadable."""

Secrets = tuple[str, ...]
"""Values that must not appear in an answer, a result, an error or a log; the longest first."""

_PUBLIC_HEADERS = frozenset(
    {
        "accept", "accept-encoding", "accept-language", "anthropic-beta", "anthropic-version",
        "content-type", "http-referer", "openai-beta", "referer", "user-agent", "x-title",
    }
)  # fmt: skip
"""Headers with public values: redacting `application/json` would make texts unreadable."""

_SECRET_OPTION = re.compile(r"--?[\w-]*(key|token|secret|password)[\w-]*(=|$)", re.IGNORECASE)
"""Option of a command whose value is a secret: `--api-key=…` or `--token …`."""


def secrets_of(
    key: str, headers: Mapping[str, str], *, url: str = "", command: Sequence[str] = ()
) -> Secrets:
    """Return the secrets of a connection, the longest first.

    These are the key, the values of the headers without the public ones, the password of the
    address, and the values of a command's options such as `--token`. The part after the scheme of
    a header such as `Bearer sk-12345` is a secret, too.

    >>> secrets_of("sk-12345", {"Authorization": "Bearer sk-67890", "X-Region": "eu"})
    ('Bearer sk-67890', 'sk-12345', 'sk-67890')
    """
    values = {key, *_password(url), *_option_values(command)}
    for name, value in headers.items():
        if name.lower() not in _PUBLIC_HEADERS:
            scheme, _, credentials = value.partition(" ")
            values |= {value, credentials}
            if scheme.lower() == "basic":
                values.update(_basic_password(credentials))
    return merged_secrets([tuple(values)])


def merged_secrets(groups: Iterable[Secrets]) -> Secrets:
    """Return the secrets of several connections, the longest first, without short values."""
    values = {value for group in groups for value in group if len(value) >= MIN_SECRET}
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def _password(url: str) -> list[str]:
    try:
        password = urlsplit(url).password
    except ValueError:
        return []
    return [password, unquote(password)] if password else []


def _basic_password(credentials: str) -> list[str]:
    """Return the password of the header `Authorization: Basic …` (RFC 7617)."""
    try:
        return [b64decode(credentials).decode().partition(":")[2]]
    except ValueError:
        return []


def _option_values(command: Sequence[str]) -> list[str]:
    values = []
    for argument, following in zip_longest(command, command[1:], fillvalue=""):
        if (option := _SECRET_OPTION.match(argument)) is not None:
            values.append(argument[option.end() :] if option[2] else following)
    return values

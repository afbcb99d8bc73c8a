"""Redaction of secrets in whole texts, in JSON values and in texts that arrive in pieces."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from orchestration.network.secrets import MIN_SECRET, Secrets

REDACTED = "[redacted]"
"""Replacement for a secret value."""


def redact(text: str, secrets: Secrets) -> str:
    """Replace all secrets in a text, also in their URL, JSON and base64 encodings.

    >>> redact("No sk-12345 here.", ("sk-12345",))
    'No [redacted] here.'
    """
    return _patterns(secrets).whole.sub(REDACTED, text) if secrets else text


def redact_json(value: Any, secrets: Secrets) -> Any:
    """Replace all secrets in the texts and keys of a JSON value; return the value if unchanged."""
    match value:
        case str():
            return redact(value, secrets)
        case list() | tuple():
            items = type(value)(redact_json(item, secrets) for item in value)
            return value if items == value else items
        case dict():
            pairs = {redact_json(k, secrets): redact_json(v, secrets) for k, v in value.items()}
            return value if pairs == value else pairs
        case _:
            return value


def redact_json_text(text: str, secrets: Secrets) -> str:
    r"""Replace all secrets in a JSON text, also if its characters are escaped (`\u0073`)."""
    text = redact(text, secrets)
    if "\\" not in text:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    redacted = redact_json(value, secrets)
    return text if redacted == value else json.dumps(redacted, ensure_ascii=False)


class StreamRedactor:
    """Redaction of a text that arrives in pieces.

    The end of the text is held back only while it is the beginning of a secret.
    """

    def __init__(self, secrets: Secrets) -> None:
        self._patterns = _patterns(secrets)
        self._held = ""

    def feed(self, piece: str) -> str:
        """Add a piece; return the text that is ready, which may be empty."""
        text, ready, start = self._held + piece, [], 0
        while True:
            end = self._patterns.incomplete_from(text, start)
            match = self._patterns.whole.search(text, start)
            if match is None or match.start() >= end:
                break
            ready += [text[start : match.start()], REDACTED]
            start = match.end()
        self._held = text[end:]
        return "".join([*ready, text[start:end]])

    def finish(self) -> str:
        """Return the rest at the end of the text."""
        rest, self._held = self._held, ""
        return self._patterns.whole.sub(REDACTED, rest)

    def reset(self) -> None:
        """Discard the text so far: another attempt begins."""
        self._held = ""


class _Patterns:
    """Search patterns of secrets in all their encodings."""

    def __init__(self, secrets: Secrets) -> None:
        forms = {form for secret in secrets for form in _encodings(secret)}
        self._forms = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._longest = len(self._forms[0])
        self.whole = re.compile("|".join(map(re.escape, self._forms)))
        firsts = {form[0] for form in forms}
        self._first = re.compile(f"[{''.join(map(re.escape, sorted(firsts)))}]")

    def incomplete_from(self, text: str, start: int) -> int:
        """Return the index of an incomplete secret at the end, or the length of the text."""
        start = max(start, len(text) - self._longest + 1)
        for match in self._first.finditer(text, start):
            end = text[match.start() :]
            if any(len(form) > len(end) and form.startswith(end) for form in self._forms):
                return match.start()
        return len(text)


@lru_cache(maxsize=256)
def _patterns(secrets: Secrets) -> _Patterns:
    return _Patterns(secrets)


def _encodings(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret, safe="")
    yield quote(secret)
    yield json.dumps(secret)[1:-1]
    yield secret.replace("/", "\\/")
    data = secret.encode()
    for encoded in (b64encode(data), urlsafe_b64encode(data)):
        # The last group of characters depends on the text that follows.
        complete = encoded.decode("ascii")[: len(data) // 3 * 4]
        if len(complete) >= MIN_SECRET:
            yield complete

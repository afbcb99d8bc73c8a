"""Settings from the environment: switches, lists, numbers, prices, the secret key.

A value that cannot be understood stops the start with one sentence that names the variable.
"""

import json
import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from orchestration.network import AllowedAddresses

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"", "0", "false", "no", "off"})

SHORTEST_KEY = 32
"""Minimum length of an encryption key in characters."""


def switch(name: str) -> bool:
    """Return whether the variable `name` is switched on; unset means off."""
    value = os.environ.get(name, "").strip().lower()
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")


def words(name: str, default: str = "") -> list[str]:
    """Return the comma-separated values of the variable `name`, without blanks."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def seconds(name: str, default: float) -> float:
    """Return the variable `name` as a positive number of seconds."""
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise ImproperlyConfigured(f"{name} must be a positive number of seconds, not {value!r}.")
    return number


def prices(name: str) -> dict[str, tuple[float, float]]:
    """Return the prices of models in the variable `name`: JSON, `{"model": [in, out]}`.

    Each is for a million tokens, of what is sent and of what is answered.
    """
    value = os.environ.get(name, "").strip()
    try:
        given = json.loads(value or "{}")
        found = {str(model): (float(sent), float(said)) for model, (sent, said) in given.items()}
    except (AttributeError, TypeError, ValueError):
        found = {"": (-1.0, -1.0)}
    if not all(0 <= price < float("inf") for pair in found.values() for price in pair):
        raise ImproperlyConfigured(
            f'{name} must be JSON like {{"gpt-4.1": [2, 8]}}: what a million tokens cost, sent and '
            f"answered, not {value[:80]!r}."
        )
    return found


def addresses(name: str) -> AllowedAddresses:
    """Return the networks and hosts of the variable `name`, which is a list."""
    try:
        return AllowedAddresses.parse(words(name))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def encryption_keys(name: str) -> list[str]:
    """Return the keys of the variable `name`, a list of long texts: the first encrypts."""
    keys = words(name)
    if any(len(key) < SHORTEST_KEY for key in keys):
        raise ImproperlyConfigured(
            f"{name} must be long random texts, of {SHORTEST_KEY} characters at least, with commas "
            "between them: see docs/operations.md."
        )
    return keys


def commands(name: str) -> dict[str, tuple[str, ...]]:
    """Return the commands of the variable `name`: JSON, `{"name": ["program", "argument"]}`."""
    value = os.environ.get(name, "").strip()
    try:
        given = json.loads(value or "{}")
        found = {str(key): tuple(map(str, parts)) for key, parts in given.items()}
        is_sound = all(isinstance(parts, list) and parts for parts in given.values())
    except (AttributeError, TypeError, ValueError):
        is_sound = False
    if not is_sound:
        raise ImproperlyConfigured(
            f'{name} must be JSON like {{"files": ["mcp-files", "/srv/files"]}}: under a name each '
            "a program and its arguments."
        )
    return found


def secret_key(data_dir: Path, *, production: bool) -> str:
    """Return the secret key: BATON_SECRET_KEY, or else one that is made once in `data_dir`.

    In production the key must be given, so that several servers share it and none invents one.
    """
    if key := os.environ.get("BATON_SECRET_KEY", ""):
        return key
    if production:
        raise ImproperlyConfigured(
            "Set BATON_SECRET_KEY to a long random text: see docs/operations.md."
        )
    path = data_dir / "secret_key"
    try:
        return _read_or_make(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"Cannot keep the secret key in {path} ({error.strerror}): make the folder writable, "
            "or set BATON_DATA_DIR to one that is."
        ) from error


def _read_or_make(path: Path) -> str:
    """Return the key in `path`; where there is none, put one there that only its owner reads.

    The file appears complete or not at all: of two processes that start together, both
    return the key of the first.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix="secret_key.")
        fresh = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(64))
            os.link(fresh, path)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text(encoding="ascii").strip()

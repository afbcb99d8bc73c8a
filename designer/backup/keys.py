"""Keys of an installation: their locations, their fingerprints, and a copy on request.

A backup without keys is useless to a thief, so a copy is only made if the operator asks for it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from django.conf import settings

SECRET_KEY, ENCRYPTION_KEYS = "BATON_SECRET_KEY", "BATON_ENCRYPTION_KEYS"
KEY_FILE = "secret_key"
"""File in the data folder with the secret key, unless a variable has it."""
RESTORED_KEYS = "restored-keys.env"
"""File in the data folder with keys that the operator must put into the settings."""


def key_sources() -> dict[str, str]:
    """Return the location of each key by the name of its setting."""
    in_file = not os.environ.get(SECRET_KEY)
    location = str(settings.DATA_DIR / KEY_FILE) if in_file else f"the variable {SECRET_KEY}"
    sources = {SECRET_KEY: location}
    if settings.ENCRYPTION_KEYS:
        sources[ENCRYPTION_KEYS] = f"the variable {ENCRYPTION_KEYS}"
    return sources


def fingerprints() -> dict[str, tuple[str, ...]]:
    """Return a short digest of each key, which does not reveal it: keys are long and random."""
    return {
        SECRET_KEY: (_fingerprint(settings.SECRET_KEY),),
        ENCRYPTION_KEYS: tuple(map(_fingerprint, settings.ENCRYPTION_KEYS)),
    }


def missing_keys(expected: dict[str, tuple[str, ...]]) -> list[str]:
    """Return the settings whose present keys lack a key of the backup.

    All keys decrypt, whichever setting contains them.
    """
    present = {each for values in fingerprints().values() for each in values}
    return [name for name, values in expected.items() if not present.issuperset(values)]


def write_keys(path: Path) -> None:
    """Write the keys as lines for an environment file, readable by its owner only."""
    lines = [f"{SECRET_KEY}={settings.SECRET_KEY}\n"]
    if settings.ENCRYPTION_KEYS:
        lines.append(f"{ENCRYPTION_KEYS}={','.join(settings.ENCRYPTION_KEYS)}\n")
    _write_private(path, "".join(lines))


def restore_keys(path: Path) -> list[str]:
    """Put the secret key into the data folder if no variable has one; return the other settings.

    A file with another key is kept next to it.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    keys = {name: value for name, _, value in (line.partition("=") for line in lines)}
    target = settings.DATA_DIR / KEY_FILE
    if not os.environ.get(SECRET_KEY):
        if target.exists() and target.read_text(encoding="utf-8").strip() != keys[SECRET_KEY]:
            target.replace(target.with_name(f"{KEY_FILE}.before-restore"))
        _write_private(target, keys.pop(SECRET_KEY))
    present = {*settings.ENCRYPTION_KEYS, settings.SECRET_KEY}
    rest = {name: value for name, value in keys.items() if set(value.split(",")) - present}
    if rest:
        lines = [f"{name}={value}\n" for name, value in rest.items()]
        _write_private(settings.DATA_DIR / RESTORED_KEYS, "".join(lines))
    return list(rest)


def _fingerprint(key: str) -> str:
    return hashlib.sha256(f"baton.fingerprint {key}".encode()).hexdigest()[:16]


def _write_private(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)

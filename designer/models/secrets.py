"""Encryption of stored secrets with the server's keys, each bound to one place.

It uses `MultiFernet` of `cryptography`: the first key encrypts, all keys decrypt. The place is part
of the encrypted value, so a changed address of a row cannot obtain the key.
"""

from __future__ import annotations

import base64
import json
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.views.decorators.debug import sensitive_variables


class UnreadableSecretError(Exception):
    """A secret that cannot be decrypted. The message contains only the reason."""


@sensitive_variables()
def seal(secret: str, *, place: str) -> str:
    """Encrypt a secret for a place; an empty secret stays empty."""
    if not secret:
        return ""
    text = json.dumps({"place": place, "secret": secret})
    return _fernet(_keys()).encrypt(text.encode()).decode("ascii")


@sensitive_variables()
def unseal(sealed: str, *, place: str) -> str:
    """Decrypt a secret for a place, or raise `UnreadableSecretError`."""
    if not sealed:
        return ""
    try:
        content = json.loads(_fernet(_keys()).decrypt(sealed.encode()))
    except InvalidToken:
        raise UnreadableSecretError(
            "cannot be decrypted: the server's BATON_ENCRYPTION_KEYS or BATON_SECRET_KEY has "
            "changed. Enter it again, or restore the old key"
        ) from None
    if content["place"] != place:
        raise UnreadableSecretError(f"is bound to {content['place']}. Enter it again for {place}")
    return str(content["secret"])


@sensitive_variables()
def reencrypt(sealed: str) -> str:
    """Encrypt a secret again with the first key, or raise `UnreadableSecretError`."""
    if not sealed:
        return ""
    try:
        return _fernet(_keys()).rotate(sealed.encode()).decode("ascii")
    except InvalidToken:
        raise UnreadableSecretError("cannot be decrypted with any of the server's keys") from None


def _keys() -> tuple[str, ...]:
    return (*settings.ENCRYPTION_KEYS, settings.SECRET_KEY)


@lru_cache(maxsize=4)
def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([_derive(key) for key in keys])


def _derive(key: str) -> Fernet:
    """Derive a Fernet key from a long random text (RFC 5869)."""
    hkdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"baton.secrets")
    return Fernet(base64.urlsafe_b64encode(hkdf.derive(key.encode())))

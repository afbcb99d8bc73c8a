"""Secrets at rest: encrypted with the server's keys, each for the one place that may see it.

`cryptography`'s MultiFernet does it: the first key encrypts, all of them decrypt. The place stands
within what is encrypted, so that whoever changes the address of a row gets no key with it.
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
    """A secret that cannot be had; says why, and never what is there in its place."""


@sensitive_variables()
def seal(secret: str, *, place: str) -> str:
    """A secret as it is kept; empty where there is none."""
    if not secret:
        return ""
    text = json.dumps({"place": place, "secret": secret})
    return _fernet(_keys()).encrypt(text.encode()).decode("ascii")


@sensitive_variables()
def unseal(sealed: str, *, place: str) -> str:
    """A secret that was sealed for this place; else UnreadableSecretError."""
    if not sealed:
        return ""
    try:
        kept = json.loads(_fernet(_keys()).decrypt(sealed.encode()))
    except InvalidToken:
        raise UnreadableSecretError(
            "cannot be read: the server's BATON_ENCRYPTION_KEYS or BATON_SECRET_KEY is not the one "
            "that it was encrypted with. Enter it again, or bring that key back"
        ) from None
    if kept["place"] != place:
        raise UnreadableSecretError(f"was given for {kept['place']}, and goes nowhere else")
    return str(kept["secret"])


@sensitive_variables()
def reencrypt(sealed: str) -> str:
    """The same secret, encrypted with the first of the keys; else UnreadableSecretError."""
    if not sealed:
        return ""
    try:
        return _fernet(_keys()).rotate(sealed.encode()).decode("ascii")
    except InvalidToken:
        raise UnreadableSecretError("cannot be read with any of the server's keys") from None


def _keys() -> tuple[str, ...]:
    return (*settings.ENCRYPTION_KEYS, settings.SECRET_KEY)


@lru_cache(maxsize=4)
def _fernet(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([_derived(key) for key in keys])


def _derived(key: str) -> Fernet:
    """A key of the right form from a text that is long and random already (RFC 5869)."""
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"baton.secrets")
    return Fernet(base64.urlsafe_b64encode(derive.derive(key.encode())))

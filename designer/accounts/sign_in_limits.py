"""Limits on failed sign-ins, and on mails for new passwords, by name and address.

The counters are in the database, so all processes of a server share them. Django's database cache
is not used: its counters lose parallel attempts, and it discards entries when it is full.
"""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256

from django.db.models import F
from django.utils import timezone

from designer.core import atomic_action
from designer.models import SignInCounter

MAX_FAILURES = 5
"""Maximum number of failed sign-ins for one name from one address."""

MAX_FAILURES_OF_ADDRESS = 100
"""Maximum number of failed sign-ins from one address; all people behind one proxy share it."""

MAX_RESETS_OF_ADDRESS = 20
"""Maximum number of requested mails for a new password from one address."""

MAX_RESETS_OF_EMAIL = 5
"""Maximum number of mails for a new password to one e-mail address."""

WAIT_MINUTES = 15
"""Minutes from the first failed sign-in or mail until the count begins anew."""


@atomic_action
def count_attempt(*, username: str, address: str) -> bool:
    """Count an attempt before its password is checked; return False if it is blocked.

    Parallel attempts wait for each other, so that they are limited too. A blocked name does not
    count against its address.
    """
    SignInCounter.objects.filter(expires_at__lte=timezone.now()).delete()
    if not _count(_name_key(username, address), MAX_FAILURES):
        return False
    return _count(_address_key(address), MAX_FAILURES_OF_ADDRESS)


@atomic_action
def clear_failures(*, username: str, address: str) -> None:
    """Forget the failures of a name after a sign-in, which does not count against the address."""
    SignInCounter.objects.filter(key=_name_key(username, address)).delete()
    _forgive(address)


@atomic_action
def count_attempt_of_address(*, address: str) -> bool:
    """Count an attempt without a name, like those by OpenID Connect; False if it is blocked."""
    SignInCounter.objects.filter(expires_at__lte=timezone.now()).delete()
    return _count(_address_key(address), MAX_FAILURES_OF_ADDRESS)


@atomic_action
def forgive_attempt_of_address(*, address: str) -> None:
    """Do not count an attempt that succeeded."""
    _forgive(address)


@atomic_action
def count_reset(*, email: str, address: str) -> bool:
    """Count a request for a mail; return False if it is blocked.

    It is counted for unknown e-mail addresses too, so that the limit does not tell them apart.
    """
    SignInCounter.objects.filter(expires_at__lte=timezone.now()).delete()
    if not _count(_address_key(f"reset {address}"), MAX_RESETS_OF_ADDRESS):
        return False
    return _count(_address_key(f"reset {email.casefold()}"), MAX_RESETS_OF_EMAIL)


def _forgive(address: str) -> None:
    rows = SignInCounter.objects.filter(key=_address_key(address), count__gt=0)
    rows.update(count=F("count") - 1)


def _count(key: str, limit: int) -> bool:
    expires_at = timezone.now() + timedelta(minutes=WAIT_MINUTES)
    rows = SignInCounter.objects.select_for_update()
    counter, _ = rows.get_or_create(key=key, defaults={"expires_at": expires_at})
    if counter.count >= limit:
        return False
    counter.count += 1
    counter.save(update_fields=["count"])
    return True


def _name_key(username: str, address: str) -> str:
    return sha256(f"{address} {username.casefold()}".encode()).hexdigest()


def _address_key(address: str) -> str:
    return sha256(address.encode()).hexdigest()

"""Sign-in by password, with a limit on attempts."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.core.cache import cache
from django.http import HttpRequest

from designer.core import BatonForm

MAX_ATTEMPTS = 5
WAIT_MINUTES = 15

TOO_MANY = (
    f"Sign-in is blocked after {MAX_ATTEMPTS} attempts. Wait {WAIT_MINUTES} minutes, or ask for a "
    "sign-in link."
)


class SignInForm(BatonForm, AuthenticationForm):
    """User name and password. Five failed attempts from one address block it for 15 minutes.

    Attempts are counted per name and address, so a user cannot be locked out from elsewhere.
    """

    def clean(self) -> dict[str, Any]:
        """Count the attempt before the password check, so parallel attempts are limited too."""
        key = _cache_key(self.request, self.cleaned_data.get("username", ""))
        if _count_attempt(key) > MAX_ATTEMPTS:
            raise forms.ValidationError(TOO_MANY)
        values = super().clean()
        if self.get_user() is not None:
            cache.delete(key)
        return values


def _count_attempt(key: str) -> int:
    """Count an attempt. The waiting time begins with the first one."""
    if not cache.add(key, 1, timeout=WAIT_MINUTES * 60):
        with suppress(ValueError):  # the entry has just expired
            return cache.incr(key)
    return 1


def _cache_key(request: HttpRequest | None, username: str) -> str:
    address = request.META.get("REMOTE_ADDR", "") if request else ""
    attempt = f"{address} {username.casefold()}"
    return f"sign-in:{sha256(attempt.encode()).hexdigest()}"

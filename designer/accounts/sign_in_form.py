"""Signing in by password, a few tries at a time."""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.core.cache import cache
from django.http import HttpRequest

from designer.core import WordedForm

MAX_TRIES = 5
WAIT_MINUTES = 15

TOO_MANY = (
    f"That were {MAX_TRIES} tries. Wait {WAIT_MINUTES} minutes before the next one, or ask for a "
    "sign-in link."
)


class SignInForm(WordedForm, AuthenticationForm):
    """A name and a password; after five wrong ones from one address, a quarter of an hour's rest.

    The count is of a name and an address together, so that nobody can lock out somebody else.
    """

    def clean(self) -> dict[str, Any]:
        """Count the try before the password is looked at: many at once are no way around it."""
        tries = _tries_of(self.request, self.cleaned_data.get("username", ""))
        if _one_more(tries) > MAX_TRIES:
            raise forms.ValidationError(TOO_MANY)
        values = super().clean()
        if self.get_user() is not None:
            cache.delete(tries)
        return values


def _one_more(tries: str) -> int:
    """Count a try. The quarter of an hour begins with the first."""
    if not cache.add(tries, 1, timeout=WAIT_MINUTES * 60):
        with suppress(ValueError):  # it has run out since
            return cache.incr(tries)
    return 1


def _tries_of(request: HttpRequest | None, username: str) -> str:
    address = request.META.get("REMOTE_ADDR", "") if request else ""
    said = f"{address} {username.casefold()}"
    return f"sign-in:{sha256(said.encode()).hexdigest()}"

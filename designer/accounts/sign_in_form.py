"""Sign-in by password, with a limit on failed attempts and a log."""

from __future__ import annotations

import logging
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from designer.accounts.sign_in_limits import WAIT_MINUTES, clear_failures, count_attempt
from designer.core import BatonForm
from designer.instrumentation import UNKNOWN, client_address

log = logging.getLogger("designer.accounts.sign_in")

TOO_MANY = (
    f"Sign-in is blocked after too many failed attempts. Wait {WAIT_MINUTES} minutes, or ask for "
    "a sign-in link."
)


class SignInForm(BatonForm, AuthenticationForm):
    """User name and password. Failed attempts for one name from one address block it for a while.

    A user cannot be locked out from elsewhere, and not by others behind the same proxy unless
    there are very many failures.
    """

    error_messages = AuthenticationForm.error_messages | {
        "invalid_login": "Please enter a correct user name and password. Both are case-sensitive."
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"  # as on all other pages

    def clean(self) -> dict[str, Any]:
        """Count the attempt, check the password, and log the outcome."""
        username = self.cleaned_data.get("username", "")
        address = client_address(self.request) if self.request else UNKNOWN
        if not count_attempt(username=username, address=address):
            log.warning("Sign-in blocked: name %r, address %s", username, address)
            raise forms.ValidationError(TOO_MANY)
        try:
            values = super().clean()
        except forms.ValidationError:
            log.warning("Sign-in failed: name %r, address %s", username, address)
            raise
        if self.get_user() is None:  # a field is empty
            log.warning("Sign-in failed: name %r, address %s", username, address)
        else:
            clear_failures(username=username, address=address)
            log.info("Sign-in succeeded: name %r, address %s", username, address)
        return values

"""Form that requests a mail with a link for a new password."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.models import User

from designer.accounts.mail import send_later
from designer.accounts.sign_in_limits import WAIT_MINUTES, count_reset
from designer.audit import record_audit
from designer.core import BatonForm
from designer.instrumentation import UNKNOWN, current_request
from designer.models import AuditAction

TOO_MANY = f"Too many requests for a new password. Wait {WAIT_MINUTES} minutes."


class RequestResetForm(BatonForm, PasswordResetForm):
    """E-mail address of the account. The response is the same for known and unknown addresses."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
        error_messages={"invalid": "Enter an e-mail address such as ada@baton.example."},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})

    def clean(self) -> dict[str, Any]:
        """Count the request of a valid address."""
        address, email = current_request().address or UNKNOWN, self.cleaned_data.get("email")
        if email and not count_reset(email=email, address=address):
            raise forms.ValidationError(TOO_MANY)
        return self.cleaned_data

    def get_users(self, email: str) -> list[User]:
        """Return the active users with this address and a password, with an audit entry each."""
        users = list(super().get_users(email))
        targets = [f"user {user.pk} “{user}”" for user in users] or ["no account with a password"]
        for target in targets:
            record_audit(AuditAction.PASSWORD_RESET_REQUESTED, actor_name=email, target=target)
        return users

    def send_mail(self, *args: Any, **options: Any) -> None:
        """Send a mail after the response; Django logs a failure."""
        send_later(partial(super().send_mail, *args, **options))

"""Forms for passwords: Django's forms with Baton's messages, and a limit on wrong passwords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User

from designer.accounts.passwords.changes import set_password
from designer.accounts.sign_in_limits import WAIT_MINUTES, clear_failures, count_attempt
from designer.core import BatonForm
from designer.instrumentation import UNKNOWN, current_request

if TYPE_CHECKING:
    UserPasswordForm = SetPasswordForm[User]
else:
    UserPasswordForm = SetPasswordForm  # it is only generic in its stubs

PASSWORD_HELP = "At least 8 characters, not only digits, not a common word, not your name."  # noqa: S105
MISMATCH = "The two passwords differ: enter the new password twice."
WRONG = "This is not your present password."
TOO_MANY = f"Too many wrong passwords. Wait {WAIT_MINUTES} minutes."


def password_fields() -> tuple[forms.CharField, forms.CharField]:
    """Return the fields for a new password and its repetition."""
    first, second = SetPasswordForm.create_password_fields("New password", "Repeat the password")
    first.help_text, second.help_text = PASSWORD_HELP, ""
    return first, second


class NewPasswordForm(BatonForm, UserPasswordForm):
    """A new password, for a user who has none."""

    error_messages = {"password_mismatch": MISMATCH}
    detail = "set for the first time"
    new_password1, new_password2 = password_fields()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})

    def save(self, commit: bool = True) -> User:
        """Store the password, with an audit entry."""
        password = self.cleaned_data["new_password1"]
        set_password(user=self.user, password=password, actor=self.user, detail=self.detail)
        return self.user


class ChangePasswordForm(NewPasswordForm, PasswordChangeForm):
    """The present and a new password. Wrong ones count as failed sign-ins of this address."""

    detail = "on the account page"
    error_messages = NewPasswordForm.error_messages | {"password_incorrect": WRONG}
    old_password = forms.CharField(
        label="Present password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )

    def clean_old_password(self) -> str:
        """Count the attempt and check the present password."""
        name, address = self.user.get_username(), current_request().address or UNKNOWN
        if not count_attempt(username=name, address=address):
            raise forms.ValidationError(TOO_MANY)
        password: str = super().clean_old_password()
        clear_failures(username=name, address=address)
        return password


class ResetPasswordForm(NewPasswordForm):
    """A new password after a forgotten one."""

    detail = "with a reset link"

    def save(self, commit: bool = True) -> User:
        """Store the password; sign-in is no longer blocked by earlier wrong passwords."""
        user = super().save(commit)
        address = current_request().address or UNKNOWN
        clear_failures(username=user.get_username(), address=address)
        return user

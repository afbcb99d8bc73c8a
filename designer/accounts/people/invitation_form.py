"""Form with which an invited person creates an account."""

from __future__ import annotations

from django import forms
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import User
from django.core.validators import RegexValidator

from designer.accounts.passwords.forms import NewPasswordForm
from designer.accounts.people.users import is_taken

NAME_RULE = "A user name has only letters, digits and the characters @ . + - _ in it."


class AcceptInvitationForm(NewPasswordForm):
    """User name and password of a new account."""

    field_order = ("username",)
    user: User

    username = UsernameField(
        label="User name",
        max_length=150,
        validators=[RegexValidator(r"^[\w.@+-]+\Z", NAME_RULE)],
        widget=forms.TextInput(attrs={"autofocus": True, "spellcheck": "false"}),
    )

    def clean_username(self) -> str:
        """Refuse a used name, and compare the password with this name."""
        username: str = self.cleaned_data["username"]
        if is_taken(username):
            raise forms.ValidationError(
                f"There is a user “{username}” already: choose another name."
            )
        self.user.username = username
        return username

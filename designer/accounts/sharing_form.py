"""Form of the sharing dialog."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.core import BatonForm
from designer.models import Membership


class ShareForm(BatonForm):
    """Form with a user name and a role."""

    username = forms.CharField(
        label="Share with",
        max_length=150,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autofocus": True,  # not the button that removes the first member
                "spellcheck": "false",
                "placeholder": "User name",
            }
        ),
        error_messages={"required": "Enter the user name of a person."},
    )
    role = forms.ChoiceField(
        label="Role",
        choices=Membership.ROLES,
        initial="editor",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})


class UnshareForm(BatonForm):
    """Form with the id of a user."""

    user = forms.IntegerField(min_value=1, max_value=2**31 - 1)

"""Forms of the page with all people."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.core import BatonForm
from designer.models import AccountRole


class InvitationForm(BatonForm):
    """Role and e-mail address of a new person, and the lifetime of the link."""

    role = forms.ChoiceField(label="Role", choices=AccountRole.choices)
    email = forms.EmailField(
        label="E-mail address, if you know it",
        required=False,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        error_messages={"invalid": "Enter an e-mail address such as ada@baton.example."},
    )
    days = forms.TypedChoiceField(
        label="Valid for",
        coerce=int,
        choices=[(1, "1 day"), (7, "7 days"), (30, "30 days")],
        initial=7,
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})


class PeopleFilterForm(BatonForm):
    """Text and page of the list; invalid fields do not filter."""

    q = forms.CharField(
        label="User name or e-mail address",
        required=False,
        max_length=150,
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})


class RoleForm(BatonForm):
    """The new role of a user."""

    role = forms.ChoiceField(choices=AccountRole.choices)

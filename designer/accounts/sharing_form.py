"""Form of the sharing dialog."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.core import WordedForm


class ShareForm(WordedForm):
    """Someone, and what they may do."""

    username = forms.CharField(
        label="Share with",
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Say with whom: the name they sign in with."},
    )
    role = forms.ChoiceField(
        label="Role",
        choices=[("editor", "may change it"), ("viewer", "may look at it")],
        initial="editor",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})


class UnshareForm(WordedForm):
    """Someone, by number."""

    user = forms.IntegerField(min_value=1, max_value=2**31 - 1)

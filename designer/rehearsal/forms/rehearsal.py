"""Forms of a whole conversation."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm
from orchestration.control import MAX_TEXT


class ConversationNameForm(BatonForm):
    """Name of a conversation; empty: its title is its number."""

    name = forms.CharField(
        required=False,
        max_length=120,
        error_messages={"max_length": "A name has at most 120 characters."},
    )


class ResendForm(BatonForm):
    """Message in place of an earlier one, with the number of its event."""

    sending = forms.CharField(required=False, max_length=64)
    """The page's id of the request, so that a repeated request has no effect."""

    seq = forms.IntegerField(min_value=1, max_value=2**31 - 1)
    text = forms.CharField(
        max_length=MAX_TEXT,
        error_messages={
            "required": "Write something first.",
            "max_length": "The message is too long: 8,000 characters are allowed.",
        },
    )

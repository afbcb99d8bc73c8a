"""Forms of a whole conversation."""

from __future__ import annotations

from django import forms

from designer.core import WordedForm
from orchestration.control import MAX_TEXT


class ConversationNameForm(WordedForm):
    """A conversation's name; empty: it goes by its number."""

    name = forms.CharField(
        required=False,
        max_length=120,
        error_messages={"max_length": "A name has at most 120 characters."},
    )


class ResendForm(WordedForm):
    """A message to be said in the place of another, by the number of its event."""

    sending = forms.CharField(required=False, max_length=64)
    """The page's own id for it: sent twice, it is one."""

    seq = forms.IntegerField(min_value=1, max_value=2**31 - 1)
    text = forms.CharField(
        max_length=MAX_TEXT,
        error_messages={
            "required": "Write something first.",
            "max_length": "The message is too long: 8,000 characters are allowed.",
        },
    )

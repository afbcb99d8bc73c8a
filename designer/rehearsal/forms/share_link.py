"""Form of a share link."""

from __future__ import annotations

from typing import Any

from django import forms

from designer.core import BatonForm

NEVER = ""
DAYS = [("1", "1 day"), ("7", "7 days"), ("30", "30 days"), (NEVER, "Never")]


class ShareLinkForm(BatonForm):
    """Expiry and rights of a share link, and the event at which it opens the conversation."""

    days = forms.TypedChoiceField(
        label="Expires after",
        choices=DAYS,
        initial="7",
        required=False,
        coerce=int,
        empty_value=None,
        error_messages={"invalid_choice": "Choose 1, 7 or 30 days, or no expiry."},
    )
    may_chat = forms.BooleanField(
        label="Allow chat from another front end (AG-UI)",
        required=False,
        help_text="Its holder can also send messages, answer questions and approve calls.",
    )
    at = forms.IntegerField(
        label="Opens at event",
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        widget=forms.NumberInput(attrs={"autocomplete": "off", "placeholder": "now"}),
    )

    def __init__(self, *args: Any, last_seq: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._last_seq = last_seq

    def clean_at(self) -> int | None:
        """Refuse an event after the last one of the conversation."""
        at: int | None = self.cleaned_data["at"]
        if at is not None and at > self._last_seq:
            raise forms.ValidationError(
                f"There is no event {at:,}: the last one so far is {self._last_seq:,}."
            )
        return at

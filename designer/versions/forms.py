"""Forms of the pages of versions."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm

NAME_LENGTH, NOTE_LENGTH = 120, 2_000


class PublishAgainForm(BatonForm):
    """Publication of a version that has a name: the live version and the draft as seen."""

    live = forms.IntegerField(required=False, widget=forms.HiddenInput)
    draft = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def see(self, **seen: int | None) -> None:
        """Take the state that the page shows now, for the next attempt."""
        self.initial = {**self.initial, **seen}
        if self.is_bound:
            sent = {name: self.data.get(name) for name in self.data}
            self.data = sent | {k: "" if value is None else value for k, value in seen.items()}


class PublishForm(PublishAgainForm):
    """Publication of the draft with a name and a note."""

    name = forms.CharField(
        max_length=NAME_LENGTH,
        error_messages={"required": "Give the version a name: it says what is new."},
        widget=forms.TextInput(attrs={"placeholder": "Refunds need a clear yes"}),
    )
    note = forms.CharField(
        required=False,
        max_length=NOTE_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown in the list of versions.",
    )


class MoveForm(BatonForm):
    """State that the user has seen before a promotion, a roll-back, or a new draft."""

    live = forms.IntegerField(required=False)
    draft = forms.IntegerField(required=False)


class PageForm(BatonForm):
    """Part of the history that a page shows."""

    until = forms.IntegerField(required=False, min_value=0)

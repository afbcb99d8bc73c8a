"""Form of a fork."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm


class ForkForm(BatonForm):
    """Last event of a fork, its pipeline and its name."""

    where = forms.ChoiceField(
        label="It begins with all",
        choices=[("after", "up to this event"), ("before", "before it")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the last event of the fork."},
    )
    runs = forms.ChoiceField(
        label="From there it runs",
        choices=[("same", "the pipeline as it was"), ("edited", "the pipeline as it is now")],
        widget=forms.RadioSelect,
        error_messages={"required": "Choose the pipeline of the fork."},
    )
    name = forms.CharField(
        label="Name",
        required=False,
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "Rehearsal"}),
    )

"""Form of the tab “Find”: the search text and its replacement."""

from __future__ import annotations

from django import forms

from designer.core import BatonForm

MAX_QUERY = 200
MAX_REPLACEMENT = 2_000


class SearchForm(BatonForm):
    """Search text. An empty text is valid and has no hits."""

    text = forms.CharField(
        required=False,
        strip=False,
        max_length=MAX_QUERY,
        error_messages={"max_length": f"A search text has at most {MAX_QUERY} characters."},
    )
    match_case = forms.BooleanField(required=False)
    whole_words = forms.BooleanField(required=False)


class ReplaceForm(SearchForm):
    """Search text and replacement, for one hit or for all."""

    replacement = forms.CharField(
        required=False,
        strip=False,
        max_length=MAX_REPLACEMENT,
        error_messages={"max_length": f"A replacement has at most {MAX_REPLACEMENT:,} characters."},
    )
    place = forms.CharField(required=False, max_length=200)

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)
        self.fields["text"].required = True
        self.fields["text"].error_messages["required"] = "Enter the text to replace."

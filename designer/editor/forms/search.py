"""Form of the tab “Find”: the search text and its replacement."""

from __future__ import annotations

from django import forms

from designer.core import WordedForm

MAX_QUERY = 200
MAX_REPLACEMENT = 2_000


class SearchForm(WordedForm):
    """Search text. An empty text is valid and finds nothing."""

    text = forms.CharField(
        required=False,
        strip=False,
        max_length=MAX_QUERY,
        error_messages={"max_length": f"What is looked for has at most {MAX_QUERY} characters."},
    )
    match_case = forms.BooleanField(required=False)
    whole_words = forms.BooleanField(required=False)


class ReplaceForm(SearchForm):
    """And what is to stand in its place: in one place, or in all of them."""

    replacement = forms.CharField(
        required=False,
        strip=False,
        max_length=MAX_REPLACEMENT,
        error_messages={
            "max_length": f"What replaces a text has at most {MAX_REPLACEMENT:,} characters."
        },
    )
    place = forms.CharField(required=False, max_length=200)

    def __init__(self, *args: object, **options: object) -> None:
        super().__init__(*args, **options)
        self.fields["text"].required = True
        self.fields["text"].error_messages["required"] = "Say what is to be replaced."

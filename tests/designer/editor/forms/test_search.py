"""Form of the tab “Find”."""

import pytest

from designer.editor.forms.search import MAX_QUERY, MAX_REPLACEMENT, ReplaceForm, SearchForm


@pytest.mark.parametrize("text", ["", " refund ", "x" * MAX_QUERY])
def test_a_search_text_is_kept_with_its_spaces(text):
    form = SearchForm({"text": text})
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {"text": text, "match_case": False, "whole_words": False}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"text": "x" * (MAX_QUERY + 1)}, "A search text has at most 200 characters."),
        ({"text": ""}, "Enter the text to replace."),
        (
            {"text": "a", "replacement": "x" * (MAX_REPLACEMENT + 1)},
            "A replacement has at most 2,000 characters.",
        ),
    ],
)
def test_an_invalid_replacement_is_refused(fields, error):
    (messages,) = ReplaceForm(fields).errors.values()
    assert list(messages) == [error]


def test_an_empty_text_is_a_valid_replacement():
    form = ReplaceForm({"text": "a", "replacement": "", "place": "stage:a:0@0"})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["place"] == "stage:a:0@0"
    assert SearchForm({}).fields["text"].required is False

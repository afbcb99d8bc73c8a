"""The choices of the Export dialog in its address."""

import pytest

from designer.exchange.forms import ExportForm


def test_every_choice_may_be_missing():
    form = ExportForm({})
    assert form.is_valid()
    assert form.cleaned_data == {"format": "", "version": "", "file": "", "edit": None}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("format", "x" * 41),
        ("version", "9" * 21),
        ("file", "x" * 201),
        ("file", "pipeline\0.json"),
        ("edit", "-1"),
        ("edit", str(2**31)),
        ("edit", "newest"),
    ],
)
def test_an_impossible_choice_is_an_error_of_its_field(name, text):
    assert list(ExportForm({name: text}).errors) == [name]

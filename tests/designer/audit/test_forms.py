"""The filter of the audit trail."""

import pytest

from designer.audit.forms import AuditFilterForm


def test_an_empty_filter_is_valid():
    form = AuditFilterForm({})
    assert form.is_valid()
    assert form.cleaned_data == {"action": "", "q": "", "before": None}


@pytest.mark.parametrize(
    ("name", "text"),
    [("action", "launched_rocket"), ("q", "x" * 151), ("before", "x"), ("before", "0")],
)
def test_an_invalid_field_is_left_out_and_the_others_filter(name, text):
    valid = {"action": "signed_in", "q": "ada", "before": 7}
    form = AuditFilterForm(valid | {name: text})
    assert not form.is_valid()
    assert form.cleaned_data == {key: value for key, value in valid.items() if key != name}


def test_a_position_is_a_number_that_the_database_can_compare():
    assert AuditFilterForm({"before": str(2**63 - 1)}).is_valid()
    assert not AuditFilterForm({"before": str(2**63)}).is_valid()

"""Forms of the sharing dialog."""

import pytest

from designer.accounts.sharing_form import ShareForm, UnshareForm


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"username": "", "role": "viewer"}, "username", "Enter the user name of a person."),
        ({"username": "x" * 151, "role": "viewer"}, "username", "at most 150 characters"),
        ({"username": "grace", "role": "owner"}, "role", "has no choice “owner”"),
    ],
)
def test_an_invalid_share_is_reported_at_its_field(data, field, message):
    form = ShareForm(data)
    assert message in str(form.errors[field])


@pytest.mark.parametrize(("number", "is_valid"), [("1", True), ("0", False), (str(2**31), False)])
def test_a_member_is_removed_by_a_valid_id(number, is_valid):
    assert UnshareForm({"user": number}).is_valid() is is_valid

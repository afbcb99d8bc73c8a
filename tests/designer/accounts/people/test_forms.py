"""Forms of the page with all people."""

import pytest

from designer.accounts.people.forms import InvitationForm, PeopleFilterForm, RoleForm

INVITATION = {"role": "user", "email": "new@baton.example", "days": "30"}


@pytest.mark.parametrize("email", ["new@baton.example", ""])
def test_an_invitation_has_a_number_of_days_and_may_have_no_address(email):
    form = InvitationForm(INVITATION | {"email": email})
    assert form.is_valid()
    assert form.cleaned_data == {"role": "user", "email": email, "days": 30}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"role": "owner"}, "Role has no choice “owner”."),
        ({"role": ""}, "Role must not be empty."),
        ({"email": "nowhere"}, "Enter an e-mail address such as ada@baton.example."),
        ({"days": "9"}, "Valid for has no choice “9”."),
        ({"days": "week"}, "Valid for has no choice “week”."),
    ],
)
def test_an_invalid_invitation_is_reported_at_its_field(values, message):
    form = InvitationForm(INVITATION | values)
    assert form.errors == {name: [message] for name in values}


@pytest.mark.parametrize(("text", "is_valid"), [("", True), ("x" * 150, True), ("x" * 151, False)])
def test_people_are_searched_by_a_text_as_long_as_a_name(text, is_valid):
    assert PeopleFilterForm({"q": text}).is_valid() is is_valid


@pytest.mark.parametrize(
    ("role", "is_valid"), [("user", True), ("administrator", True), ("owner", False), ("", False)]
)
def test_only_a_known_role_is_given(role, is_valid):
    assert RoleForm({"role": role}).is_valid() is is_valid

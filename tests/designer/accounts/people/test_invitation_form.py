"""The form with which an invited person creates an account."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.designer.accounts.people.invitation_pages import FORM, invite, path

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"username": "ROOT"}, "There is a user “ROOT” already: choose another name."),
        ({"username": "a b"}, "A user name has only letters, digits"),
        ({"username": ""}, "User name must not be empty."),
        ({"new_password2": "x"}, "The two passwords differ"),
        (
            {
                "username": "hieronymus",
                "new_password1": "hieronymus",
                "new_password2": "hieronymus",
            },
            "too similar to the username",
        ),
    ],
)
def test_refused_input_is_explained_and_the_invitation_stays_open(root, values, text):
    link = path(invite(root))
    response = Client().post(link, FORM | values)
    assert response.status_code == 422
    assert text in response.text
    assert User.objects.count() == 1
    assert Client().post(link, FORM).status_code == 302

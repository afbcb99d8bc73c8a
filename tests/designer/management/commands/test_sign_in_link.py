"""Command that prints a sign-in link."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command


def test_the_command_prints_a_link_that_works(anonymous_client, user):
    output = StringIO()
    call_command("sign_in_link", username="ada", base_url="http://127.0.0.1:8000/", stdout=output)
    link = output.getvalue().strip()
    assert link.startswith("http://127.0.0.1:8000/sign-in/")
    anonymous_client.post(link.removeprefix("http://127.0.0.1:8000"))
    assert "_auth_user_id" in anonymous_client.session


def test_the_command_names_a_missing_user(db):
    with pytest.raises(CommandError, match="no active user 'nobody'"):
        call_command("sign_in_link", username="nobody")

"""Command that creates the first administrator."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

pytestmark = pytest.mark.django_db


def create(capsys, **options):
    call_command("create_admin", **options)
    return capsys.readouterr().out.strip()


def test_the_first_administrator_signs_in_by_the_link(capsys):
    link = create(capsys, username="root", email="root@baton.example")
    assert link.startswith("http://127.0.0.1:8000/sign-in/")
    client = Client()
    assert client.post(link.removeprefix("http://127.0.0.1:8000")).status_code == 302
    user = User.objects.get()
    assert client.session["_auth_user_id"] == str(user.pk)
    assert (user.is_superuser, user.is_staff, user.has_usable_password()) == (True, True, False)


def test_the_link_has_the_address_of_the_server(capsys, settings):
    settings.PRODUCTION, settings.ALLOWED_HOSTS = True, [".example", "baton.example"]
    assert create(capsys).startswith("https://baton.example/sign-in/")
    assert create(capsys, username="b", base_url="https://c.example/").startswith("https://c.e")


def test_a_used_name_and_an_invalid_address_are_refused(user):
    with pytest.raises(CommandError, match="There is a user “ADA” already: choose another name"):
        call_command("create_admin", username="ADA")
    with pytest.raises(CommandError, match="--email: Enter a valid email address"):
        call_command("create_admin", username="root", email="nowhere")
    with pytest.raises(CommandError, match="--username: Enter a valid username"):
        call_command("create_admin", username="a b")
    assert User.objects.count() == 1

"""`manage.py runserver`, for developers."""

from daphne.management.commands.runserver import Command as WithWebsockets
from django.core.management import get_commands, load_command_class


def test_the_development_server_has_websockets():
    command = load_command_class(get_commands()["runserver"], "runserver")
    assert isinstance(command, WithWebsockets)

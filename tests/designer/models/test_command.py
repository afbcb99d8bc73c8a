"""Pending commands as rows."""

import pytest
from django.db import IntegrityError

from designer.models import Command

pytestmark = pytest.mark.django_db


def test_a_repeated_command_is_stored_once(conversation, user):
    fields = {"conversation": conversation, "key": "command-1", "kind": "pause", "by": user}
    Command.objects.create(**fields)
    with pytest.raises(IntegrityError):
        Command.objects.create(**fields)


def test_commands_are_in_the_order_of_their_arrival(conversation, user):
    for key in ("b", "a"):
        Command.objects.create(conversation=conversation, key=key, kind="pause", by=user)
    assert [str(command) for command in Command.objects.all()] == ["pause b", "pause a"]

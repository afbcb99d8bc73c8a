"""Command that encrypts the secrets of connections again."""

import pytest
from django.core.management import CommandError, call_command

from designer.models import Connection

NEW = "new-" + "b" * 40


@pytest.fixture
def connection(user):
    row = Connection(owner=user, name="work", kind="openai", base_url="https://api.example/v1")
    row.store_secrets(key="sk-canary", headers={"X-Team": "team-canary"})
    row.save()
    return row


@pytest.mark.django_db
def test_secrets_are_encrypted_again_with_the_first_key(connection, user, settings, capsys):
    settings.ENCRYPTION_KEYS = [NEW]
    call_command("encrypt_anew")
    assert capsys.readouterr().out == "Encrypted with the first key: 1.\n"
    settings.SECRET_KEY = "another-" + "c" * 40
    assert Connection.objects.get(owner=user).value().key == "sk-canary"


@pytest.mark.django_db
def test_connections_with_unreadable_secrets_are_listed(connection, settings):
    settings.SECRET_KEY = "another-" + "c" * 40
    with pytest.raises(CommandError, match="work of ada"):
        call_command("encrypt_anew")

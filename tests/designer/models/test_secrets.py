"""Secrets at rest: what is encrypted, with which keys, and for which place."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from designer import environment
from designer.core.owner_connections import connection_for
from designer.models import Connection
from designer.models.secrets import UnreadableSecretError, reencrypt, seal, unseal

PLACE = "https://api.example"
OLD, NEW = "old-" + "a" * 40, "new-" + "b" * 40


def test_a_secret_comes_back_for_its_place_and_stands_nowhere_in_what_is_kept():
    sealed = seal("sk-canary", place=PLACE)
    assert unseal(sealed, place=PLACE) == "sk-canary"
    assert "canary" not in sealed
    assert PLACE not in sealed


def test_a_secret_goes_to_no_other_place():
    sealed = seal("sk-canary", place=PLACE)
    with pytest.raises(UnreadableSecretError, match="is bound to https"):
        unseal(sealed, place="https://evil.example")


def test_no_secret_is_kept_as_nothing():
    assert seal("", place=PLACE) == ""
    assert unseal("", place=PLACE) == ""
    assert reencrypt("") == ""


def test_the_first_key_encrypts_and_all_of_them_decrypt(settings):
    settings.ENCRYPTION_KEYS = [OLD]
    sealed = seal("sk-canary", place=PLACE)
    settings.ENCRYPTION_KEYS = [NEW, OLD]
    assert unseal(sealed, place=PLACE) == "sk-canary"
    anew = reencrypt(sealed)
    settings.ENCRYPTION_KEYS = [NEW]
    assert unseal(anew, place=PLACE) == "sk-canary"
    with pytest.raises(UnreadableSecretError):
        unseal(sealed, place=PLACE)
    with pytest.raises(UnreadableSecretError):
        reencrypt(sealed)


def test_what_was_encrypted_with_the_secret_key_is_read_once_there_are_others(settings):
    sealed = seal("sk-canary", place=PLACE)
    settings.ENCRYPTION_KEYS = [NEW]
    assert unseal(sealed, place=PLACE) == "sk-canary"


def test_a_wrong_key_is_a_sentence_and_never_what_is_kept(settings):
    sealed = seal("sk-canary", place=PLACE)
    settings.SECRET_KEY = "another-" + "c" * 40
    with pytest.raises(UnreadableSecretError) as failed:
        unseal(sealed, place=PLACE)
    assert "BATON_ENCRYPTION_KEYS" in str(failed.value)
    assert sealed not in str(failed.value)


def test_a_short_key_stops_the_start_with_a_sentence(monkeypatch):
    monkeypatch.setenv("BATON_ENCRYPTION_KEYS", f"{NEW}, short")
    with pytest.raises(ImproperlyConfigured, match="BATON_ENCRYPTION_KEYS must be long"):
        environment.encryption_keys("BATON_ENCRYPTION_KEYS")


@pytest.mark.parametrize("given", ['["mcp"]', '{"a": "mcp --all"}', '{"a": []}', "{"])
def test_commands_that_make_no_sense_stop_the_start_with_a_sentence(monkeypatch, given):
    monkeypatch.setenv("BATON_MCP_STDIO", given)
    with pytest.raises(ImproperlyConfigured, match="BATON_MCP_STDIO must be JSON"):
        environment.commands("BATON_MCP_STDIO")


@pytest.fixture
def connection(user):
    row = Connection(owner=user, name="work", kind="openai", base_url="https://api.example/v1")
    row.store_secrets(key="sk-canary", headers={"X-Team": "team-canary"})
    row.save()
    return row


def work_of(user):
    """The connection `work` of a user, as runs are given it."""
    found = connection_for(user.pk, "work")
    assert found is not None
    return found


@pytest.mark.django_db
def test_a_connection_gives_runs_its_secrets_and_shows_them_nowhere(connection, user):
    value = work_of(user)
    assert (value.key, value.headers) == ("sk-canary", {"X-Team": "team-canary"})
    row = Connection.objects.values().get()
    assert "canary" not in f"{value!r} {connection!r} {row}"


@pytest.mark.django_db
def test_a_row_whose_address_was_changed_gives_no_key_away(connection, user):
    Connection.objects.update(base_url="https://evil.example/v1")
    value = work_of(user)
    assert (value.key, value.headers) == ("", {})
    assert value.fault == (
        "The key of the connection 'work' is bound to https://api.example. Enter it again for https://evil.example."
    )


@pytest.mark.django_db
def test_an_unreadable_key_is_a_fault_in_words(connection, user, settings):
    settings.SECRET_KEY = "another-" + "c" * 40
    value = work_of(user)
    assert value.key == ""
    assert value.fault.startswith(
        "The key of the connection 'work' cannot be decrypted: the server's"
    )


@pytest.mark.django_db
def test_a_connection_is_its_owners_alone(connection, other_user):
    assert connection_for(other_user.pk, "work") is None


@pytest.mark.django_db
def test_a_server_of_this_machine_is_started_only_as_the_operator_lists_it(user, settings):
    settings.MCP_STDIO = {"files": ("mcp-files", "/srv")}
    listed = Connection(owner=user, name="files", kind="mcp_stdio", command="files")
    unlisted = Connection(owner=user, name="all", kind="mcp_stdio", command="rm")
    assert listed.value().command == ("mcp-files", "/srv")
    assert unlisted.value().command == ()


@pytest.mark.django_db
def test_secrets_are_encrypted_anew_with_the_first_key(connection, user, settings, capsys):
    settings.ENCRYPTION_KEYS = [NEW]
    call_command("encrypt_anew")
    assert capsys.readouterr().out == "Encrypted with the first key: 1.\n"
    settings.SECRET_KEY = "another-" + "c" * 40
    assert work_of(user).key == "sk-canary"


@pytest.mark.django_db
def test_what_no_key_reads_is_named_when_secrets_are_encrypted_anew(connection, settings):
    settings.SECRET_KEY = "another-" + "c" * 40
    with pytest.raises(CommandError, match="work of ada"):
        call_command("encrypt_anew")

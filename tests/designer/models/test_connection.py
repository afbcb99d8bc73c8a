"""Connections as rows with encrypted secrets."""

import pytest

from designer.core.owner_connections import connection_for
from designer.models import Connection


@pytest.fixture
def connection(user):
    row = Connection(owner=user, name="work", kind="openai", base_url="https://api.example/v1")
    row.store_secrets(key="sk-canary", headers={"X-Team": "team-canary"})
    row.save()
    return row


def work_of(user):
    """Return the settings of the user's connection `work`."""
    settings = connection_for(user.pk, "work")
    assert settings is not None
    return settings


@pytest.mark.django_db
def test_secrets_are_in_the_settings_but_in_no_repr_or_row(connection, user):
    value = work_of(user)
    assert (value.key, value.headers) == ("sk-canary", {"X-Team": "team-canary"})
    row = Connection.objects.values().get()
    assert "canary" not in f"{value!r} {connection!r} {row}"


@pytest.mark.django_db
def test_a_changed_address_of_a_row_yields_no_key(connection, user):
    Connection.objects.update(base_url="https://evil.example/v1")
    value = work_of(user)
    assert (value.key, value.headers) == ("", {})
    assert value.fault == (
        "The key of the connection 'work' is bound to https://api.example. Enter it again for https://evil.example."
    )


@pytest.mark.django_db
def test_an_unreadable_key_is_reported_as_a_fault(connection, user, settings):
    settings.SECRET_KEY = "another-" + "c" * 40
    value = work_of(user)
    assert value.key == ""
    assert value.fault.startswith(
        "The key of the connection 'work' cannot be decrypted: the server's"
    )


@pytest.mark.django_db
def test_other_users_have_no_access_to_a_connection(connection, other_user):
    assert connection_for(other_user.pk, "work") is None


@pytest.mark.django_db
def test_only_listed_stdio_commands_are_started(user, settings):
    settings.MCP_STDIO = {"files": ("mcp-files", "/srv")}
    listed = Connection(owner=user, name="files", kind="mcp_stdio", command="files")
    unlisted = Connection(owner=user, name="all", kind="mcp_stdio", command="rm")
    assert listed.value().command == ("mcp-files", "/srv")
    assert unlisted.value().command == ()

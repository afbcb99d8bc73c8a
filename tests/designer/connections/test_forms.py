"""Form of a connection."""

import pytest

from designer.models import Connection
from tests.designer.connections.connection_pages import field_error, post, save_connection

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


def test_an_empty_address_is_the_vendors_address(client):
    assert save_connection(client, kind="gemini", base_url="").place == (
        "https://generativelanguage.googleapis.com"
    )


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "Give the connection a name."),
        ("name", "scripted", "is the built-in scripted provider"),
        ("name", "taken", "You already have a connection “taken”"),
        ("kind", "telex", "Type has no choice “telex”"),
        ("base_url", "api.example", "begin with https:// or http://"),
        ("base_url", "file:///etc/passwd", "begin with https:// or http://"),
        ("base_url", "http+unix://%2Frun%2Fdocker.sock/v1", "begin with https:// or http://"),
        ("base_url", "https://ada:secret@api.example", "must not contain a user name or password"),
        ("base_url", "https://api.example:99999", "check its host and port"),
        ("base_url", "https://api.example/?key=1", "must not contain “?” or “#”"),
        ("key", "sk-\nx", "line break"),
        ("key", "sk-ключ", "a character that is not allowed"),
        ("headers", "X-Team", "Line 1 is not a header"),
        ("headers", "Host: evil", "cannot be set: remove it"),
        ("headers", "TE: trailers", "cannot be set: remove it"),
        ("headers", "A: 1\na: 2", "is listed twice"),
        ("headers", "A: é", "contains a character that is not allowed"),
        ("headers", "New: ••••••", "has no stored value"),
        ("connect", "0", "must be from 0.1 to 3,600"),
        ("turn", "nan", "must be a number"),
        ("tries", "11", "must be from 1 to 10"),
        ("price_in", "-1", "must be from 0 to 1,000,000"),
        ("model", "x" * 201, "at most 200"),
    ],
)
def test_an_invalid_value_is_reported_at_its_field(client, field, value, sentence):
    save_connection(client, name="taken")
    response = post(client, "connection_add", **{field: value})
    assert response.status_code == 422
    assert sentence in field_error(response, field)
    assert Connection.objects.count() == 1


def test_an_http_api_requires_an_address(client):
    response = post(client, "connection_add", kind="http", base_url="")
    assert field_error(response, "base_url").startswith("Enter an address")


def test_a_stdio_server_can_be_chosen_if_the_operator_lists_it(client, settings):
    assert field_error(post(client, "connection_add", kind="mcp_stdio"), "kind").endswith(
        "has no choice “mcp_stdio”."
    )
    settings.MCP_STDIO = {"files": ("mcp-files",)}
    assert field_error(post(client, "connection_add", kind="mcp_stdio"), "command")
    unlisted = post(client, "connection_add", kind="mcp_stdio", command="rm")
    assert "has no choice" in field_error(unlisted, "command")
    row = save_connection(client, kind="mcp_stdio", command="files", key="sk-1")
    assert (row.base_url, row.sealed_key) == ("", "")

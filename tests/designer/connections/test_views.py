"""The pages of connections: list and form."""

import pytest

from designer.models import Connection
from tests.designer.connections.connection_pages import FIELDS, post, said, saved
from tests.designer.editor_requests import draw

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


# The list


def test_who_has_none_is_told_how_to_add_one(client):
    html = client.get("/connections/").content.decode()
    assert "No connections yet" in html
    assert "played by the scripted provider" in html


def test_connections_of_the_environment_are_shown_as_such_and_without_their_keys(
    client, monkeypatch
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary-of-the-environment")
    monkeypatch.setenv("ANTHROPIC_MODEL", "claude-small")
    html = client.get("/connections/").content.decode()
    assert "From the environment" in html
    assert all(one in html for one in ("ANTHROPIC_API_KEY", "claude-small", "api.anthropic.com"))
    assert "answers agents that name no other" in html
    assert "canary" not in html
    saved(client, name="anthropic")
    html = client.get("/connections/").content.decode()
    assert "your own of that name is asked instead" in html


def test_the_list_says_who_asks_a_connection(client, user):
    pipeline = draw(user, "intake", "review")
    pipeline.agents.filter(key="agent-intake").update(provider="work")
    pipeline.agents.filter(key="agent-review").update(fallback="work")
    saved(client)
    assert "2 agents" in client.get("/connections/").content.decode()


def test_nobody_sees_the_connections_of_someone_else(client, other_client):
    saved(client, name="mine")
    assert "mine" not in other_client.get("/connections/").content.decode()


# The form


def test_a_connection_is_added_with_all_its_fields(client):
    row = saved(
        client,
        base_url="https://api.example/v1/",
        key="sk-canary",
        headers="X-Team: blue\nX-Title: Baton: desk",
        model="small",
        connect="2.5",
        tries="2",
        price_in="0.5",
        price_out="8",
    )
    assert (row.base_url, row.model, row.connect, row.tries) == (
        "https://api.example/v1", "small", 2.5, 2,
    )  # fmt: skip
    assert (row.price_in, row.price_out, row.turn) == (0.5, 8.0, None)
    value = row.value()
    assert value.key == "sk-canary"
    assert value.headers == {"X-Team": "blue", "X-Title": "Baton: desk"}


def test_an_address_that_is_left_out_is_the_vendors_own(client):
    assert saved(client, kind="gemini", base_url="").place == (
        "https://generativelanguage.googleapis.com"
    )


def test_the_first_connection_is_offered_as_the_default_one(client):
    assert 'name="name" value="default"' in client.get("/connections/add/").content.decode()
    saved(client)
    assert 'value="default"' not in client.get("/connections/add/").content.decode()


def test_neither_key_nor_headers_are_ever_shown_again(client):
    row = saved(client, key="sk-canary", headers="X-Team: canary-too")
    for address in ("/connections/", f"/connections/{row.pk}/"):
        html = client.get(address).content.decode()
        assert "canary" not in html
        assert row.sealed_key not in html
    assert "X-Team: ••••••" in html


def test_what_is_left_empty_or_dotted_stays_as_it_was(client):
    row = saved(client, key="sk-canary", headers="X-Team: blue")
    post(client, "connection", row.pk, headers="X-Team: ••••••\nX-New: red", model="large")
    value = Connection.objects.get().value()
    assert (value.key, value.model) == ("sk-canary", "large")
    assert value.headers == {"X-Team": "blue", "X-New": "red"}
    assert Connection.objects.get().version == row.version + 1


def test_a_key_is_forgotten_only_when_that_is_asked_for(client):
    row = saved(client, key="sk-canary")
    post(client, "connection", row.pk, forget_key="on")
    assert Connection.objects.get().value().key == ""


def test_another_address_asks_for_the_key_again(client):
    row = saved(client, key="sk-canary")
    moved = {"base_url": "https://evil.example/v1"}
    response = post(client, "connection", row.pk, **moved)
    assert response.status_code == 422
    assert said(response, "key").startswith("The stored key is for https://api.example: enter")
    assert Connection.objects.get().base_url == row.base_url
    post(client, "connection", row.pk, **moved, key="sk-new")
    assert Connection.objects.get().value().key == "sk-new"


def test_another_path_on_the_same_host_does_not(client):
    row = saved(client, key="sk-canary")
    post(client, "connection", row.pk, base_url="https://api.example/v2")
    assert Connection.objects.get().value().key == "sk-canary"


def test_another_address_asks_for_the_headers_again(client):
    row = saved(client, headers="X-Team: blue")
    moved = {"base_url": "https://evil.example/v1", "headers": "X-Team: ••••••"}
    response = post(client, "connection", row.pk, **moved)
    assert said(response, "headers").startswith("The stored headers are for https://api.example")


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
def test_what_cannot_be_is_told_beside_its_field(client, field, value, sentence):
    saved(client, name="taken")
    response = post(client, "connection_add", **{field: value})
    assert response.status_code == 422
    assert sentence in said(response, field)
    assert Connection.objects.count() == 1


def test_an_api_for_tools_needs_an_address(client):
    response = post(client, "connection_add", kind="http", base_url="")
    assert said(response, "base_url").startswith("Enter an address")


def test_a_server_of_this_machine_can_be_chosen_where_the_operator_lists_it(client, settings):
    assert said(post(client, "connection_add", kind="mcp_stdio"), "kind").endswith(
        "has no choice “mcp_stdio”."
    )
    settings.MCP_STDIO = {"files": ("mcp-files",)}
    assert said(post(client, "connection_add", kind="mcp_stdio"), "command")
    unlisted = post(client, "connection_add", kind="mcp_stdio", command="rm")
    assert "has no choice" in said(unlisted, "command")
    row = saved(client, kind="mcp_stdio", command="files", key="sk-1")
    assert (row.base_url, row.sealed_key) == ("", "")


def test_without_htmx_the_page_comes_back_with_what_was_typed(client):
    response = client.post("/connections/add/", {**FIELDS, "name": "", "model": "small"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "Give the connection a name." in html
    assert 'value="https://api.example/v1"' in html
    assert client.post("/connections/add/", FIELDS).headers["Location"] == "/connections/"


def test_a_connection_is_deleted(client):
    row = saved(client)
    response = client.post(f"/connections/{row.pk}/delete/", follow=True)
    assert "The connection “work” is deleted." in response.content.decode()
    assert not Connection.objects.exists()


def test_one_person_keeps_so_many_connections_and_no_more(client, user):
    rows = (Connection(owner=user, name=f"c{number}") for number in range(50))
    Connection.objects.bulk_create(rows)
    assert "the maximum of" in said(post(client, "connection_add"), "name")

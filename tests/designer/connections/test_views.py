"""Pages of connections: list and form."""

import pytest
from django.urls import reverse

from designer.models import Connection, Tool
from tests.designer.connections.connection_pages import FIELDS, save_connection
from tests.designer.editor_requests import HTMX, draw

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("no_environment"),
]


def test_an_empty_list_explains_how_to_add_a_connection(client):
    html = client.get("/connections/").content.decode()
    assert "No connections yet" in html
    assert "played by the scripted provider" in html


def test_connections_of_other_users_are_not_listed(client, other_client):
    save_connection(client, name="mine")
    assert "mine" not in other_client.get("/connections/").content.decode()


def test_a_connection_is_added_with_all_its_fields(client):
    row = save_connection(
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


def test_the_suggested_name_of_the_first_connection_is_default(client):
    assert 'name="name" value="default"' in client.get("/connections/add/").content.decode()
    save_connection(client)
    assert 'value="default"' not in client.get("/connections/add/").content.decode()


def test_stored_keys_and_headers_are_never_shown(client):
    row = save_connection(client, key="sk-canary", headers="X-Team: canary-too")
    for address in ("/connections/", f"/connections/{row.pk}/"):
        html = client.get(address).content.decode()
        assert "canary" not in html
        assert row.sealed_key not in html
    assert "X-Team: ••••••" in html


def test_without_htmx_the_page_keeps_the_entered_values(client):
    response = client.post("/connections/add/", {**FIELDS, "name": "", "model": "small"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "Give the connection a name." in html
    assert 'value="https://api.example/v1"' in html
    assert client.post("/connections/add/", FIELDS).headers["Location"] == "/connections/"


def test_before_its_deletion_a_connection_names_the_pipelines_that_use_it(client, user):
    row = save_connection(client)
    html = client.get(f"/connections/{row.pk}/").text
    assert "Used in" not in html
    pipeline = draw(user, "intake", "review")
    pipeline.agents.update(fallback="work")
    html = client.get(f"/connections/{row.pk}/").text
    assert f"Used in {pipeline.name}." in html
    assert "1 pipeline uses it, and cannot be rehearsed without it." in html
    html = client.get("/connections/").text
    assert "https://api.example/v1" in html
    assert "<dd>2 agents</dd>" in html


def test_tools_use_a_connection_too(client, user):
    row = save_connection(client)
    pipeline = draw(user, "intake")
    Tool.objects.create(pipeline=pipeline, name="a", kind="http", http={"connection": "work"})
    Tool.objects.create(pipeline=pipeline, name="b", kind="mcp", mcp={"connection": "work"})
    Tool.objects.create(pipeline=pipeline, name="c", kind="http")
    html = client.get(f"/connections/{row.pk}/").text
    assert "1 pipeline uses it, and cannot be rehearsed without it." in html
    assert f"Used in {pipeline.name}." in html
    assert "<dd>2 tools</dd>" in client.get("/connections/").text


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_a_new_name_of_a_connection_in_use_is_warned_of(client, user, headers):
    row = save_connection(client)
    pipeline = draw(user, "intake")
    pipeline.agents.update(provider="work")
    path = f"/connections/{row.pk}/"
    same = client.post(path, {**FIELDS, "model": "small"}, headers=headers, follow=True)
    assert "The old name" not in same.text
    renamed = client.post(path, {**FIELDS, "name": "home"}, headers=headers, follow=True)
    warning = f"The old name “work” is used in “{pipeline.name}”: choose “home” there"
    assert warning in renamed.text


def test_a_connection_is_deleted(client):
    row = save_connection(client)
    response = client.post(f"/connections/{row.pk}/delete/", follow=True)
    assert "The connection “work” is deleted." in response.content.decode()
    assert not Connection.objects.exists()


@pytest.mark.parametrize("kind", ["openai_compatible", "http", "mcp"])
@pytest.mark.parametrize(
    "headers",
    [
        "X-Team: canary-1\nHost: canary-2",
        "X-Team: canary-1\ncanary without a name",
        "X-Team: canary-1\nX-Other: canary-é",
        "x" * 21_000 + "\nX-Team: canary-1",
        "X-Team: canary-1",
    ],
)
@pytest.mark.parametrize("address", ["connection_add", "connection"])
def test_a_form_shown_again_contains_no_secret(client, kind, headers, address):
    args = [save_connection(client).pk] if address == "connection" else []
    fields = {
        "kind": kind,
        "name": "work",
        "base_url": "https://canary-user:canary-password@api.example/v1?key=canary-query",
        "key": "canary-key",
        "headers": headers,
    }
    response = client.post(reverse(address, args=args), fields)
    assert response.status_code == 422
    assert "canary" not in response.text
    assert "X-Team:" in response.text
    assert "https://api.example/v1" in response.text


def test_a_form_shown_again_keeps_the_mark_of_a_stored_header(client):
    row = save_connection(client, headers="X-Team: canary")
    fields = {**FIELDS, "name": "", "headers": "X-Team: ••••••\nX-New: canary"}
    text = client.post(reverse("connection", args=[row.pk]), fields).text
    assert "X-Team: ••••••\nX-New: \n" in text or "X-Team: ••••••\nX-New: <" in text


def test_a_header_without_a_value_is_not_saved(client):
    response = client.post(
        reverse("connection_add"), {**FIELDS, "headers": "X-Team:"}, headers=HTMX
    )
    assert "Enter the value of “X-Team”" in response.text
    assert not Connection.objects.exists()

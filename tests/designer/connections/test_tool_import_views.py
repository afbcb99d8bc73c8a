"""Taking tools into a pipeline from an OpenAPI document, and from an MCP server."""

import html
import json
import re
import sys

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designer.accounts.sharing import share_pipeline
from designer.connections.connection_tests import MAX_AT_ONCE, rate_limit_message
from designer.core.database import in_database
from designer.models import Connection
from orchestration.definition import HttpCall, McpCall, Tool
from tests.designer.connections.test_openapi import PETS
from tests.designer.editor_requests import draw, now
from tests.designer.rehearsal.live.test_remote_tools import MCP_SERVER

pytestmark = pytest.mark.django_db


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


def post(client, pipeline, view, **fields):
    return client.post(reverse(view, args=[pipeline.pk]), fields)


def offered(response):
    """The tools that a page offers, by their names: what is sent when they are picked."""
    values = re.findall(r'name="tool" value="([^"]*)"', response.content.decode())
    found = [html.unescape(value) for value in values]
    return {json.loads(value)["name"]: value for value in found}


def said(response):
    return html.unescape(response.content.decode())


def test_the_operations_of_a_document_are_listed_and_the_picked_ones_taken(client, pipeline):
    response = post(client, pipeline, "tools_of_document", text=PETS)
    assert list(offered(response)) == ["get_pet", "update_pet", "post_pets", "_1_log_in"]
    assert "GET /pets/{petId}" in said(response)
    assert "4 left out" in said(response)
    assert "This API wants a key" in said(response)
    first = re.search(r'<input[^>]*name="tool"[^>]*>', response.content.decode())
    assert first
    assert " autofocus>" in first[0]
    assert response.content.decode().count("autofocus") == 1
    picked = [offered(response)["get_pet"], offered(response)["post_pets"]]
    response = post(client, pipeline, "tools_take", tool=picked, agent=["agent-review"])
    assert response.status_code == 302
    assert response["Location"].endswith("?select=tool%3Aget_pet")
    definition = now(pipeline)
    assert list(definition.tools_by_name) == ["get_pet", "post_pets"]
    assert definition.tools_by_name["post_pets"].http == HttpCall(
        method="POST", url="https://eu.pets.example/v1/pets", body="{body}"
    )
    assert definition.agents_by_id["agent-review"].tools == ("get_pet", "post_pets")
    assert definition.agents_by_id["agent-intake"].tools == ()
    client.post(reverse("undo", args=[pipeline.pk]))
    assert now(pipeline).tools == ()


def test_a_document_may_be_a_file_and_go_with_a_connection(client, user, pipeline):
    Connection.objects.create(owner=user, name="pets", kind="http")
    page = client.get(reverse("tool_import", args=[pipeline.pk]))
    assert '<option value="pets">' in said(page)
    file = SimpleUploadedFile("pets.yaml", PETS.encode())
    response = post(client, pipeline, "tools_of_document", file=file, connection="pets")
    assert "This API wants a key" not in said(response)
    post(client, pipeline, "tools_take", tool=offered(response)["get_pet"])
    (tool,) = now(pipeline).tools
    assert tool.http
    assert tool.http.connection == "pets"
    assert tool.http.url.startswith("/pets/")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Choose a file, or paste the text of the document."),
        ({"text": "swagger: '2.0'"}, "It is Swagger 2.0"),
        ({"text": "a: &a 1\nb: *a"}, "Line 2 uses a YAML alias"),
        ({"text": "{"}, "This is not JSON"),
    ],
)
def test_a_document_that_cannot_be_read_says_why_and_stays(client, pipeline, fields, sentence):
    response = post(client, pipeline, "tools_of_document", **fields)
    assert response.status_code == 422
    assert sentence in said(response)
    assert fields.get("text", "") in said(response)


def test_a_name_that_is_taken_gets_a_number(client, pipeline):
    tool = Tool(name="look_up").model_dump_json()
    post(client, pipeline, "tools_take", tool=tool)
    post(client, pipeline, "tools_take", tool=tool)
    assert list(now(pipeline).tools_by_name) == ["look_up", "look_up_2"]


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        ([], "Select at least one tool."),
        (["{"], "The selection cannot be read"),
        (["[]"], "The selection cannot be imported"),
        (['{"name": "a b"}'], "The selection cannot be imported"),
        (['{"name": "a", "description": "\\u0000"}'], "The selection cannot be imported"),
        (['{"name": "a"}'] * 201, "at most 200 tools"),
    ],
)
def test_what_was_tampered_with_is_refused(client, pipeline, tool, sentence):
    response = post(client, pipeline, "tools_take", tool=tool)
    assert response.status_code == 422
    assert sentence in said(response)
    assert now(pipeline).tools == ()


def test_what_is_refused_keeps_the_list_and_what_is_ticked_in_it(client, pipeline):
    page = post(client, pipeline, "tools_of_document", text=PETS)
    (listing,) = re.findall(r'name="listing" value="([^"]*)"', page.content.decode())
    sent = {"listing": html.unescape(listing), "agent": ["agent-review"]}
    response = post(client, pipeline, "tools_take", tool=[], **sent)
    assert response.status_code == 422
    assert "Select at least one tool." in said(response)
    assert offered(response) == offered(page)
    assert "4 left out" in said(response)
    assert "This API wants a key" in said(response)
    assert 'value="agent-review" checked' in said(response)
    assert 'value="agent-intake" checked' not in said(response)

    picked = offered(page)["get_pet"]
    response = post(client, pipeline, "tools_take", tool=[picked, "{"], **sent)
    assert response.status_code == 422
    assert re.findall(r'name="tool" value="([^"]*)" checked', response.content.decode()) == [
        html.escape(picked).replace("&#x27;", "&#39;")
    ]
    response = post(client, pipeline, "tools_take", tool=picked, **sent)
    assert list(now(pipeline).tools_by_name) == ["get_pet"]


@pytest.mark.parametrize("listing", ["{", "[]", '{"offered": [{"tool": {}}]}', '{"title": 1}'])
def test_a_list_that_was_tampered_with_is_not_shown(client, pipeline, listing):
    response = post(client, pipeline, "tools_take", tool=[], listing=listing)
    assert response.status_code == 422
    assert "Select at least one tool." in said(response)
    assert not offered(response)


def test_who_may_only_look_takes_no_tools(client, user, other_user, pipeline, transactional_db):
    others = draw(other_user, "intake")
    share_pipeline(pipeline=others, username=user.username, role="viewer")
    assert client.get(reverse("tool_import", args=[others.pk])).status_code == 403
    for view in ("tools_of_document", "tools_of_server", "tools_take"):
        assert post(client, others, view).status_code == 403


@pytest.mark.server
def test_the_tools_of_an_mcp_server_are_listed_and_the_picked_ones_taken(
    client, user, settings, pipeline, transactional_db
):
    settings.MCP_STDIO = {"orders": (sys.executable, str(MCP_SERVER), "stdio")}
    Connection.objects.create(owner=user, name="files", kind="mcp_stdio", command="orders")
    response = post(client, pipeline, "tools_of_server", server="files")
    assert {"look_up", "add", "fail"} <= offered(response).keys()
    assert "Look an order up." in said(response)
    post(client, pipeline, "tools_take", tool=offered(response)["look_up"])
    (tool,) = now(pipeline).tools
    assert (tool.kind, tool.mcp) == ("mcp", McpCall(connection="files"))
    assert (tool.idempotent, tool.parameters["required"]) == (True, ["order"])


def test_a_server_that_cannot_be_reached_says_so(
    client, user, other_user, pipeline, transactional_db
):
    Connection.objects.create(owner=user, name="files", kind="mcp_stdio", command="gone")
    Connection.objects.create(
        owner=other_user, name="theirs", kind="mcp", base_url="https://a.example"
    )
    response = post(client, pipeline, "tools_of_server", server="files")
    assert response.status_code == 422
    assert "BATON_MCP_STDIO" in said(response)
    response = post(client, pipeline, "tools_of_server", server="theirs")
    assert "The MCP server “theirs” no longer exists" in said(response)


@pytest.mark.django_db(transaction=True)
async def test_who_tried_connections_too_often_waits_to_list_the_tools_of_a_server_as_well(
    async_client, user
):
    pipeline = await in_database(draw, user, "intake")
    dead = {"kind": "mcp", "base_url": "http://127.0.0.1:9/"}
    await Connection.objects.acreate(owner=user, name="files", **dead)
    await async_client.aforce_login(user)
    while not rate_limit_message(user.pk):
        pass
    page = reverse("tools_of_server", args=[pipeline.pk])
    response = await async_client.post(page, {"server": "files"})
    assert response.status_code == 429
    assert f"You ran {MAX_AT_ONCE} tests in a short time" in response.content.decode()

"""Import of tools from an OpenAPI document and an MCP server."""

import re
import sys
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designer.accounts.sharing import share_pipeline
from designer.connections.connection_tests import MAX_AT_ONCE, rate_limit_message
from designer.core.database import in_database
from designer.models import Connection
from orchestration.definition import HttpCall, McpCall
from tests.designer.connections.pets_document import PETS
from tests.designer.connections.tool_import_pages import offered_tools, page_text, post
from tests.designer.editor_requests import draw, now
from tests.designer.rehearsal.live.test_remote_tools import MCP_SERVER

pytestmark = pytest.mark.django_db


def test_operations_of_a_document_are_listed_and_selected_ones_imported(client, pipeline):
    response = post(client, pipeline, "tools_of_document", text=PETS)
    assert list(offered_tools(response)) == ["get_pet", "update_pet", "post_pets", "_1_log_in"]
    assert "GET /pets/{petId}" in page_text(response)
    assert "4 left out" in page_text(response)
    assert "This API requires a key" in page_text(response)
    first = re.search(r'<input[^>]*name="tool"[^>]*>', response.content.decode())
    assert first
    assert " autofocus>" in first[0]
    assert response.content.decode().count("autofocus") == 1
    selected = [offered_tools(response)["get_pet"], offered_tools(response)["post_pets"]]
    response = post(client, pipeline, "tools_take", tool=selected, agent=["agent-review"])
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


def test_a_document_can_be_a_file_and_use_a_connection(client, user, pipeline):
    Connection.objects.create(owner=user, name="pets", kind="http")
    page = client.get(reverse("tool_import", args=[pipeline.pk]))
    assert '<option value="pets">' in page_text(page)
    file = SimpleUploadedFile("pets.yaml", PETS.encode())
    html = client.get(reverse("tool_import", args=[pipeline.pk])).text
    assert '<option value="pets"></option>' in html
    assert 'data-unknown="There is no HTTP connection"' in html
    response = post(client, pipeline, "tools_of_document", file=file, connection="pets")
    assert "This API requires a key" not in page_text(response)
    post(client, pipeline, "tools_take", tool=offered_tools(response)["get_pet"])
    (tool,) = now(pipeline).tools
    assert tool.http
    assert tool.http.connection == "pets"
    assert tool.http.url.startswith("/pets/")


def test_a_viewer_cannot_import_tools(client, user, other_user, pipeline, transactional_db):
    others = draw(other_user, "intake")
    share_pipeline(pipeline=others, username=user.username, role="viewer")
    assert client.get(reverse("tool_import", args=[others.pk])).status_code == 403
    for view in ("tools_of_document", "tools_of_server", "tools_take"):
        assert post(client, others, view).status_code == 403


@pytest.mark.server
def test_a_hostile_schema_of_an_mcp_server_is_refused_with_its_path(
    client, user, settings, pipeline, transactional_db
):
    script = Path(__file__).with_name("hostile_mcp_server.py")
    settings.MCP_STDIO = {"orders": (sys.executable, str(script))}
    Connection.objects.create(owner=user, name="files", kind="mcp_stdio", command="orders")
    response = post(client, pipeline, "tools_of_server", server="files")
    assert response.status_code == 422
    assert "The tools of files are refused: $[0].parameters.a.a" in page_text(response)
    assert "nested more than 32 deep" in page_text(response)
    assert not offered_tools(response)


@pytest.mark.server
def test_tools_of_an_mcp_server_are_listed_and_selected_ones_imported(
    client, user, settings, pipeline, transactional_db
):
    settings.MCP_STDIO = {"orders": (sys.executable, str(MCP_SERVER), "stdio")}
    Connection.objects.create(owner=user, name="files", kind="mcp_stdio", command="orders")
    response = post(client, pipeline, "tools_of_server", server="files")
    assert {"look_up", "add", "fail"} <= offered_tools(response).keys()
    assert "Look an order up." in page_text(response)
    post(client, pipeline, "tools_take", tool=offered_tools(response)["look_up"])
    (tool,) = now(pipeline).tools
    assert (tool.kind, tool.mcp) == ("mcp", McpCall(connection="files"))
    assert (tool.idempotent, tool.parameters["required"]) == (True, ["order"])


def test_an_unreachable_server_is_reported(client, user, other_user, pipeline, transactional_db):
    Connection.objects.create(owner=user, name="files", kind="mcp_stdio", command="gone")
    Connection.objects.create(
        owner=other_user, name="theirs", kind="mcp", base_url="https://a.example"
    )
    response = post(client, pipeline, "tools_of_server", server="files")
    assert response.status_code == 422
    assert "BATON_MCP_STDIO" in page_text(response)
    response = post(client, pipeline, "tools_of_server", server="theirs")
    assert "The MCP server “theirs” no longer exists" in page_text(response)


@pytest.mark.django_db(transaction=True)
async def test_the_limit_of_connection_tests_includes_tool_lists(async_client, user):
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

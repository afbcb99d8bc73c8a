"""The form of a tool that is answered by an HTTP API or by an MCP server."""

import pytest

from designer.models import Connection
from orchestration.definition import HttpCall, McpCall
from tests.designer.editor_page import as_shown, field_error, inspected, tool_fields
from tests.designer.editor_requests import draw, now, send

pytestmark = pytest.mark.django_db

HTTP = {
    "kind": "http",
    "http_connection": "shop",
    "http_method": "POST",
    "http_url": "/orders/{order}?page={page}",
    "http_headers": "Accept-Language: {language}\r\n\r\nX-Time:  12:30 ",
    "http_body": '{"note": {note}}',
    "http_take": "/order/state",
}
CALL = HttpCall(
    method="POST",
    url="/orders/{order}?page={page}",
    headers={"Accept-Language": "{language}", "X-Time": "12:30"},
    body='{"note": {note}}',
    take="/order/state",
    connection="shop",
)


@pytest.fixture
def pipeline(user):
    return draw(user, "intake", "review")


@pytest.fixture
def tool(client, pipeline):
    send(client, pipeline, "add_tool")
    return lambda: now(pipeline).tools[0]


def change(client, pipeline, **fields):
    return send(client, pipeline, "update_tool", **tool_fields("tool-1", **fields))


def test_a_tool_is_answered_by_an_http_request(client, pipeline, tool):
    assert change(client, pipeline, **HTTP).status_code == 200
    assert (tool().kind, tool().http, tool().mcp) == ("http", CALL, None)


def test_a_saved_request_is_shown_and_saved_unchanged(client, pipeline, tool):
    change(client, pipeline, **HTTP)
    before = tool()
    html = inspected(client, pipeline, select="tool:tool-1")
    send(client, pipeline, "update_tool", **as_shown(html, "tool-form"))
    assert tool() == before


def test_a_tool_is_answered_by_an_mcp_server(client, pipeline, tool):
    change(client, pipeline, kind="mcp", mcp_connection="Files", mcp_tool="read_file")
    assert (tool().kind, tool().mcp) == ("mcp", McpCall(connection="files", tool="read_file"))
    html = inspected(client, pipeline, select="tool:tool-1")
    send(client, pipeline, "update_tool", **as_shown(html, "tool-form", mcp_tool=""))
    assert tool().mcp == McpCall(connection="files")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("http_headers", "no colon"), ("http_headers", ": x"), ("http_headers", "A: 1\na: 2"),
        ("http_method", "TRACE"), ("http_url", "x" * 2_001), ("http_connection", "!"),
        ("http_headers", "A: " + "x" * 501), ("http_take", "x" * 501),
    ],
)  # fmt: skip
def test_an_invalid_request_has_its_error_beside_the_field(client, pipeline, tool, field, value):
    response = change(client, pipeline, **HTTP | {field: value})
    assert response.status_code == 422
    assert field_error(response, field)
    assert tool().kind == "function"


def test_a_tool_of_an_mcp_server_needs_the_server(client, pipeline, tool):
    response = change(client, pipeline, kind="mcp", mcp_tool="read_file")
    assert field_error(response, "mcp_connection") == "Choose the MCP server of the tool."
    assert change(client, pipeline, kind="mcp").status_code == 200
    assert (tool().kind, tool().mcp) == ("mcp", None)


def test_an_invalid_request_is_ignored_for_other_kinds_of_tools(client, pipeline, tool):
    fields = HTTP | {"kind": "function", "http_headers": "no colon", "http_url": "x" * 2_001}
    assert change(client, pipeline, **fields).status_code == 200
    assert (tool().http, tool().mcp) == (None, None)


def test_connections_of_the_owner_are_suggested_in_the_matching_field(
    client, user, other_user, pipeline, tool
):
    for owner, name, kind in [
        (user, "shop", "http"), (user, "files", "mcp"), (user, "local", "mcp_stdio"),
        (user, "gpt", "openai"), (other_user, "secret-shop", "http"),
    ]:  # fmt: skip
        Connection.objects.create(owner=owner, name=name, kind=kind)
    html = inspected(client, pipeline, select="tool:tool-1")

    def offered(field):
        _, _, rest = html.partition(f"{field}-list")
        _, _, listed = rest.partition("<datalist")
        return [
            part.partition('"')[0]
            for part in listed.partition("</datalist>")[0].split('value="')[1:]
        ]

    assert offered("http_connection") == ["shop"]
    assert offered("mcp_connection") == ["files", "local"]
    assert "secret-shop" not in html

"""Tools that answer elsewhere, from the page of connections to the rehearsal, in a browser."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.navigation import bring_in
from tests.e2e.rehearsing import converse
from tests.orchestration.web_server import Answer, WebServer
from tests.serving import ROOT, BatonServer

pytestmark = [pytest.mark.browser, pytest.mark.long]

KEY = "sk-canary-0123456789"
MCP_SERVER = ROOT / "tests" / "orchestration" / "mcp_server.py"

TOOL = {
    "name": "find_order",
    "kind": "http",
    "http": {"url": "orders/{order}", "connection": "shop", "take": "/state"},
    "parameters": {"type": "object", "properties": {"order": {"type": "string"}}},
}

DESK: dict[str, Any] = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Desk",
    "entry": "desk",
    "agents": [
        {
            "id": "clerk",
            "name": "Clerk",
            "tools": ["find_order"],
            "cues": [
                {
                    "when": ["find"],
                    "say": "I look.",
                    "call": {"tool": "find_order", "arguments": {"order": "A/7"}},
                },
                {"when": ["where"], "call": {"tool": "look_up", "arguments": {"order": 7}}},
                {"say": "That is all I know."},
            ],
        }
    ],
    "stages": [{"phase": "desk", "agent_id": "clerk"}],
    "tools": [TOOL],
}


@pytest.fixture
def shop() -> Iterator[WebServer]:
    """An API on loopback."""
    with WebServer(lambda asked: Answer(as_json={"state": "shipped on Monday"})) as server:
        yield server


@pytest.fixture
def server(start_server: Callable[..., BatonServer], shop: WebServer) -> BatonServer:
    """A server whose operator lists the API, and an MCP server of the machine."""
    command = [sys.executable, str(MCP_SERVER), "stdio"]
    return start_server(
        environment={
            "BATON_ALLOWED_ADDRESSES": f"127.0.0.1:{shop.port},localhost",
            "BATON_MCP_STDIO": json.dumps({"orders": command}),
            "BATON_TOKENS_PER_SECOND": "0",
        }
    )


def connect(page: Page, kind: str, name: str, **fields: str) -> None:
    page.goto("/connections/add/")
    page.locator("[name=kind]").select_option(kind)
    page.get_by_label("Name").fill(name)
    for label, value in fields.items():
        field = page.locator(f"[name={label}]")
        if field.evaluate("field => field.localName") == "select":
            field.select_option(value)
        else:
            field.fill(value)
    page.get_by_role("button", name="Add connection").click()
    expect(page.get_by_text(f"The connection “{name}” is saved.")).to_be_visible()


def test_an_http_tool_and_a_tool_of_an_mcp_server_answer_in_a_rehearsal(
    page: Page, shop: WebServer
) -> None:
    connect(page, "http", "shop", base_url=f"{shop.url}/api", key=KEY)
    connect(page, "mcp_stdio", "files", command="orders")
    editor = bring_in(page, DESK)

    page.goto(f"{editor}tools/import/")
    page.get_by_label("MCP server", exact=True).select_option("files")
    page.get_by_role("button", name="List its tools").click()
    expect(page.get_by_text("Look an order up.")).to_be_visible()
    page.get_by_role("checkbox", name="look_up").check()
    page.get_by_role("checkbox", name="Clerk").check()
    page.get_by_role("button", name="Import the chosen tools").click()
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(page.get_by_label("MCP server", exact=True)).to_have_value("files")

    page.goto(f"{editor}rehearse/")
    converse(page, "Please find it", "Where is it?")
    returned = page.locator("#trace [data-type='tool.returned']")
    expect(returned).to_have_count(2)
    expect(returned.first).to_contain_text("shipped on Monday")
    expect(returned.last).to_contain_text("Order 7 is on its way.")
    (asked,) = shop.asked
    assert asked.target == "/api/orders/A%2F7"
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in page.content()


def test_an_address_that_the_operator_does_not_list_is_refused_in_the_rehearsal(
    page: Page,
) -> None:
    with WebServer(lambda asked: Answer("inside")) as inside:
        http = {"url": f"http://2130706433:{inside.port}/{{order}}"}
        editor = bring_in(page, DESK | {"tools": [TOOL | {"http": http}]})
        page.goto(f"{editor}rehearse/")
        converse(page, "Please find it")
        returned = page.locator("#trace [data-type='tool.returned']")
        expect(returned).to_contain_text("is not allowed: it resolves to this server itself")
        assert inside.asked == []


LOOK_UP = {
    "name": "look_up",
    "kind": "mcp",
    "mcp": {"connection": "files"},
    "parameters": {"type": "object", "properties": {"order": {"type": "integer"}}},
}


def test_a_server_that_is_stopped_ends_its_sessions_with_mcp_servers(
    page: Page, server: BatonServer, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    with subprocess.Popen(
        [sys.executable, MCP_SERVER, "http"],
        env=os.environ | {"MCP_NOTES": str(notes)},
        stdout=subprocess.PIPE,
        text=True,
    ) as mcp:
        try:
            assert mcp.stdout is not None
            listening = mcp.stdout.readline().strip()
            connect(page, "mcp", "files", base_url=listening.replace("127.0.0.1", "localhost"))
            clerk = DESK["agents"][0] | {"tools": ["look_up"]}
            editor = bring_in(page, DESK | {"agents": [clerk], "tools": [LOOK_UP]})
            page.goto(f"{editor}rehearse/")
            converse(page, "Where is it?")
            returned = page.locator("#trace [data-type='tool.returned']")
            expect(returned).to_contain_text("Order 7 is on its way.")
            page.close()
            assert "DELETE" not in notes.read_text()
            server.stop()
            assert notes.read_text().splitlines()[-1] == "DELETE"
        finally:
            mcp.kill()

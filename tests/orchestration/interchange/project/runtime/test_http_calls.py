"""HTTP requests in an exported project: the same substitution as in Baton."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestration.exceptions import ToolError
from orchestration.interchange.project.runtime import http_calls
from orchestration.tools import templates

VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["..", "a/../b", 'x"y', "a&b=c", "é\n", "https://evil.example"])
    | st.lists(st.text(max_size=3), max_size=3)
)
ARGUMENTS = st.fixed_dictionaries({"a": VALUES, "b": VALUES})
TEMPLATES = (
    "https://shop.example/{a}/x?b={b}&c={a}{b}",
    "/orders/{a}?{b}={a}",
    "https://{a}.example/",
    "/a;{a}/..;/{b}",
    '{"to": "Dear {a}", "items": {b}}',
    "a={a}&b={b}&c=1",
    "Bearer {a}",
)


def outcome(function: Callable[..., Any], *arguments: Any) -> object:
    try:
        return function(*arguments)
    except (ToolError, ValueError):
        return "refused"


@given(st.sampled_from(TEMPLATES), ARGUMENTS)
def test_a_template_is_filled_as_in_baton(template: str, arguments: dict[str, Any]) -> None:
    pairs: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
        (http_calls.fill_url, templates.fill_url),
        (http_calls.fill_json, templates.fill_json),
        (http_calls.fill_header, templates.fill_header),
        (lambda text, a: http_calls.pairs(text, a, quote_plus), templates.fill_form),
    ]
    for own, theirs in pairs:
        assert outcome(own, template, arguments) == outcome(theirs, template, arguments)


def test_an_address_stays_below_its_connection() -> None:
    assert http_calls.below("https://a.example/api/", "/x?y=1") == "https://a.example/api/x?y=1"
    assert http_calls.below("https://a.example", "https://a.example/x") == "https://a.example/x"
    with pytest.raises(ValueError, match="not below"):
        http_calls.below("https://a.example", "https://a.example.evil/x")


class Shop(BaseHTTPRequestHandler):
    """A server that answers with the request."""

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        seen = {"path": self.path, "body": self.rfile.read(size).decode(), **self.headers}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"seen": [seen]}).encode())

    def log_message(self, *_: Any) -> None:
        """Write no log."""


@pytest.fixture
def shop() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Shop) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api"
        server.shutdown()


async def test_a_call_sends_the_request_and_returns_a_part_of_the_answer(
    shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_URL", shop)
    monkeypatch.setenv("SHOP_AUTHORIZATION", "Bearer key")
    text = await http_calls.call(
        {"order": "a/b", "note": "é"},
        method="POST",
        url="/orders/{order}",
        headers={"X-Note": "{missing}", "X-Kind": "test"},
        take="/seen/0",
        connection="SHOP",
    )
    seen = json.loads(text)
    assert (seen["path"], seen["body"]) == ("/api/orders/a%2Fb", '{"note": "é"}')
    assert (seen["Authorization"], seen["X-Kind"]) == ("Bearer key", "test")
    assert seen["Content-Type"] == "application/json"
    assert "X-Note" not in seen

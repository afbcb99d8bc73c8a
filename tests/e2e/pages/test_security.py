"""The content security policy as a browser understands it."""

import re

import pytest

CONNECT = """async (url) => {
    const refused = new Promise((resolve) => {
        const tell = (event) => resolve(event.violatedDirective);
        document.addEventListener("securitypolicyviolation", tell);
    });
    const answered = new Promise((resolve) => {
        const socket = new WebSocket(url);
        socket.onclose = socket.onopen = () => setTimeout(() => resolve("let through"));
    });
    return await Promise.race([refused, answered]);
}"""

INLINE = """() => {
    const script = document.createElement("script");
    script.textContent = "window.inlineRan = true";
    document.head.append(script);
    return window.inlineRan === true;
}"""


@pytest.fixture
def visitor(open_page, console):
    console.allow("Content Security Policy|WebSocket")
    page = open_page(signed_in=False)
    page.goto("/sign-in/")
    return page


def test_a_page_may_open_websockets_to_its_own_origin_alone(visitor, server):
    assert visitor.evaluate(CONNECT, f"{server.websocket_url}/ws/") == "let through"
    for elsewhere in (f"ws://localhost:{server.port}/", "ws://127.0.0.1:9/", "wss://evil.example/"):
        assert visitor.evaluate(CONNECT, elsewhere) == "connect-src"


def test_a_script_written_into_the_page_does_not_run(visitor):
    assert visitor.evaluate(INLINE) is False


def test_modules_come_under_hashed_names_also_on_first_use(open_page):
    page = open_page(fresh=True)  # nothing is in its cache
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto("/")
    page.evaluate("import('/static/js/canvas/geometry.js')")
    modules = {url for url in requested if "/static/js/" in url}
    assert {re.sub(r"\.[0-9a-f]{8}\.js$", "", url).rpartition("/")[2] for url in modules} >= {
        "page",
        "notice",
        "geometry",
    }
    assert [url for url in modules if not re.search(r"\.[0-9a-f]{8}\.js$", url)] == []

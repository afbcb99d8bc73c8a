"""A page with CopilotKit's chat, from another origin in a browser, chats with a conversation."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect, sync_playwright

from tests import chromium

PAGE = Path(__file__).with_name("copilotkit") / "page.jsx"
OPTIONS = ("--bundle", "--jsx=automatic", '--define:process.env.NODE_ENV="production"')
FONTS = tuple(f"--loader:.{kind}=dataurl" for kind in ("woff", "woff2", "ttf"))
SECONDS = 60_000


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the page on a server of its own: another origin than Baton's."""
    folder = tmp_path_factory.mktemp("page")
    packages = Path(os.environ["BATON_COPILOTKIT"]) / "node_modules"
    subprocess.run(
        [packages / ".bin/esbuild", PAGE, f"--outfile={folder / 'page.js'}", *OPTIONS, *FONTS],
        check=True,
        env=os.environ | {"NODE_PATH": str(packages)},
        capture_output=True,
    )
    html = '<!doctype html><div id="root"></div><script src="page.js"></script>'
    (folder / "index.html").write_text(html, encoding="utf-8")
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_copilotkit_shows_the_answers_of_the_agents(
    page_url: str, chat_addresses: dict[str, str]
) -> None:
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        page = browser.new_page()
        page.goto(f"{page_url}?url={quote(chat_addresses['Customer support'], safe='')}")
        for text in ("I was charged twice for order A-1043.", "Yes, please."):
            chat = page.get_by_test_id("copilot-chat")
            expect(chat).to_have_attribute("data-copilot-running", "false", timeout=SECONDS)
            answers = page.get_by_test_id("copilot-assistant-message")
            shown = answers.count()
            page.get_by_role("textbox").fill(text)
            page.get_by_role("textbox").press("Enter")
            expect(answers.nth(shown)).to_contain_text(".", timeout=SECONDS)
        expect(page.get_by_text("charged twice")).to_be_visible()
        browser.close()

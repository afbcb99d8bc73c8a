"""One server for all tests of the canvas, and a small pipeline for each."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, StorageState

from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import sign_in
from tests.serving import BatonServer

FILE = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Refunds",
    "agents": [{"id": "agent-triage", "name": "Triage"}, {"id": "agent-writer", "name": "Writer"}],
    "stages": [
        {"phase": "intake", "agent_id": "agent-triage"},
        {"phase": "answer", "agent_id": "agent-writer"},
        {"phase": "review"},
    ],
    "transitions": [{"source": "intake", "target": "answer"}],
    "entry": "intake",
    "layout": {
        "stages": {
            "intake": {"x": 0, "y": 0},
            "answer": {"x": 320, "y": 0},
            "review": {"x": 320, "y": 240},
        }
    },
}


@pytest.fixture(scope="package")
def server(static_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BatonServer]:
    """One running server for all tests here: each draws on a pipeline of its own."""
    server = BatonServer(tmp_path_factory.mktemp("canvas"), static_root=static_root)
    server.start()
    yield server
    server.stop()
    assert server.errors() == ""


@pytest.fixture(scope="package")
def storage(browser: Browser, server: BatonServer) -> StorageState:
    """What a browser keeps of someone who signed in."""
    context = browser.new_context(base_url=server.url)
    sign_in(context.new_page(), server)
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture
def page(open_page: Callable[..., Page], storage: StorageState) -> Page:
    """A page of someone who is signed in."""
    return open_page(signed_in=False, storage_state=storage)


@pytest.fixture
def editor(page: Page) -> Editor:
    """The editor of a small pipeline: intake → answer, and review beside them."""
    file = {
        "name": "refunds.json",
        "mimeType": "application/json",
        "buffer": json.dumps(FILE).encode(),
    }
    page.goto("/")
    page.get_by_role("button", name="Import").first.click()
    page.locator("dialog[open] input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    page.locator("dialog[open]").get_by_role("button", name="Import").click()
    page.wait_for_url(re.compile(r"/pipelines/\d+/"))
    return Editor(page, page.url)

"""Straight to a page of the app, for tests that are about that page and not about the way there."""

import json
import re
import secrets
from collections.abc import Mapping
from html import unescape

from playwright.sync_api import Page, expect

ONE_STAGE: dict[str, object] = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Support",
    "stages": [{"phase": "stage-1"}],
    "entry": "stage-1",
}


def bring_in(page: Page, definition: Mapping[str, object]) -> str:
    """Import a definition as the dialog does, and return the address of its editor."""
    token = secrets.token_hex(16)
    cookie = {"name": "csrftoken", "value": token, "domain": "127.0.0.1", "path": "/"}
    page.context.add_cookies([cookie])  # type: ignore[list-item]
    file = {
        "name": "brought.json",
        "mimeType": "application/json",
        "buffer": json.dumps(definition).encode(),
    }
    headers = {"X-CSRFToken": token}
    address = "/pipelines/import/"
    while "/import/" in address:  # again for a used name: the choice of a new pipeline
        answer = page.request.post(
            address,
            headers=headers,
            multipart={"file": file},  # type: ignore[dict-item]
            max_redirects=0,
        )
        assert answer.status == 302, answer.text()
        address = str(answer.headers["location"])
    return address


def address_of(page: Page, name: str, base: str = "") -> str:
    """The address of the editor of a pipeline that is there already."""
    listed = unescape(page.request.get(base + "/").text())
    links = re.findall(r'<a href="(/pipelines/\d+/)"[^>]*>\s*([^<]*?)\s*</a>', listed)
    return next(str(address) for address, text in links if text == name)


def open_one_stage(page: Page) -> Page:
    """The editor of a pipeline with one stage, which is selected."""
    page.goto(bring_in(page, ONE_STAGE) + "?select=stage:stage-1")
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(page.get_by_label("Stage name")).to_have_value("stage-1")
    return page

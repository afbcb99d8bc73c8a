"""Straight to a page of the app, for tests that are about that page and not about the way there."""

import json
import re
from collections.abc import Mapping
from html import unescape

from playwright.sync_api import Page


def bring_in(page: Page, definition: Mapping[str, object]) -> str:
    """Import a definition as the dialog does, and return the address of its editor."""
    listed = page.request.get("/")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', listed.text())
    assert token, "nobody is signed in"
    file = {
        "name": "brought.json",
        "mimeType": "application/json",
        "buffer": json.dumps(definition).encode(),
    }
    answer = page.request.post(
        "/pipelines/import/",
        multipart={"csrfmiddlewaretoken": token[1], "file": file},  # type: ignore[dict-item]
        max_redirects=0,
    )
    assert answer.status == 302, answer.text()
    return str(answer.headers["location"])


def address_of(page: Page, name: str, base: str = "") -> str:
    """The address of the editor of a pipeline that is there already."""
    listed = unescape(page.request.get(base + "/").text())
    links = re.findall(r'<a href="(/pipelines/\d+/)"[^>]*>\s*([^<]*?)\s*</a>', listed)
    return next(str(address) for address, text in links if text == name)

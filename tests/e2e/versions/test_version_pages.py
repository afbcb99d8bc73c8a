"""The pages of versions in a real browser; axe finds nothing on them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes
from tests.serving import BatonServer

PAGES = {
    "versions": "test_a_version_is_published_and_the_draft_returns_to_it",
    "version_publish": "test_a_version_is_published_and_the_draft_returns_to_it",
}
"""Each page, by the name of its address, and the test that looks at it; see `test_access.py`."""


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """Running server, and a user with the samples."""
    return visit(samples=True)


def test_a_version_is_published_and_the_draft_returns_to_it(page: Page) -> None:
    page.goto("/")
    page.locator(".card").first.get_by_role("link").first.click()
    page.locator("#draft-state").click()
    expect(page.get_by_text("There are no versions yet.")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("link", name="Publish…").click()
    page.get_by_label("Name").fill("First version")
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("v1 is live.")).to_be_visible()
    assert in_both_themes(page) == []

    page.get_by_role("link", name="Design").click()
    expect(page.locator("#draft-state")).to_have_text("Draft · same as v1 (live)")
    page.locator(".stage").first.click()
    page.keyboard.press("Delete")
    expect(page.locator("#draft-state")).to_contain_text("since v1 (live)")
    page.keyboard.press("Control+s")
    expect(page.locator("#draft-state")).to_have_text("Draft · same as v2")
    expect(page.get_by_text("The draft is saved as v2.")).to_be_visible()

    page.get_by_role("link", name="Versions", exact=True).click()
    page.get_by_role("link", name="Restore v1…").click()
    expect(page.locator(".difference-picture")).to_be_visible()
    page.get_by_role("button", name="Restore v1").click()
    expect(page.get_by_text("The draft is v1 again.")).to_be_visible()
    expect(page.locator("#draft-state")).to_contain_text("since v2")
    page.locator("#canvas").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#draft-state")).to_have_text("Draft · same as v2")

"""The pages of conversations in a browser: axe, the keyboard and a phone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.navigation import address_of
from tests.serving import BatonServer

PAGES = {
    "pipeline_conversations": "test_conversations_are_found_selected_and_deleted_by_keyboard",
    "conversations": "test_conversations_are_found_selected_and_deleted_by_keyboard",
}


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, and a user with the samples."""
    return visit(samples=True)


def test_conversations_are_found_selected_and_deleted_by_keyboard(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    pipeline = address_of(page, "Support desk")
    page.goto(pipeline + "conversations/all/")
    expect(page.get_by_role("heading", name="No conversations yet")).to_be_visible()
    assert in_both_themes(page) == []

    page.goto(pipeline + "rehearse/")
    page.get_by_label("Message as the customer").fill("I was billed twice in March")
    page.keyboard.press("Enter")
    expect(page.locator("#chat-log .turn").first).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()

    page.get_by_role("link", name="Conversations").first.click()
    expect(page.locator("#charts svg").first).to_be_visible()
    assert in_both_themes(page) == []
    page.keyboard.press("/")
    page.keyboard.type("billed")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("q=billed"))
    row = page.get_by_role("checkbox", name="Select I was billed twice in March")
    row.press("Space")
    expect(page.get_by_role("toolbar").get_by_text("1 selected")).to_be_visible()
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Tag…").press("Enter")
    page.keyboard.type("refund")
    page.keyboard.press("Enter")
    expect(page.locator("tbody .tag", has_text="refund")).to_be_visible()

    page.goto("/conversations/")
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.get_by_label("Select all on this page").click()
    page.get_by_role("link", name="Baton").first.click()
    expect(page.get_by_role("heading", name="Pipelines")).to_be_visible()
    assert asked == []  # a selection is no text
    page.goto("/conversations/")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("#charts svg").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    row.check()
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Delete…").press("Enter")
    assert in_both_themes(page, "dialog[open]") == []
    expect(page.locator("#delete-selection")).to_contain_text("1 selected")
    page.locator("#delete-selection").get_by_role("button", name="Delete").press("Enter")
    expect(page.get_by_role("heading", name="No conversations yet")).to_be_visible()

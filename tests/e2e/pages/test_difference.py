"""The difference of two pipelines by keyboard and by mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.difference_pages import changed_desk, open_difference
from tests.e2e.axe import in_both_themes
from tests.e2e.conftest import Console
from tests.e2e.navigation import address_of
from tests.serving import BatonServer

PAGES = {"difference": "test_the_page_is_accessible_in_both_themes_and_on_a_phone"}


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, and someone with the samples."""
    return visit(samples=True)


def test_changes_are_stepped_through_and_both_sides_switched_by_keyboard(
    server: BatonServer, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.goto("/")
    open_difference(page, address_of(page, "Support desk"), changed_desk())
    rows, text = page.locator("[data-row]"), page.locator("[data-step-text]")
    count = rows.count()

    page.keyboard.press("n")
    expect(text).to_have_text(f"Change 1 of {count}")
    expect(rows.first).to_be_focused()
    expect(page.locator("tr[aria-current]")).to_have_count(1)
    page.keyboard.press("p")
    expect(rows.last).to_be_focused()

    notice = (
        "notice.replaceChildren(Object.assign(document.createElement('p'), { textContent: 'Hi' }))"
    )
    page.evaluate(notice)
    covers = "notice => notice.getBoundingClientRect().top"
    under = page.locator(".difference__side").evaluate("bar => bar.getBoundingClientRect().bottom")
    assert page.locator("#notice").evaluate(covers) > under, "the choice of the side is not covered"

    removed = page.locator(".difference-card.is-removed")
    added = page.locator(".difference-card.is-added")
    page.keyboard.press("[")
    expect(removed).to_be_visible()
    expect(added).to_be_hidden()
    page.keyboard.press("]")
    expect(removed).to_be_hidden()
    expect(added).to_be_visible()
    page.keyboard.press("]")
    expect(removed).to_be_visible()
    expect(added).to_be_visible()

    link = page.locator('tr[data-mark="added"] [data-row]').first
    link.focus()
    page.keyboard.press("Enter")
    number = link.get_attribute("data-row")
    expect(added).to_have_class("difference-card is-added only-after is-current")
    page.goto(f"{page.url.split('#')[0]}#change-{number}")
    page.reload()
    expect(text).to_have_text(f"Change {number} of {count}")
    page.locator(".difference-card.is-removed").click()
    expect(page.locator('tr[aria-current][data-mark="removed"]')).to_have_count(1)


@pytest.mark.long
def test_the_page_is_accessible_in_both_themes_and_on_a_phone(
    server: BatonServer, open_page: Callable[..., Page], console: Console
) -> None:
    console.allow("404")
    page = open_page()
    page.goto("/")
    address = address_of(page, "Support desk")
    open_difference(page, address, changed_desk())
    for summary in page.locator(".difference__lists summary").all()[:3]:
        summary.click()
    assert in_both_themes(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(f"{address}difference/?to=99")
    expect(page.locator("main [role=alert]")).to_contain_text("no version “99”")
    assert in_both_themes(page) == []

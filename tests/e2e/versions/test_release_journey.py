"""A pipeline is published, edited, compared, rolled back and restored."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.navigation import bring_in
from tests.e2e.rehearsing import AT_ONCE, converse
from tests.serving import BatonServer

pytestmark = pytest.mark.long

DESK = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Welcome desk",
    "entry": "desk",
    "agents": [
        {"id": "clerk", "name": "Clerk", "cues": [{"say": "Hello."}]},
        {"id": "helper", "name": "Helper", "cues": [{"say": "Done."}]},
    ],
    "stages": [
        {"phase": "desk", "agent_id": "clerk"},
        {"phase": "help", "agent_id": "helper"},
    ],
    "transitions": [{"source": "desk", "target": "help"}],
}


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """Server whose agents answer at once."""
    return visit(environment=AT_ONCE)


def publish(page: Page, address: str, name: str) -> None:
    page.goto(f"{address}versions/publish/")
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("is live.")).to_be_visible()


def rehearse(page: Page, address: str, version: str) -> None:
    """Hold a conversation on a version, or on the draft."""
    page.goto(f"{address}rehearse/?new=1&start_version={version}")
    converse(page, "Good morning")


def test_each_conversation_shows_its_version_through_publishing_and_restoring(
    page: Page,
) -> None:
    address = bring_in(page, DESK)
    publish(page, address, "With a helper")
    rehearse(page, address, "1")

    page.goto(address)
    page.locator("#stage-help").click()
    page.keyboard.press("Delete")
    expect(page.locator("#stage-help")).to_have_count(0)
    expect(page.locator("#draft-state")).to_contain_text("since v1 (live)")
    rehearse(page, address, "draft")

    page.goto(f"{address}difference/?from=live&to=draft")
    expect(page.locator(".difference-card.is-removed")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("tr[aria-current]")).to_have_count(1)
    publish(page, address, "Without a helper")
    live = page.locator(".version", has=page.locator("[data-mark=live]"))
    expect(live).to_have_attribute("id", "version-2")
    rehearse(page, address, "live")

    page.goto(f"{address}versions/")
    page.get_by_role("button", name="Roll back to v1").click()
    expect(page.get_by_text("v1 is live again.")).to_be_visible()
    expect(live).to_have_attribute("id", "version-1")
    expect(page.get_by_role("button", name="Return to v2")).to_be_visible()
    rehearse(page, address, "live")

    page.goto(f"{address}versions/")
    page.get_by_role("link", name="Restore v1…").first.click()
    page.get_by_role("button", name="Restore v1").click()
    expect(page.locator("#stage-help")).to_be_visible()
    page.locator("#canvas").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#stage-help")).to_have_count(0)

    page.goto(f"{address}rehearse/")
    page.locator(".chat__earlier summary").click()
    labels = page.locator(".chat__earlier li small")
    expect(labels).to_have_text(["v1", "v2", "draft + 1 edit", "v1"])

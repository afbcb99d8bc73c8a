"""Screenshots of README.md: `scripts/screenshots` takes them from the samples.

The server, the browser and the pages are real; only the data is new.
"""

import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests import chromium
from tests.serving import ROOT, BatonServer

VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
DIALOGUE = ["I was billed twice in March, my account is 7731.", "Yes, please refund it."]


def main() -> None:
    """Take a screenshot of the editor and one of a rehearsal."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = BatonServer(Path(folder), static_root=Path(folder) / "static", samples=True)
        server.start()
        browser = chromium.launch(playwright)
        try:
            page = browser.new_page(base_url=server.url, viewport=VIEWPORT, device_scale_factor=2)
            page.goto(server.sign_in_url())
            page.get_by_role("button", name=f"Sign in as {server.username}").click()
            page.get_by_role("link", name="Support desk", exact=True).click()
            draw(page)
            rehearse(page)
        finally:
            browser.close()
            server.stop()


def draw(page: Page) -> None:
    """Take a screenshot of the editor with a selected stage."""
    page.locator("#stage-review").click()
    expect(page.get_by_label("Stage name")).to_have_value("review")
    take(page, "design")


def rehearse(page: Page) -> None:
    """Take a screenshot of a rehearsal after some messages."""
    page.get_by_role("link", name="Rehearse", exact=True).click()
    for text in DIALOGUE:
        page.get_by_label("Message as the customer").fill(text)
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".said-by-user").last).to_contain_text(text)
        expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=60_000)
    take(page, "rehearse")


def take(page: Page, name: str) -> None:
    """Take a screenshot when the page is idle."""
    page.wait_for_load_state("networkidle")
    page.screenshot(path=ROOT / "docs" / f"{name}.png", animations="disabled")


if __name__ == "__main__":
    main()

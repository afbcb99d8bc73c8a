"""The rehearsal of each sample as a series of pictures: `scripts/screenshots rehearsals`.

The server, the browser and the pages are real. The pictures are saved in `data/rehearsals` or
another folder, a folder for each sample, numbered in order: the beginning, each message, an
inspected handoff, the timeline, and the page in the dark theme and on a phone.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests import chromium
from tests.serving import ROOT, BatonServer
from tests.states import DESK, PHONE, Album

DIALOGUES = {
    "Customer support": (
        "I was charged twice for order A-1043. I want one of them back.",
        "Yes, please.",
        "It was the card ending in 4242.",
    ),
    "Support desk": (
        "I was billed twice in March, my account is 7731.",
        "Yes, please refund it.",
        "I cancelled it on the 2nd of March.",
    ),
    "Coding": (
        "I need a function that tells leap years from others.",
        "Gregorian, and a year before 1 is an error. Start coding.",
        "Looks good, send it to review.",
    ),
    "City guide": ("A guide to Lisbon, please.",),
    "Weekend trip": (
        "Plan a weekend in Lisbon.",
        "There are two of us.",
        "Yes, look them up.",
        "What is there to see?",
    ),
    "Bike shop": (
        "My gears slip and I need the bike by Friday.",
        "Yes, and send me the bill.",
    ),
}
"""Messages for each sample, by its name."""

MAX_SECONDS = 120


class Series:
    """Numbered pictures of one sample."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name.lower().replace(" ", "-")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.count = 0

    def take(self, page: Page, subject: str) -> None:
        """Take a picture when the network is idle."""
        self.count += 1
        page.wait_for_load_state("networkidle")
        path = self.folder / f"{self.count:02}-{subject}.png"
        page.screenshot(path=path, animations="disabled")


def rehearse(page: Page, series: Series, name: str) -> str:
    """Rehearse a sample, take pictures, and return the address of the conversation."""
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("link", name="Rehearse", exact=True).click()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    series.take(page, "beginning")
    for number, text in enumerate(DIALOGUES[name], 1):
        before = page.locator(".said-by-user").count()
        page.get_by_label("Message as the customer").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(".said-by-user")).to_have_count(before + 1)
        idle = page.locator("#composer-actions:not([data-running])")
        expect(idle).to_be_visible(timeout=MAX_SECONDS * 1_000)
        series.take(page, f"message-{number}")
    inspect(page, series)
    return page.url


def inspect(page: Page, series: Series) -> None:
    """Inspect a handoff or a subtask, and show the timeline."""
    rows = "#trace > .event:is([data-type='handoff.accepted'], [data-type='subtask.completed'])"
    page.locator("#pane-size").click()
    if page.locator(rows).count():
        page.locator(rows).first.locator("summary").click()
        expect(page.locator(rows).first.locator(".event__body")).not_to_be_empty()
        series.take(page, "looked-into")
    page.get_by_role("tab", name="Timeline").click()
    expect(page.locator("#timeline")).not_to_be_empty()
    series.take(page, "timeline")


def take_all(album: Album, folder: Path) -> int:
    """Take the pictures of each sample, and return their number."""
    total = 0
    for name in DIALOGUES:
        series = Series(folder, name)
        page = album.open()
        address = rehearse(page, series, name)
        page.context.close()
        variants: tuple[tuple[str, ViewportSize, str], ...] = (
            ("dark", DESK, "dark"),
            ("phone", PHONE, "light"),
        )
        for subject, viewport, theme in variants:
            page = album.open(viewport=viewport, theme=theme)
            page.goto(address)
            expect(page.locator(".said-by-user").first).to_be_attached()
            series.take(page, subject)
            page.context.close()
        total += series.count
    return total


def main() -> None:
    """Rehearse each sample."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "data" / "rehearsals"
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = BatonServer(
            Path(home),
            static_root=Path(home) / "static",
            samples=True,
            environment={"BATON_TOKENS_PER_SECOND": "0"},
        )
        server.start()
        browser = chromium.launch(playwright)
        try:
            total = take_all(Album(server, browser, folder), folder)
        finally:
            browser.close()
            server.stop()
    print(f"{total} pictures are in {folder}.")  # noqa: T201 - output of the script


if __name__ == "__main__":
    main()

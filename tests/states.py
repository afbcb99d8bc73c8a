"""Screenshots of the screens in their states: `scripts/screenshots states`.

The server, the browser and the pages are real. The pictures are written to `docs/screens` or the
given folder; docs/screens.md shows them.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Browser, FilePayload, Page, ViewportSize, expect, sync_playwright

from tests import chromium
from tests.difference_pages import changed_desk, open_difference
from tests.screenshots import DIALOGUE
from tests.serving import ROOT, BatonServer

DESK: ViewportSize = {"width": 1440, "height": 900}
WIDE: ViewportSize = {"width": 1920, "height": 1080}
PHONE: ViewportSize = {"width": 390, "height": 844}

QUALITY = 70
"""Quality of the JPEG files: text is clear, and a picture has about 100 KB."""


CONVERSATIONS = """
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from designer.models import ConversationSummary, Pipeline, Release
from designer.versions import publish
from tests.bench.conversations import generate

user, pipeline = User.objects.get(), Pipeline.objects.get(name="Support desk")
pipeline.conversations.all().delete()  # those of the pictures before
publish(pipeline=pipeline, user=user, name="First", note="")
Release.objects.update(promoted=timezone.now() - timedelta(days=9))
generate(900, user, pipeline)
ConversationSummary.objects.filter(version=7).update(version=1, version_label="v1")
"""
"""Code that adds conversations to the largest sample."""


class Album:
    """Screenshots of one server's pages in one folder."""

    def __init__(self, server: BatonServer, browser: Browser, folder: Path) -> None:
        self.server, self.browser, self.folder = server, browser, folder
        context = browser.new_context(base_url=server.url)
        page = context.new_page()
        page.goto(server.sign_in_url())
        page.get_by_role("button", name=f"Sign in as {server.username}").click()
        page.wait_for_url(lambda url: "/sign-in/" not in url)
        self._cookies = context.storage_state()
        context.close()

    def open(self, *, viewport: ViewportSize = DESK, theme: str = "light") -> Page:
        """Open the list of pipelines in a new signed-in window."""
        context = self.browser.new_context(
            base_url=self.server.url,
            viewport=viewport,
            color_scheme="dark" if theme == "dark" else "light",
            storage_state=self._cookies,
        )
        page = context.new_page()
        page.goto("/")
        return page

    def take(self, page: Page, name: str) -> None:
        """Take a screenshot when the page is idle, and close the window."""
        page.wait_for_load_state("networkidle")
        path = self.folder / f"{name}.jpeg"
        page.screenshot(path=path, type="jpeg", quality=QUALITY, animations="disabled")
        page.context.close()


def chain(size: int, *, faulty: bool = False) -> dict[str, object]:
    """Return a chain of stages in rows of ten; if faulty, every third stage has no agent."""
    phases = [f"stage-{number}" for number in range(1, size + 1)]
    return {
        "format": "baton.pipeline",
        "version": 1,
        "name": f"{size} stages, with problems" if faulty else f"{size} stages",
        "agents": [{"id": f"agent-{number}", "name": f"Agent {number}"} for number in range(1, 13)],
        "stages": [
            {"phase": phase}
            | ({} if faulty and index % 3 == 2 else {"agent_id": f"agent-{index % 12 + 1}"})
            for index, phase in enumerate(phases)
        ],
        "transitions": [
            {"source": source, "target": target} for source, target in pairwise(phases)
        ],
        "entry": phases[0],
        "layout": {
            "stages": {
                phase: {"x": index % 10 * 290, "y": index // 10 * 170}
                for index, phase in enumerate(phases)
            }
        },
    }


def draw(page: Page, name: str) -> None:
    """Create an empty pipeline and open it."""
    page.get_by_role("button", name="New pipeline").first.click()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.locator("#canvas[data-ready]")).to_be_visible()


def import_definition(page: Page, definition: dict[str, object]) -> None:
    """Import a definition and open it."""
    file = {
        "name": "states.json",
        "mimeType": "application/json",
        "buffer": json.dumps(definition).encode(),
    }
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    dialog.get_by_role("button", name="Import").click()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()


def export_to_agents_sdk(page: Page) -> None:
    """Open the Export dialog of the support desk with the code for the OpenAI Agents SDK."""
    open_desk(page)
    links = page.locator('a[data-dialog="export-dialog"]')
    if not links.first.is_visible():
        page.get_by_label("More actions for this pipeline").click()
    links.locator("visible=true").click()
    page.locator("#export-openai-agents").click()
    expect(page.locator("#export-openai-agents")).to_have_attribute("aria-current", "true")


def open_desk(page: Page) -> None:
    """Open the largest sample."""
    page.get_by_role("link", name="Support desk", exact=True).click()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()


def empty(page: Page) -> None:
    draw(page, "Nothing yet")


def one_stage(page: Page) -> None:
    draw(page, "One stage")
    page.get_by_role("button", name="Add the first stage", exact=True).click()
    page.get_by_role("option", name="Stage agent chosen later").click()
    expect(page.locator(".stage")).to_have_count(1)


def twelve_stages(page: Page) -> None:
    import_definition(page, chain(12))


def many_stages(page: Page) -> None:
    import_definition(page, chain(300))


def problems(page: Page) -> None:
    import_definition(page, chain(12, faulty=True))


def selection(page: Page) -> None:
    open_desk(page)
    page.locator("#canvas").focus()
    page.keyboard.press("Control+a")
    expect(page.locator(".stage[aria-current]").nth(3)).to_be_visible()


def merge(page: Page) -> None:
    """Change the same field of a stage in two windows."""
    open_desk(page)
    other = page.context.new_page()
    other.goto(page.url)
    for window in (page, other):
        window.locator("#stage-intake").click()
        expect(window.get_by_label("Stage name")).to_have_value("intake")
    page.get_by_label("Description").fill("Finds out what the customer needs.")
    other.get_by_label("Description").fill("Says hello.")
    other.keyboard.press("Tab")
    expect(other.locator("#save-state")).to_have_text("Saved")
    page.keyboard.press("Tab")
    expect(page.locator("#merge")).to_contain_text("Says hello.")
    other.close()


def palette(page: Page) -> None:
    open_desk(page)
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("ti")


def home(page: Page) -> None:
    expect(page.get_by_role("link", name="Support desk", exact=True)).to_be_visible()


def rehearse(page: Page) -> None:
    """Open the page of a new rehearsal."""
    open_desk(page)
    page.get_by_role("link", name="Rehearse", exact=True).click()
    expect(page.get_by_label("Message as the customer")).to_be_visible()


def after_some_messages(page: Page) -> None:
    rehearse(page)
    for text in DIALOGUE:
        page.get_by_label("Message as the customer").fill(text)
        page.get_by_role("button", name="Send").click()
        expect(page.locator(".said-by-user").last).to_contain_text(text)
        expect(page.get_by_role("button", name="Send")).to_be_enabled(timeout=60_000)


def difference(page: Page) -> None:
    """Compare the largest sample with a file, and show the first changed agent."""
    open_desk(page)
    open_difference(page, page.url, changed_desk())
    page.locator('tr[data-mark="changed"] a').first.click()


def conversations(page: Page) -> None:
    """Open the conversations of the largest sample, and select one."""
    open_desk(page)
    page.get_by_role("link", name="Conversations", exact=True).first.click()
    expect(page.locator("#charts svg").first).to_be_visible()
    page.locator("tbody [type=checkbox]").nth(1).check()


def known_name(page: Page) -> None:
    """Import a file with the name of a pipeline."""
    file: FilePayload = {
        "name": "desk.baton.json",
        "mimeType": "application/json",
        "buffer": changed_desk(),
    }
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(file)
    dialog.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="already exists")).to_be_visible()


def versions(page: Page) -> None:
    """Publish the largest sample, edit it, and save another version of it."""
    open_desk(page)
    address = page.url
    page.goto(f"{address}versions/publish/")
    page.get_by_label("Name").fill("From the sample")
    page.get_by_label("Note").fill("The desks of the first month.")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("v1 is live.")).to_be_visible()
    open_difference(page, address, changed_desk())
    page.get_by_role("button", name="Replace the draft").click()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    page.goto(f"{address}versions/")
    expect(page.locator(".difference-picture")).to_be_visible()


def at(address: str) -> Callable[[Page], None]:
    """Return a function that opens an address."""

    def open_address(page: Page) -> None:
        page.goto(address)
        expect(page.get_by_role("heading").first).to_be_visible()

    return open_address


STATES: dict[str, tuple[Callable[[Page], None], ViewportSize, str]] = {
    "empty": (empty, DESK, "light"),
    "1-stage": (one_stage, DESK, "light"),
    "12-stages": (twelve_stages, DESK, "light"),
    "300-stages": (many_stages, DESK, "light"),
    "problems": (problems, DESK, "light"),
    "selection": (selection, DESK, "light"),
    "merge": (merge, DESK, "light"),
    "palette": (palette, DESK, "light"),
    "editor": (open_desk, DESK, "light"),
    "editor-dark": (open_desk, DESK, "dark"),
    "editor-wide": (open_desk, WIDE, "light"),
    "editor-phone": (open_desk, PHONE, "light"),
    "editor-phone-dark": (open_desk, PHONE, "dark"),
    "difference": (difference, DESK, "light"),
    "difference-dark": (difference, DESK, "dark"),
    "difference-phone": (difference, PHONE, "light"),
    "export": (export_to_agents_sdk, DESK, "light"),
    "export-dark": (export_to_agents_sdk, DESK, "dark"),
    "export-phone": (export_to_agents_sdk, PHONE, "light"),
    "import": (known_name, DESK, "light"),
    "home": (home, DESK, "light"),
    "home-dark": (home, DESK, "dark"),
    "home-phone": (home, PHONE, "light"),
    "rehearsal-new": (rehearse, DESK, "light"),
    "rehearsal": (after_some_messages, DESK, "light"),
    "rehearsal-dark": (after_some_messages, DESK, "dark"),
    "rehearsal-phone": (after_some_messages, PHONE, "light"),
    "conversations": (conversations, DESK, "light"),
    "conversations-dark": (conversations, DESK, "dark"),
    "conversations-phone": (conversations, PHONE, "light"),
    "connections": (at("/connections/"), DESK, "light"),
    "inbox": (at("/inbox/"), DESK, "light"),
    "account": (at("/account/"), DESK, "light"),
    "versions": (versions, DESK, "light"),  # the last one: it changes the sample
}
"""Function that opens the state, window size and theme, by name."""


def main() -> None:
    """Take a screenshot of each state, or of those with one of the further arguments as name."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens"
    states = {name: STATES[name] for name in sys.argv[2:] or STATES}
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        server = BatonServer(Path(home), static_root=Path(home) / "static", samples=True)
        server.start()
        browser = chromium.launch(playwright)
        try:
            album = Album(server, browser, folder)
            for name, (open_state, viewport, theme) in states.items():
                if name == "conversations":
                    server.manage("shell", "--no-imports", "-c", CONVERSATIONS)
                page = album.open(viewport=viewport, theme=theme)
                open_state(page)
                album.take(page, name)
        finally:
            browser.close()
            server.stop()
    print(f"Wrote {len(states)} screenshots to {folder}.")  # noqa: T201 - output of the script


if __name__ == "__main__":
    main()

"""The pages of versions in a real browser; axe finds nothing on them."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.conftest import Console
from tests.serving import BatonServer

PAGES = {
    "edit_history": "test_an_earlier_state_is_looked_at_and_restored",
    "edit_history_point": "test_an_earlier_state_is_looked_at_and_restored",
    "versions": "test_a_version_is_published_and_the_draft_returns_to_it",
    "version_publish": "test_a_version_is_published_and_the_draft_returns_to_it",
}
"""Each page, by the name of its address, and the test that looks at it; see `test_access.py`."""


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """Running server, and a user with the samples."""
    return visit(samples=True)


def test_a_version_is_published_and_the_draft_returns_to_it(page: Page, console: Console) -> None:
    page.goto("/")
    page.locator(".card").first.get_by_role("link").first.click()
    page.locator("#draft-state").click()
    expect(page.get_by_text("There are no versions yet.")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("link", name="Publish as v1…").click()
    console.allow("422")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.locator("#error-id_name")).to_be_in_viewport(ratio=0.99)
    page.get_by_label("Name").fill("First version")
    with page.expect_event("dialog") as question:
        page.once("dialog", lambda asked: asked.dismiss())
        page.get_by_role("link", name="Design").click(no_wait_after=True)
    assert question.value.type == "beforeunload"
    expect(page.get_by_label("Name")).to_have_value("First version")
    asked: list[str] = []

    def leave(question: Dialog) -> None:
        asked.append(question.type)
        question.accept()

    page.once("dialog", leave)
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Publish as v1…").click()
    assert asked == []
    page.remove_listener("dialog", leave)
    page.get_by_label("Name").fill("First version")
    assert in_both_themes(page) == []
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("v1 is live.")).to_be_visible()
    assert in_both_themes(page) == []

    # A new rehearsal of another version shows it, and keeps what is typed.
    page.get_by_role("link", name="Rehearse", exact=True).first.click()
    message = page.get_by_label("Message as the customer")
    message.fill("Half a sentence")
    page.get_by_label("Version").select_option("1")
    page.wait_for_url("**start_version=1")
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(page.locator("#stages > .stage").first).to_be_in_viewport()
    expect(message).to_have_value("Half a sentence")

    page.get_by_role("link", name="Design").click()
    expect(page.locator("#draft-state")).to_have_text("Draft · same as v1 (live)")
    page.locator(".stage").first.click()
    page.keyboard.press("Delete")
    expect(page.locator("#draft-state")).to_contain_text("since v1 (live)")
    page.keyboard.press("Control+s")
    expect(page.locator("#draft-state")).to_have_text("Draft · same as v2")
    expect(page.get_by_text("The draft is saved as v2.")).to_be_visible()

    page.get_by_role("link", name="Versions", exact=True).click()
    page.get_by_role("link", name="Restore v1…").first.click()
    page.get_by_role("button", name="Restore v1").click()
    expect(page.get_by_text("The draft is v1 again.")).to_be_visible()
    expect(page.locator("#draft-state")).to_contain_text("since v2")
    page.locator("#canvas").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("#draft-state")).to_have_text("Draft · same as v2")


@pytest.mark.long
def test_two_versions_are_chosen_by_mouse_and_by_keyboard(page: Page) -> None:
    page.goto("/")
    page.locator(".card").first.get_by_role("link").first.click()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    for count in (1, 2):
        page.keyboard.press("Control+s")
        expect(page.get_by_text(f"The draft is saved as v{count}.")).to_be_visible()
        stages = page.locator(".stage").count()
        page.locator(".stage").first.click()
        page.keyboard.press("Delete")
        expect(page.locator(".stage")).to_have_count(stages - 1)
    page.get_by_role("link", name="Versions", exact=True).click()
    title = page.locator(".difference__changes h2 small")
    expect(title).to_have_text("v2 → Draft")

    page.locator("#choose-1").click()
    expect(title).to_have_text("Draft → v1")
    page.locator("#choose-2").focus()
    page.keyboard.press("Enter")
    expect(title).to_have_text("v1 → v2")
    expect(page.locator("#choose-2")).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text("from v1 to v2")
    expect(page.locator(".version[data-letter=A]")).to_have_attribute("id", "version-1")
    assert page.url.endswith("?from=1&to=2")
    page.keyboard.press("n")
    expect(page.locator("tr[aria-current]")).to_have_count(1)

    page.reload()
    expect(title).to_have_text("v1 → v2")
    page.get_by_label("From").select_option("Draft")
    expect(title).to_have_text("Draft → v2")
    page.go_back()
    expect(title).to_have_text("v1 → v2")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("The draft is saved as v3.")).to_be_visible()


@pytest.mark.long
def test_an_earlier_state_is_looked_at_and_restored(page: Page) -> None:
    page.goto("/")
    page.locator(".card").first.get_by_role("link").first.click()
    stages = page.locator(".stage")
    expect(stages.first).to_be_visible()
    count = stages.count()
    for left in (count - 1, count - 2):
        stages.first.click()
        page.keyboard.press("Delete")
        expect(stages).to_have_count(left)
    page.get_by_role("link", name="Versions", exact=True).click()
    page.get_by_role("link", name="History of edits").click()
    edits = page.get_by_role("region", name="Edits").get_by_role("link")
    expect(edits).to_have_count(2)
    assert in_both_themes(page) == []
    edits.last.click()
    expect(page.locator(".difference-card.is-removed")).to_have_count(1)
    assert in_both_themes(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Restore this state").click()
    expect(stages).to_have_count(count - 1)
    page.locator("#canvas").focus()
    page.keyboard.press("Control+z")
    expect(stages).to_have_count(count - 2)

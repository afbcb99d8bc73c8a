"""The Export dialog in a real browser: by mouse, by keyboard, as a page, and on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.navigation import address_of
from tests.e2e.waits import wait_until
from tests.serving import ROOT, BatonServer

PAGES = {"exchange": "test_the_page_and_the_dialog_are_accessible_also_on_a_phone"}
"""Each page, by the name of its address, and the test that looks at it; see `test_access.py`."""


@pytest.fixture
def server(visit: Callable[..., BatonServer]) -> BatonServer:
    """A running server, and a user with the samples."""
    return visit(samples=True)


@pytest.mark.long
def test_an_export_is_imported_again_and_its_difference_is_empty(
    server: BatonServer, page: Page, tmp_path: Path
) -> None:
    page.goto("/")
    page.goto(address_of(page, "Support desk"))
    page.get_by_role("link", name="Export", exact=True).click()
    dialog = page.get_by_role("dialog", name="Export")
    expect(dialog.get_by_text("Round trip proved")).to_be_visible()
    with page.expect_download() as waiting:
        dialog.get_by_role("link", name="Download").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)

    page.keyboard.press("Escape")
    page.get_by_role("link", name="Versions", exact=True).click()
    page.get_by_text("Compare a file…").click()
    form = page.locator(".versions__file form")
    form.locator("input[type=file]").set_input_files(file)
    form.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("Both behave the same.")).to_be_visible()


@pytest.mark.long
def test_a_format_and_a_file_are_chosen_by_keyboard_and_the_file_is_copied(
    server: BatonServer, page: Page
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/")
    page.goto(address_of(page, "Support desk"))
    link = page.get_by_role("link", name="Export", exact=True)
    link.focus()
    page.keyboard.press("Enter")
    chosen = page.locator("#export-mermaid")
    chosen.focus()
    page.keyboard.press("Enter")
    expect(chosen).to_have_attribute("aria-current", "true")
    expect(chosen).to_be_focused()
    copy = page.get_by_role("link", name="Copy file")
    copy.focus()
    page.keyboard.press("Enter")
    expect(copy).to_have_attribute("data-copy-file", "done")
    assert page.evaluate("navigator.clipboard.readText()").startswith("flowchart LR")
    page.locator("#export-adk").click()
    expect(page.locator("#export-adk")).to_have_attribute("aria-current", "true")
    wait_until(page, "() => !document.querySelector('.htmx-request, .htmx-added, .htmx-settling')")
    last = page.locator(".export__files a").last
    last.focus()
    page.keyboard.press("Enter")
    expect(last).to_have_attribute("aria-current", re.compile(".+"))
    expect(last).to_be_in_viewport(ratio=0.9)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Export")).to_be_hidden()
    expect(link).to_be_focused()


@pytest.mark.long
def test_the_page_and_the_dialog_are_accessible_also_on_a_phone(
    server: BatonServer, page: Page
) -> None:
    page.goto("/")
    address = address_of(page, "Support desk")
    page.goto(address)
    page.get_by_role("link", name="Export", exact=True).click()
    expect(page.locator("#export")).to_be_visible()
    assert in_both_themes(page, "#export-dialog") == []
    page.goto(f"{address}exchange/?format=mermaid")
    assert in_both_themes(page) == []
    page.goto(f"{address}exchange/?format=openai-agents")
    assert in_both_themes(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert in_both_themes(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    consequence = page.locator(".export__table td:last-child").first
    assert consequence.evaluate("each => each.clientWidth") > 340
    last = page.locator(".export__formats a").last
    last.click()
    expect(last).to_have_attribute("aria-current", "true")
    expect(last).to_be_in_viewport(ratio=0.9)


SPEC = ROOT / "tests/orchestration/interchange/agent_spec/documents/flow.json"


@pytest.mark.long
def test_a_file_made_by_pyagentspec_is_imported_and_rehearsed(
    server: BatonServer, page: Page
) -> None:
    page.goto("/")
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input[type=file]").set_input_files(SPEC)
    dialog.get_by_role("button", name="Import").click()
    page.get_by_role("link", name="Open the pipeline").click()
    expect(page.locator(".stage").first).to_be_visible()
    page.get_by_role("link", name="Rehearse", exact=True).click()
    page.get_by_label("Message as the customer").fill("Hello")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#chat-log .turn").first).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()


@pytest.mark.long
def test_the_losses_of_an_import_are_accessible(server: BatonServer, page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Import").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Or paste its text").fill(
        'version: "7"\nagents: {root: {model: default, instruction: Hello., hooks: {a: b}}}\n'
    )
    dialog.get_by_role("button", name="Import").click()
    expect(page.get_by_text("$.agents.root.hooks")).to_be_visible()
    assert in_both_themes(page) == []
    page.get_by_role("link", name="Open the pipeline").click()
    expect(page.locator(".stage")).to_have_count(1)

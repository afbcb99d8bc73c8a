"""The gallery of templates, with a real mouse and a real keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import turn
from tests.e2e.conftest import Console


def card(page: Page, name: str) -> Locator:
    title = page.get_by_role("heading", name=name, exact=True)
    return page.locator("#templates .card").filter(has=title)


@pytest.mark.long
def test_a_sample_is_begun_with_saved_as_ones_own_named_and_deleted(
    page: Page, console: Console
) -> None:
    console.allow("422")
    page.goto("/")
    page.get_by_role("link", name="Templates").click()
    sample = card(page, "City guide")
    expect(sample).to_be_in_viewport()
    picture = sample.get_by_role("img")
    expect(picture).to_have_accessible_name(re.compile(r"^Picture of 3 stages: .+ \(entry\)"))
    expect(picture).to_have_attribute("data-led", "")
    spine = picture.locator(".picture__agent").first
    assert spine.evaluate("path => getComputedStyle(path).fill").startswith("oklch(0.62 0.13")

    sample.get_by_role("button", name="Use City guide").click()
    expect(page.locator("#canvas .stage")).to_have_count(3)
    expect(page.locator("#pipeline-name")).to_have_text("City guide")
    expect(page.locator("#canvas[data-ready]")).to_be_visible()

    turn(page, "dark")
    page.get_by_label("More actions for this pipeline").click()
    page.get_by_role("button", name="Save as template…").click()
    dialog = page.get_by_role("dialog", name="Save as template")
    dialog.get_by_label("Name").fill(" ")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    expect(dialog.get_by_label("Name")).to_be_focused()
    page.keyboard.type("Three steps")
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    expect(page.locator("#notice")).to_contain_text("“Three steps” is saved as a template.")
    expect(page.get_by_label("More actions for this pipeline")).to_be_focused()

    page.locator("#notice").get_by_role("link", name="Show templates").click()
    own = card(page, "Three steps")
    own.locator("summary").click()
    own.get_by_role("button", name="Rename…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Name")).to_be_focused()
    page.keyboard.type("Four steps")
    page.keyboard.press("Enter")
    own = card(page, "Four steps")
    expect(own.get_by_role("img")).to_be_visible()
    own.locator("summary").click()
    own.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("#notice")).to_contain_text("“Four steps” is deleted")
    expect(card(page, "Four steps")).to_have_count(0)


def test_the_dialog_of_a_new_pipeline_leads_to_the_gallery_and_the_palette_saves_one(
    page: Page,
) -> None:
    page.goto("/")
    page.get_by_role("button", name="New pipeline").click()
    page.get_by_role("dialog").get_by_role("link", name="a template").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("#templates")).to_be_in_viewport()
    card(page, "Weekend trip").get_by_role("button", name="Use").press("Enter")
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    page.locator("#canvas").focus()
    page.keyboard.press("ControlOrMeta+k")
    expect(page.get_by_role("combobox", name="A command")).to_be_focused()
    page.keyboard.type("save as temp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Save as template")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

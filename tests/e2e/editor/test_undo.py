"""Taking back, in the browser, what was typed in the inspector."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.walkthrough import Keyboard, name_agent


@pytest.fixture
def editor(page: Page) -> Page:
    """A pipeline with one stage, whose agent is the one that is shown."""
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Support")
    dialog.get_by_role("button", name="Create").click()
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    page.locator("#canvas").focus()
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Stage name")).to_have_value("stage-1")
    name_agent(Keyboard(page), "Triage")
    expect(page.locator("#stage-stage-1 .stage__agent")).to_have_text("Triage")
    page.locator("#tab-agent").click()
    expect(page.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("Triage")
    return page


def shows(editor: Page, name: str) -> None:
    """The agent's name on the card, in the panel on the left and in the inspector."""
    card = editor.locator("#stage-stage-1")
    expect(card.locator(".stage__agent")).to_have_text(name)
    expect(card.locator(".avatar")).to_have_text(name[0])
    expect(card).to_have_attribute("aria-label", re.compile(rf"agent {name}\b"))
    expect(editor.locator("#agents li")).to_have_count(1)
    expect(editor.locator("#agents")).to_contain_text(name)
    expect(editor.locator("#inspector").get_by_label("Name", exact=True)).to_have_value(name)


def test_control_z_takes_back_a_name_everywhere_and_control_shift_z_gives_it_again(
    editor: Page,
) -> None:
    name = editor.locator("#inspector").get_by_label("Name", exact=True)
    name.fill("Concierge")
    name.press("Tab")
    shows(editor, "Concierge")
    editor.locator("#canvas").focus()
    editor.keyboard.press("Control+z")
    shows(editor, "Triage")
    editor.keyboard.press("Control+Shift+z")
    shows(editor, "Concierge")
    editor.keyboard.press("Control+z")
    shows(editor, "Triage")
    editor.reload()
    shows(editor, "Triage")

    # Several steps go back at once: down to the one that is chosen.
    more = editor.get_by_label("Undo several steps")
    expect(more).to_be_visible()
    more.focus()
    editor.keyboard.press("Enter")
    steps = editor.locator("#undo-steps button")
    expect(steps).to_have_text([re.compile("new agent Triage"), "Add stage stage-1"])
    for _ in range(2):
        editor.keyboard.press("Tab")
    expect(steps.last).to_be_focused()
    editor.keyboard.press("Enter")
    expect(editor.locator("#stage-stage-1")).to_have_count(0)
    expect(editor.locator("#agents li")).to_have_count(0)
    expect(editor.locator("#undo-button")).to_be_disabled()


def test_control_z_in_a_field_is_the_fields_own(editor: Page) -> None:
    name = editor.locator("#inspector").get_by_label("Name", exact=True)
    name.click()
    editor.keyboard.press("End")
    editor.keyboard.type("s")
    expect(name).to_have_value("Triages")
    version = editor.locator("#version-chip").inner_text()
    editor.keyboard.press("Control+z")
    expect(name).to_have_value("Triage")
    expect(editor.locator("#stage-stage-1 .stage__agent")).to_have_text("Triage")
    assert editor.locator("#version-chip").inner_text() == version

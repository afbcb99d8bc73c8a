"""Notes on the canvas as they are seen: placed, under everything else, and in view."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.boxes import box_of
from tests.e2e.navigation import bring_in

TEXT = "Why two?\n\n  - <b>safer</b>"
FILE = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Noted",
    "agents": [{"id": "agent-a", "name": "Ann"}, {"id": "agent-b", "name": "Bob"}],
    "stages": [
        {"phase": "intake", "kind": "group", "group": {"agents": ["agent-b", "agent-a"]}},
    ],
    "entry": "intake",
    "layout": {
        "stages": {"intake": {"x": 0, "y": 0}},
        "notes": [
            {"id": "why", "text": TEXT, "x": 40, "y": 60, "width": 320},
            {"id": "low", "text": "Ask legal.", "x": -300, "y": 1500},
        ],
    },
}


@pytest.fixture
def noted(page: Page) -> Page:
    """The editor of a pipeline with a group and two notes, one of them far below."""
    page.goto(bring_in(page, FILE))
    expect(page.locator("#canvas")).to_have_attribute("data-ready", "")
    return page


def test_notes_lie_where_the_file_says_and_fit_shows_them(noted: Page) -> None:
    note = noted.locator("#note-why")
    assert note.inner_text() == TEXT
    assert note.evaluate("note => note.style.transform") == "translate(40px, 60px)"
    assert note.evaluate("note => note.offsetWidth") == 320
    for _ in range(2):  # the first view, and the one asked for
        expect(noted.locator("#note-low")).to_be_in_viewport(ratio=0.99)
        expect(note).to_be_in_viewport(ratio=0.99)
        noted.get_by_role("button", name="Fit").click()

    noted.get_by_role("link", name="Rehearse").click()
    expect(noted.locator("#canvas")).to_have_attribute("data-ready", "")
    expect(noted.locator("#note-low")).to_be_in_viewport(ratio=0.99)


def test_a_note_lies_under_the_cards_and_lets_every_gesture_through(noted: Page) -> None:
    noted.locator("#stage-intake").click()
    expect(noted.locator("#stage-intake")).to_have_attribute("aria-current", "true")
    box = box_of(noted.locator("#note-why"))
    noted.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    expect(noted.locator("#stage-intake")).not_to_have_attribute("aria-current", "true")


def test_a_group_is_the_choice_of_its_stage_until_someone_else_is(noted: Page) -> None:
    stage = noted.locator("#stage-intake")
    expect(stage).to_contain_text("Group of 2")
    stage.click()
    agent = noted.get_by_label("Agent", exact=True)
    expect(agent.locator("option:checked")).to_have_text("A group of agents")
    noted.get_by_label("Description").fill("Greets.")
    noted.get_by_label("Description").blur()
    expect(noted.locator("#version-chip")).to_contain_text("v2 ")
    expect(stage).to_contain_text("Group of 2")
    agent.select_option(label="Ann")
    expect(stage).to_contain_text("Ann")
    expect(stage).not_to_contain_text("Group")

"""Number of a new user's actions from the sign-in to an exported and rehearsed pipeline."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from orchestration.loading import load
from orchestration.validation import validate
from tests.e2e.walkthrough import drag, port, stage
from tests.serving import BatonServer

MAX_ACTIONS = 25
STAGES = ("Intake", "Handling", "Review", "Goodbye")
PLACES = ((140, 0), (-150, 200), (-480, 0))
"""Distance of each further stage from the port of the stage before it, in pixels."""

QUESTION = "I was charged twice for my order. What can you do?"

LABELS = """() => [...document.querySelectorAll("label, legend, [aria-label]")]
  .filter((element) => element.checkVisibility())
  .map((element) => element.getAttribute("aria-label") ?? element.textContent.trim())"""
"""Return the visible names of fields and other parts."""


class NewUser:
    """Counts actions: a click, a drag, a text or a key is one. Each page is checked for ids."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.actions = 0

    def click(self, element: Locator) -> None:
        """Click on an element."""
        expect(element).to_be_visible()
        self._act()
        element.click()

    def type(self, text: str) -> None:
        """Type a text into the focused field."""
        self._act()
        self.page.keyboard.type(text)

    def press(self, key: str) -> None:
        """Press a key."""
        self._act()
        self.page.keyboard.press(key)

    def pull(self, phase: str, dx: float, dy: float) -> None:
        """Drag from the port of a stage to empty canvas, at a distance in pixels."""
        self._act()
        x, y = port(self.page, phase)
        drag(self.page, (x, y), (x + dx, y + dy))

    def _act(self) -> None:
        self.actions += 1
        asked = [
            text
            for text in self.page.evaluate(LABELS)
            if re.search(r"\bids?\b", text, re.IGNORECASE)
        ]
        assert asked == []


def test_a_new_user_needs_at_most_25_actions_and_no_id(
    open_page: Callable[..., Page], server: BatonServer, tmp_path: Path
) -> None:
    page = open_page(signed_in=False)
    user = NewUser(page)
    page.goto(server.sign_in_url())
    user.click(page.get_by_role("button", name="Sign in as"))
    user.click(page.get_by_role("button", name="Draw a pipeline"))
    user.type("Refunds")
    user.press("Enter")

    user.click(page.get_by_role("button", name="Add the first stage"))
    name_stage(user, STAGES[0])
    for (source, name), place in zip(pairwise(STAGES), PLACES, strict=True):
        user.pull(source.lower(), *place)
        name_stage(user, name)
    user.click(page.locator("#agents").get_by_role("button", name="Intake"))
    user.click(page.get_by_label("Instructions"))
    user.type("Ask for the number of the order, and hand over to handling.")

    user.click(page.get_by_role("link", name="Rehearse"))
    user.click(page.get_by_label("Message as the customer"))
    user.type(QUESTION)
    user.press("Enter")
    expect(page.locator("#chat-log .turn").first).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_enabled()

    user.click(page.get_by_role("link", name="Export", exact=True))
    with page.expect_download() as waiting:
        user.click(page.get_by_role("dialog").get_by_role("link", name="Download"))
    waiting.value.save_as(tmp_path / "refunds.json")
    definition = load((tmp_path / "refunds.json").read_bytes())
    assert {each.phase for each in definition.stages} == {name.lower() for name in STAGES}
    assert len(definition.transitions) == len(STAGES) - 1
    assert any(agent.instructions for agent in definition.agents)
    assert validate(definition) == ()
    assert user.actions <= MAX_ACTIONS, user.actions


def name_stage(user: NewUser, name: str) -> None:
    """Type the name of a new stage into the picker."""
    expect(user.page.get_by_role("combobox", name="Part to create")).to_be_focused()
    user.type(name)
    user.press("Enter")
    expect(stage(user.page, name.lower())).to_be_visible()

"""A pause that comes too late for its run, in a real browser: said, until the next run begins."""

import pytest
from playwright.sync_api import expect

from tests.e2e.navigation import bring_in
from tests.e2e.rehearsing import SLOWEST, say

DESK = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Tides",
    "entry": "desk",
    "agents": [{"id": "clerk", "name": "Clerk"}],
    "stages": [{"phase": "desk", "agent_id": "clerk"}],
}
ASKING = "Tell me about the tides, the moon and the sea."


@pytest.fixture
def server(visit):
    """A server whose agents take seconds for an answer."""
    return visit(environment=SLOWEST)


def test_that_a_run_ended_before_it_stood_still_is_said_until_the_next_begins(page):
    page.goto(bring_in(page, DESK) + "rehearse/")
    say(page, ASKING)
    pause = page.get_by_role("button", name="Pause", exact=True)
    expect(pause).to_have_accessible_description("next: the step after Clerk's answer")
    pause.click()
    ended = page.get_by_role("alert").filter(has_text="The run ended before it could pause.")
    expect(ended).to_be_visible()
    say(page, ASKING)
    expect(page.locator("#steering")).to_have_attribute("data-standing", "running")
    expect(ended).to_have_count(0)
    expect(pause).to_have_accessible_description("next: the step after Clerk's answer")
    # Pause is a toggle: the second press withdraws what the first requested.
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "true")
    expect(pause).to_have_accessible_description("pauses before the step after Clerk's answer")
    pause.click()
    expect(pause).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#steering")).to_have_attribute("data-standing", "idle")

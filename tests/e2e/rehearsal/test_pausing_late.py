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
    page.get_by_role("button", name="Pause", exact=True).click()
    ended = page.get_by_role("alert").filter(has_text="The run ended before it could pause.")
    expect(ended).to_be_visible()
    say(page, ASKING)
    expect(page.locator("#steering")).to_have_attribute("data-standing", "running")
    expect(ended).to_have_count(0)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#steering")).to_have_attribute("data-standing", "idle")

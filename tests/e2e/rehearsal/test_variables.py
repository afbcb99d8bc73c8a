"""Variables of a rehearsal in a real browser: the table at its start, and changes on the way."""

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import violations
from tests.e2e.navigation import bring_in
from tests.e2e.rehearsing import AT_ONCE, converse

DESK = {
    "format": "baton.pipeline",
    "version": 1,
    "name": "Welcome desk",
    "entry": "desk",
    "variables": {"customer.name": "Ada", "plan": "basic"},
    "agents": [
        {
            "id": "clerk",
            "name": "Clerk",
            "instructions": "Greet {{customer.name}}.",
            "cues": [{"say": "Hello {{customer.name}} of {{plan}}."}],
        }
    ],
    "stages": [{"phase": "desk", "agent_id": "clerk"}],
}


@pytest.fixture
def server(visit):
    """A server whose agents answer at once."""
    return visit(environment=AT_ONCE)


@pytest.mark.long
def test_the_table_of_variables_sets_them_at_the_start_and_on_the_way(page):
    page.goto(bring_in(page, DESK) + "rehearse/")
    name, plan = page.get_by_label("customer.name"), page.get_by_label("plan", exact=True)
    expect(name).to_have_value("Ada")
    assert violations(page) == []
    plan.fill("pro")
    page.get_by_role("link", name="Design").click()
    page.get_by_role("link", name="Rehearse").first.click()
    expect(plan).to_have_value("pro")
    converse(page, "Good morning")
    expect(page.locator("#chat-log")).to_contain_text("Hello Ada of pro.")
    expect(name).to_be_hidden()
    page.get_by_text("Variables", exact=True).click()
    assert page.evaluate("sessionStorage['baton:fields']") == "{}", "sent"
    name.fill("Bob")
    converse(page, "And now?")
    expect(page.locator("#chat-log")).to_contain_text("Hello Bob of pro.")
    changed = page.locator("#trace .event[data-type='run.started']").last
    expect(changed).to_contain_text("customer.name = Bob")
    expect(name).to_be_hidden()
    page.reload()
    page.get_by_text("Variables", exact=True).click()
    expect(name).to_have_value("Bob")
    expect(plan).to_have_value("pro")

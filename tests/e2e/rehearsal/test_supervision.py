"""A supervisor in a real browser: its settings, its card, its calls and what it decides."""

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import in_both_themes
from tests.e2e.navigation import address_of
from tests.e2e.rehearsing import SLOWLY, converse, open_rehearsal, say, wait_for_the_end
from tests.e2e.sections import unfold
from tests.e2e.waits import wait_until


@pytest.fixture
def server(visit):
    """A server whose agents speak slowly, and someone with the samples."""
    return visit(samples=True, environment=SLOWLY)


WATCH_WORK = """() => new MutationObserver(() => {
  const parts = ["#supervisor-card[data-working]", "#stage-orders[data-live]"];
  window.worked ||= parts.every((selector) => document.querySelector(selector));
}).observe(document.getElementById("canvas"), { subtree: true, attributes: true })"""
"""Record that the supervisor works while the ring is at the stage, which is short."""


@pytest.mark.long
def test_a_supervisor_is_set_up_watched_and_escalates(page):
    page.goto(address_of(page, "Support desk"))
    section = page.locator("#inspector")
    card = page.locator("#supervisor-card")
    expect(card).to_contain_text("supervises at handoffs and run ends")
    unfold(page, "Supervision")
    section.get_by_label("After each turn of an agent").check()
    expect(card).to_contain_text("supervises at handoffs, turns and run ends")
    page.get_by_role("button", name="Undo").click()
    expect(card).to_contain_text("supervises at handoffs and run ends")
    expect(section.get_by_label("After each turn of an agent")).not_to_be_checked()
    page.get_by_label("Supervising agent").select_option("")
    expect(card).to_have_count(0)
    expect(section.get_by_label("After each handoff")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(section.get_by_label("After each handoff")).to_be_checked()
    assert in_both_themes(page) == []

    open_rehearsal(page, "Support desk")
    converse(page, "Where is my parcel?")
    page.evaluate(WATCH_WORK)
    say(page, "I am furious: nothing works for the third time!")
    wait_until(page, "() => window.worked")
    wait_for_the_end(page)
    expect(page.locator("#supervisor-card[data-working]")).to_have_count(0)
    expect(page.locator("#stage-escalation[data-live]")).to_be_visible()
    chat = page.locator("#chat-log")
    expect(chat).to_contain_text("requested by Supervisor")
    expect(chat).to_contain_text("The customer is angry.")

    head = page.locator("#trace > [data-call-part='head']").last
    call = page.locator(f"#trace > [data-call='{head.get_attribute('data-call')}']")
    expect(head).to_contain_text("called before the end of the run")
    expect(head).to_contain_text("sent a note, handed over to a person")
    expect(call.locator("visible=true")).to_have_count(1)
    head.get_by_role("button", name="events of this call").click()
    assert call.count() > 5
    expect(call.locator("visible=true")).to_have_count(call.count())
    turn = call.and_(page.locator("[data-type='turn.started']")).first
    turn.locator("summary").first.click()
    expect(turn).to_contain_text("You supervise a conversation between a user and other agents")
    assert in_both_themes(page) == []

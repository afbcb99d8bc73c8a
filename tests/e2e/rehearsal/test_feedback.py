"""Feedback on answers in a real browser: given, changed and withdrawn, by keys and by touch."""

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import violations
from tests.e2e.rehearsing import AT_ONCE, QUESTION, converse, open_rehearsal

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def server(visit):
    """A server whose agents answer at once, and someone with the samples."""
    return visit(samples=True, environment=AT_ONCE)


def test_an_answer_is_rated_commented_and_the_feedback_withdrawn(page, open_page):
    open_rehearsal(page)
    converse(page, QUESTION)
    answers = page.locator(".turn[data-answer]")
    last = answers.last
    good, bad = (last.get_by_role("button", name=name) for name in ("Good answer", "Bad answer"))

    # By keys: the buttons of all answers are one tab stop.
    assert page.locator('.feedback > button[tabindex="0"]').count() == 1
    dialog = page.get_by_role("dialog", name="Comment on this answer")
    last.get_by_role("button", name="Comment on this answer").click()
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Withdraw the feedback")).to_be_hidden()
    page.keyboard.press("Escape")
    good.focus()
    page.keyboard.press("ArrowRight")
    expect(bad).to_be_focused()
    page.keyboard.press("Enter")
    expect(bad).to_have_attribute("aria-pressed", "true")
    rated = page.locator("#trace > .event[data-type='feedback.given']")
    expect(rated).to_contain_text("thumbs down")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.type("Too lo")
    page.mouse.click(300, 880)  # beside the dialog
    expect(dialog).to_be_hidden()
    answers.first.get_by_role("button", name="Comment on this answer").click()
    expect(dialog.get_by_label("Comment")).to_have_value("")
    page.keyboard.press("Escape")
    last.get_by_role("button", name="Comment on this answer").click()
    expect(dialog.get_by_label("Comment")).to_have_value("Too lo")
    dialog.get_by_label("Comment").press("End")
    page.keyboard.type("ng.")
    expect(dialog).to_contain_text("9 of 1,000 characters")
    assert violations(page) == []
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(last).to_contain_text(": Too long.")
    page.locator("#trace-filter").get_by_label("Kind of event").select_option("feedback")
    expect(page.locator("#trace > .event:visible")).to_have_count(2)

    # By touch, after a reload on a phone.
    phone = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    phone.goto(page.url)
    thumb = phone.locator(".turn[data-answer]").last.get_by_role("button", name="Good answer")
    expect(phone.locator(".turn[data-answer]").last).to_contain_text(": Too long.")
    assert min(thumb.bounding_box()[side] for side in ("width", "height")) >= 44
    thumb.tap()
    expect(good).to_have_attribute("aria-pressed", "true")
    expect(bad).to_have_attribute("aria-pressed", "false")
    assert violations(phone) == []

    last.get_by_role("button", name="Comment on this answer").click()
    dialog.get_by_role("button", name="Withdraw the feedback").click()
    expect(good).to_have_attribute("aria-pressed", "false")
    expect(last).not_to_contain_text("Too long.")
    expect(rated.last).to_contain_text("withdrawn")

"""A rehearsal whose page knows that the network is gone, while its socket does not notice."""

import pytest
from playwright.sync_api import expect

from tests.e2e.rehearsing import AT_ONCE, LOST, converse, open_rehearsal, say, wait_for_the_end


@pytest.fixture
def server(visit):
    """A server whose agents answer at once, and someone with the samples."""
    return visit(samples=True, environment=AT_ONCE)


@pytest.fixture
def page(page, console):
    """A rehearsal with one answer, and the network is gone."""
    console.allow("ERR_|" + LOST)
    open_rehearsal(page)
    converse(page, "Hello")
    page.context.set_offline(True)
    expect(page.locator("#offline")).to_be_visible()
    return page


def go_online(page):
    page.context.set_offline(False)
    expect(page.locator("#offline")).to_be_hidden()


def test_a_pending_message_is_sent_as_it_stands_in_its_field_or_not_at_all(page):
    box, notice = page.get_by_label("Message as the customer"), page.locator("#composer-notice")
    pending = "Pending: this message is sent when the server is reached again."
    say(page, "A first thought")
    expect(notice).to_have_text(pending)
    box.fill("A second thought")
    expect(notice).to_contain_text("not pending any more. Send it again.")
    go_online(page)
    expect(box).to_have_value("A second thought")
    box.press("Enter")
    expect(page.locator(".said-by-user").last).to_contain_text("A second thought")
    wait_for_the_end(page)

    page.context.set_offline(True)
    expect(page.locator("#offline")).to_be_visible()
    say(page, "A third thought")
    expect(notice).to_have_text(pending)
    go_online(page)
    expect(page.locator(".said-by-user").last).to_contain_text("A third thought")
    expect(box).to_have_value("")
    expect(notice).to_be_empty()
    wait_for_the_end(page)
    expect(page.locator(".said-by-user")).to_have_count(3)


def test_a_comment_stays_in_its_dialog_until_it_can_be_sent(page):
    page.locator(".turn[data-answer]").last.get_by_role("button", name="Comment").click()
    dialog = page.get_by_role("dialog", name="Comment on this answer")
    comment = dialog.get_by_label("Comment")
    comment.fill("Too long.")
    comment.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Offline: this was not done.")
    expect(dialog).to_be_visible()
    expect(comment).to_have_value("Too long.")
    go_online(page)
    comment.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.locator(".turn[data-answer]").last).to_contain_text(": Too long.")


@pytest.mark.long
def test_a_note_stays_in_its_dialog_until_it_can_be_sent(page):
    page.locator("#steering").get_by_role("button", name="Note").click()
    note = page.get_by_role("dialog").get_by_role("textbox")
    note.fill("Offer a refund.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#notice")).to_contain_text("Offline: this was not done.")
    expect(note).to_have_value("Offer a refund.")
    expect(note).to_be_visible()
    go_online(page)
    page.keyboard.press("Control+Enter")
    expect(note).to_be_hidden()
    expect(page.locator("#trace")).to_contain_text("Offer a refund.")

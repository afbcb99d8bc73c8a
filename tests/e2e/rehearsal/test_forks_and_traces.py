"""A conversation in a real browser: forked, compared, exported, opened again, watched."""

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import violations
from tests.e2e.rehearsing import AT_ONCE, QUESTION, converse, open_rehearsal, panes


@pytest.fixture
def server(visit):
    """A server whose agents answer at once, with a user who has the samples."""
    return visit(samples=True, environment=AT_ONCE)


def story(page):
    """Return the content of the panes, without participants' buttons and without variants."""
    told = panes(page)
    left_out = {"", "Retry", "Edit", "1/2"}
    lines = (line for line in told["chat"].splitlines() if line not in left_out)
    return told | {"chat": list(lines)}


def choose(page, name):
    """Choose something from the menu of the conversation."""
    page.get_by_label("More for").last.click()
    page.get_by_role("link", name=name).click()


@pytest.mark.long
def test_a_conversation_is_forked_compared_taken_away_opened_and_watched(
    page, open_page, console, tmp_path
):
    console.allow("422")
    open_rehearsal(page)
    converse(page, QUESTION, "Yes, please.")
    told, origin = story(page), page.url
    page.locator("#canvas").focus()
    page.keyboard.press("Control+k")
    page.locator("#palette").get_by_role("combobox").fill("open a trace")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Open a trace")).to_be_visible()
    page.keyboard.press("Escape")

    # Back to the second message, and another one instead of it.
    received = page.locator("#trace > .event[data-type='message.received']").nth(1)
    received.locator("summary").click()
    received.get_by_role("link", name="Fork here").click()
    expect(page.get_by_label("before it")).to_be_checked()
    assert violations(page) == []
    page.get_by_label("Name").fill("Changed their mind")
    page.keyboard.press("Enter")
    expect(page.locator(".said-by-user")).to_have_count(1)
    converse(page, "No, thank you.")

    # Beside its original.
    choose(page, "Compare")
    parted = page.locator(".compare__row#first")
    expect(page.get_by_role("link", name="a message of the customer")).to_be_visible()
    expect(parted).to_contain_text("Yes, please.")
    expect(parted).to_contain_text("No, thank you.")
    expect(page.locator(".compare__mark")).to_have_count(1)
    expect(page.get_by_role("img", name="Path: intake, handling")).to_have_count(2)
    expect(page.locator(".path__stage--visited")).to_have_count(5)
    rows = page.locator(".compare__row")
    page.get_by_role("button", name="Next").click()
    expect(parted).to_be_focused()
    expect(page.locator("#difference")).to_contain_text("Difference 1 of ")
    expect(rows.first).to_be_visible()
    page.get_by_label("Differences only").check()
    expect(rows.first).to_be_hidden()
    expect(parted).to_be_visible()
    page.keyboard.press("p")
    expect(parted).to_be_focused()
    assert violations(page) == []
    expect(page.get_by_role("row", name="Path")).to_contain_text("handling → review")

    # Taken away, and opened again: a broken file is refused, the whole one tells the same.
    page.goto(origin)
    page.get_by_label("More for").last.click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export the trace").click()
    whole, broken = tmp_path / "talk.trace.jsonl", tmp_path / "broken.trace.jsonl"
    download.value.save_as(whole)
    expect(page.locator(".takeaway-menu[open]")).to_have_count(0)
    broken.write_bytes(whole.read_bytes() + b'{"type": "hello"}\n')
    page.goto("/")
    page.get_by_role("button", name="Open a trace").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("File").set_input_files(broken)
    dialog.get_by_role("button", name="Open").click()
    expect(dialog).to_contain_text("This is not an event")
    dialog.get_by_label("File").set_input_files(whole)
    dialog.get_by_role("button", name="Open").click()
    expect(page.get_by_text("from a file, read-only")).to_be_visible()
    assert story(page) == told
    expect(page.locator("#composer")).to_have_count(0)
    expect(page.get_by_role("button", name="Retry")).to_have_count(0)

    # A trace that ends in the middle of an answer waits for no further events.
    lines = whole.read_bytes().splitlines(keepends=True)
    last = max(at for at, line in enumerate(lines) if b'"turn.started"' in line)
    cut = tmp_path / "cut.trace.jsonl"
    cut.write_bytes(b"".join(lines[: last + 1]))
    page.goto(origin)
    page.get_by_label("More for").last.click()
    page.get_by_role("button", name="Open a trace…").click()
    assert violations(page) == []
    dialog.get_by_label("File").set_input_files(cut)
    dialog.get_by_role("button", name="Open").click()
    ending = (
        "turn => [getComputedStyle(turn, '::after')].map((of) => of.content + of.animationName)"
    )
    unfinished = page.locator(".turn[data-streaming]")
    assert unfinished.evaluate(ending) == ['"the trace ends here"none']

    # Watched by an anonymous visitor, until the link is revoked.
    page.goto(origin)
    choose(page, "Share with a link")
    expect(page.get_by_label("Expires after")).to_have_value("7")
    page.get_by_label("Expires after").select_option("1")
    page.get_by_role("button", name="New link").click()
    expect(page.locator(".takeaway__links")).to_contain_text("expires")
    link = page.get_by_label("The new link").input_value()
    assert violations(page) == []
    watcher = open_page(signed_in=False, color_scheme="dark")
    watcher.goto(link)
    expect(watcher.locator(".saved")).to_have_text("you are watching")
    assert story(watcher) == told
    assert violations(watcher) == []
    talking = page.context.new_page()
    talking.goto(origin)
    converse(talking, "It was the card ending in 4242.")
    expect(watcher.locator("#chat-log")).to_contain_text("It was the card ending in 4242.")
    expect(watcher.locator(".stage[data-live]")).to_have_id("stage-resolution")
    expect(watcher.locator("#composer")).to_have_count(0)
    points = watcher.locator("#break-points > li")
    talking.locator("#stage-resolution").focus()
    talking.keyboard.press("b")
    expect(points).to_have_text("before turns in resolution")  # and no button that removes it
    expect(watcher.locator("#stage-resolution")).to_have_attribute("data-break", "")
    talking.keyboard.press("b")
    expect(points).to_have_count(0)
    expect(watcher.locator("#stage-resolution")).not_to_have_attribute("data-break", "")
    turn = watcher.locator("#trace > .event[data-type='turn.started']").last
    turn.locator("summary").click()
    expect(turn).to_contain_text('"type": "turn.started"')
    expect(turn).not_to_contain_text("Instructions of the agent")
    watcher.goto(f"{link}?at=9")
    expect(watcher.locator("#time-slider")).to_have_value("9")
    expect(watcher.locator("#trace > .event[aria-current]")).to_have_id("event-9")
    expect(watcher.get_by_role("button", name="Copy the link to this moment")).to_be_visible()
    assert violations(watcher) == []
    page.get_by_role("button", name="Revoke").click()
    expect(watcher.locator("#connection")).to_contain_text("This link no longer works")
    expect(watcher.get_by_role("button", name="Try now")).to_be_hidden()
    assert watcher.goto(link).status == 410
    expect(watcher.get_by_role("heading")).to_have_text("This link no longer works")
    assert violations(watcher) == []
    console.allow("410")

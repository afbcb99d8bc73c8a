"""Stepping into a rehearsal in a real browser; its name, its forks, and the inbox."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import turn
from tests.e2e.rehearsing import QUESTION, SLOWLY, converse, open_rehearsal, say, wait_for_the_end

RECORD_NOTIFICATIONS = """
window.notified = [];
window.Notification = class extends Notification {
  static permission = "default"; // without a window the browser always reports "denied"
  static async requestPermission() {
    return (this.permission = await super.requestPermission());
  }
  constructor(title, options) {
    super(title, options);
    window.notified.push(`${title}: ${options.body}`);
  }
};
"""

DROP = """(form) => {
  const carried = new DataTransfer();
  carried.items.add(new File(["x"], "bill.pdf", { type: "application/pdf" }));
  const drop = { bubbles: true, cancelable: true, dataTransfer: carried };
  form.dispatchEvent(new DragEvent("drop", drop));
}"""

IS_WITHIN_ITS_CARD = """marker => {
  const [inner, outer] = [marker, marker.closest(".stage")].map((e) => e.getBoundingClientRect());
  return inner.top >= outer.top && inner.bottom <= outer.bottom;
}"""


@pytest.fixture
def server(visit):
    """A server whose agents speak slowly, with a user who has the samples."""
    return visit(samples=True, environment=SLOWLY)


def stand_still_in(page, phase):
    """Have runs stand still before the turns of a stage."""
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    page.locator(f"#stage-{phase}").focus()
    page.keyboard.press("b")
    expect(page.locator(f"#stage-{phase}")).to_have_attribute("data-break", "")


def test_a_run_is_paused_noted_handed_off_and_taken_over_by_mouse_and_key(page):
    open_rehearsal(page)
    converse(page, "Hello")

    # The second click of a double click does not take over the run that the first has ended.
    say(page, "I was charged twice.")
    expect(page.locator("#steering")).to_have_attribute("data-standing", "running")
    page.locator("#steer-end").dblclick()
    wait_for_the_end(page)
    stand_still_in(page, "intake")

    # A message sent during a pause is queued, can be withdrawn, and is sent after the run.
    say(page, "I was charged twice.")
    expect(page.locator("#steering")).to_have_attribute("data-standing", "paused")
    say(page, "Are you there?")
    say(page, "Never mind.")
    queued = page.locator("#queue > li")
    expect(queued).to_have_count(2)
    expect(page.locator("#message-text")).to_have_value("")
    page.locator("#message-text").fill("I will call.")
    page.get_by_role("button", name="Withdraw: Never mind.").click()
    expect(queued).to_have_text([re.compile("Are you there")])
    expect(page.locator("#message-text")).to_be_focused()
    expect(page.locator("#message-text")).to_have_value("Never mind.\nI will call.")
    page.locator("#message-text").fill("")
    page.reload()
    expect(queued).to_have_count(1)
    expect(page.locator("#canvas[data-ready]")).to_be_visible()

    # Further typing goes into the message; letters typed outside a field do nothing.
    expect(page.locator("#message-text")).to_be_focused()
    page.locator("#message-text").blur()
    page.keyboard.type("charged too often")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(queued).to_have_count(1)
    expect(page.locator("#steering")).to_have_attribute("data-standing", "paused")

    turn(page, "dark")
    # A note by key, then on by key.
    page.locator("#stage-intake").focus()
    page.keyboard.press("t")
    expect(page.locator("#note-dialog")).to_be_visible()
    page.keyboard.type("A regular customer.")
    page.reload()
    page.locator("#stage-intake").focus()
    page.keyboard.press("t")
    expect(page.locator("#note-text")).to_have_value("A regular customer.")
    page.get_by_role("button", name="Send the note").click()
    expect(page.locator(".handoff--note")).to_contain_text("A regular customer.")
    page.keyboard.press("Escape")
    page.locator("#stage-intake").focus()
    page.keyboard.press("b")
    page.keyboard.press("g")
    expect(page.locator(".said-by-user", has_text="Are you there?")).to_be_visible()
    expect(queued).to_have_count(0)
    wait_for_the_end(page)

    # Past the check, knowingly.
    page.locator("#steer-hand-over").click()
    dialog = page.locator("#hand-over-dialog")
    expect(dialog.get_by_role("group").first).to_contain_text("Allowed from")
    past = dialog.get_by_role("group", name="Past the check")
    past.get_by_role("radio", name="Resolver").check()
    dialog.get_by_label("Reason").fill("It is long resolved")
    expect(dialog.get_by_role("button", name="Hand off past the check")).to_be_enabled()
    page.keyboard.press("Control+Enter")
    passed = page.locator(".handoff", has_text="It is long resolved")
    expect(passed).to_contain_text("past the check")
    expect(page.locator("#stage-resolution")).to_have_attribute("data-live", "")
    gone = page.locator(".edge.beside[data-target=resolution]")
    expect(gone).to_have_attribute("data-tally", "1 handoff")
    expect(gone.locator(".line")).to_have_attribute("d", re.compile("^M"))
    expect(gone.locator(".line")).to_have_css("stroke-dasharray", "7px, 5px")
    expect(page.locator(".label text", has_text="1 handoff").first).to_be_visible()
    page.get_by_label("Moment that canvas and chat show").press("Home")  # then it was not gone yet
    expect(gone).to_have_count(0)
    page.locator("#time-slider-now").click()
    expect(gone).to_have_count(1)

    # A person answers, in Markdown, and gives it back.
    page.locator("#steer-take-over").click()
    ring = page.locator("#canvas [data-live]")
    expect(ring).to_have_id("human-marker")
    expect(ring).to_have_accessible_name("A human has the conversation")
    assert ring.evaluate(IS_WITHIN_ITS_CARD), "no label of a transition is under it"
    name, marker = (
        page.locator("#stage-resolution .stage__agent").bounding_box(),
        ring.bounding_box(),
    )
    assert name["x"] + name["width"] <= marker["x"], "nor the name of the agent"
    reply = page.get_by_label("Reply as the human")
    expect(reply).to_be_focused()
    reply.fill("**Done**\n\n- <b>one</b>\n- two")
    page.keyboard.press("Enter")
    said = page.locator(".said-as-human")
    expect(said.locator("strong")).to_have_text("Done")
    expect(said.locator("li")).to_have_text(["<b>one</b>", "two"])
    expect(reply).to_have_value("")
    page.locator("#steer-hand-back").click()
    expect(page.get_by_role("button", name="Hand back", exact=True)).to_be_enabled()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#steering")).to_have_attribute("data-standing", "idle")
    expect(ring).to_have_id("stage-resolution")
    expect(page.get_by_label("Message as the customer")).to_be_focused()


@pytest.mark.long
def test_a_rehearsal_is_named_forked_given_to_the_inbox_and_deleted(page):
    open_rehearsal(page)
    converse(page, QUESTION)

    # No file is taken, and nothing typed is lost.
    box = page.get_by_label("Message as the customer")
    box.fill("See my bill")
    page.locator("#composer").evaluate(DROP)
    expect(page.get_by_role("alert").filter(has_text="Files cannot be attached")).to_be_visible()
    expect(box).to_have_value("See my bill")
    box.fill("")

    page.locator(".takeaway-menu > summary").click()
    page.get_by_role("button", name="Rename…").click()
    name = page.get_by_label("Name", exact=True)
    name.fill("n" * 1_121)
    page.keyboard.press("Enter")
    said = "This has 1,121 characters; 120 are allowed."
    assert name.evaluate("field => field.validationMessage") == said
    expect(name).to_have_value("n" * 1_121)
    name.fill("Twice <charged>")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Twice <charged>")).to_be_visible()

    page.locator(".said-by-user").hover()
    page.get_by_role("button", name="Edit").click()
    instead = page.get_by_label("New message")
    expect(instead).to_have_value(QUESTION)
    instead.fill("Hello, who is there?")
    page.keyboard.press("Escape")
    page.locator(".said-by-user").hover()
    page.get_by_role("button", name="Edit").click()
    expect(instead).to_have_value("Hello, who is there?")  # kept until it is sent
    page.get_by_role("button", name="Send as a variant").click()
    expect(page.get_by_role("heading", name="Twice <charged> (edit)")).to_be_visible()
    expect(page.locator(".said-by-user p")).to_have_text(["Hello, who is there?"])
    wait_for_the_end(page)

    # The arrows at the message switch between its variants, by key too, and after a reload.
    expect(page.get_by_role("group", name="Variant 2 of 2")).to_be_visible()
    expect(page.locator(".starters")).to_be_hidden()
    page.get_by_role("button", name="Show the previous variant").press("Enter")
    expect(page.locator(".said-by-user p")).to_have_text([QUESTION])
    expect(page.get_by_role("group", name="Variant 1 of 2")).to_be_visible()
    expect(page.locator("#announcer")).to_have_text("Variant 1 of 2")
    expect(page.get_by_role("button", name="Show the next variant")).to_be_focused()
    page.reload()
    page.get_by_role("button", name="Show the next variant").click()
    expect(page.get_by_role("group", name="Variant 2 of 2")).to_be_visible()
    expect(page.locator(".said-by-user p")).to_have_text(["Hello, who is there?"])

    page.locator("#steer-hand-over").click()
    page.locator("#hand-over-dialog").get_by_role("radio", name="Human").check()
    page.locator("#hand-over-dialog [type=submit]").click()
    expect(page.locator(".handoff", has_text="→ Human")).to_be_visible()
    page.goto("/")
    page.get_by_role("link", name="Inbox: 1 for a human").click()
    expect(page.get_by_role("list", name="Waiting")).to_contain_text("(edit)")
    page.get_by_role("link", name="Look at").click()
    expect(page.locator("#steer-take-over")).to_be_visible()
    say(page, "Is anybody there?")
    expect(page.get_by_role("button", name="Take it")).to_be_visible()

    # Taken from the inbox it is opened at once, and the number in every bar follows.
    other = page.context.new_page()
    other.clock.install()
    other.goto("/inbox/")
    bar = page.get_by_role("link", name="Inbox: 1 for a human")
    expect(bar).to_be_visible()
    page.locator("#message-text").fill("Is it still open?")
    other.get_by_role("button", name="Take Twice").click()
    expect(other.get_by_label("Reply as the human")).to_be_focused()
    # A text that was begun as the customer remains the customer's.
    expect(page.get_by_label("Message as the customer")).to_have_value("Is it still open?")
    expect(page.get_by_label("Speak as")).to_have_value("say")
    page.locator("#message-text").fill("")
    expect(page.get_by_role("button", name="Take it")).to_be_hidden()
    expect(bar).to_have_count(0)
    other.context.grant_permissions(["notifications"])
    other.add_init_script(RECORD_NOTIFICATIONS)
    other.goto("/inbox/")
    expect(other.get_by_role("list", name="Taken")).to_contain_text("you have it")
    notify = other.get_by_role("button", name="Notify me in this browser")
    expect(notify).to_have_attribute("aria-pressed", "false")
    notify.click()
    expect(notify).to_have_attribute("aria-pressed", "true")

    # The next message after the end waits for a human again; a page that stays open shows it.
    page.locator("#steer-end").click()
    expect(page.locator("#chat-log")).to_contain_text("ended the conversation. A new message waits")
    expect(page.locator("#steering")).to_have_attribute("data-standing", "ended")
    expect(page.locator("#steer-end")).to_be_disabled()
    expect(page.get_by_label("Message as the customer")).to_be_focused()  # a person has left
    say(page, "One more thing")
    expect(page.get_by_role("button", name="Take it").last).to_be_visible()
    other.clock.run_for(16_000)
    expect(other.get_by_role("link", name="Inbox: 1 for a human")).to_be_visible()
    assert other.evaluate("window.notified") == ["Baton: A conversation waits for a human."]
    expect(other.get_by_role("list", name="Waiting")).to_contain_text("(edit)")

    # In the page of a person who did not take it, the next message is the customer's.
    page.locator("#composer").evaluate("form => { form.dataset.user = 'someone else'; }")
    other.get_by_role("button", name="Take Twice").click()
    expect(other.get_by_label("Speak as")).to_have_value("reply")
    expect(page.get_by_label("Speak as")).to_have_value("say")
    other.close()

    page.locator(".takeaway-menu > summary").click()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("(edit)” is deleted.")).to_be_visible()
    expect(page.get_by_role("heading", name="Twice <charged>")).to_be_visible()
    expect(page.locator(".said-by-user p")).to_have_text([QUESTION])
    expect(page.get_by_role("group", name="Variant")).to_have_count(0)


@pytest.mark.long
def test_on_a_phone_a_dialog_is_seen_whichever_sheet_it_is_opened_from(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    open_rehearsal(page)
    converse(page, "Hello")
    assert page.evaluate("document.documentElement.scrollHeight") <= 844
    page.locator(".sheets").get_by_role("button", name="Supervisor").click()
    page.locator("#steer-note").click()
    note = page.get_by_label("Text, not shown to the customer")
    expect(note).to_be_focused()
    note.fill("n" * 8_001)
    page.keyboard.press("Enter")
    assert "8,000 are allowed" in note.evaluate("field => field.validationMessage")
    expect(note).to_have_value("n" * 8_001)
    note.fill("A regular customer.")
    page.keyboard.press("Enter")
    expect(page.locator("#note-dialog")).to_be_hidden()
    expect(page.locator("#trace")).to_contain_text("A regular customer.")

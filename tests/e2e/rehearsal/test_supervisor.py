"""The supervisor pane in a real browser: details of events, at every moment of the trace."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import turn
from tests.e2e.rehearsing import (
    QUESTION,
    SLOWLY,
    converse,
    open_rehearsal,
    say,
    wait_for_the_end,
)
from tests.e2e.waits import wait_until

WHOLE = """() => {
  const box = document.getElementById("trace").getBoundingClientRect();
  const rows = [...document.querySelectorAll("#trace > .event")];
  return !rows.map((row) => row.getBoundingClientRect())
    .filter(({ top, bottom }) => bottom > box.top + 1 && top < box.bottom - 1)
    .some(({ top, bottom }) => top < box.top - 1 || bottom > box.bottom + 1);
}"""


HEIGHT = "() => document.getElementById('supervisor').offsetHeight"

TWO_FRAMES = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"

MARKED = """(word) => {
  const marks = [...(CSS.highlights.get("found") ?? [])];
  const said = (one) => one.startContainer.data.slice(one.startOffset, one.endOffset);
  const rows = document.querySelectorAll("#trace > .event:not([hidden])");
  const row = (one) => one.startContainer.parentElement.closest(".event");
  const [texts, marked] = [marks.map(said), new Set(marks.map(row))];
  return texts.length && texts.every((text) => text === word) && marked.size === rows.length;
}"""


@pytest.fixture
def server(visit):
    """A server whose agents speak slowly, with a user who has the samples."""
    return visit(samples=True, environment=SLOWLY)


def test_the_conversation_can_be_inspected_at_every_moment(page, console):
    console.allow(
        r"htmx:(afterRequest|sendAbort)"
    )  # one look into the trace takes over from another
    open_rehearsal(page)
    converse(page, QUESTION)
    trace, rows = page.locator("#trace"), page.locator("#trace > .event:visible")
    last = rows.count()

    # At its end the pane cuts no row, neither the newest nor the topmost.
    wait_until(page, WHOLE)
    trace.hover()
    page.mouse.wheel(0, -8)  # as on a trackpad
    expect(page.locator("#trace-follow")).to_have_text("Held")
    page.locator("#trace-follow").click()
    expect(page.locator("#trace-follow")).to_have_text("Following")
    wait_until(page, WHOLE)

    # A turn opens to the request to its model, a handoff to the contexts of both sides. The pane
    # grows for reading and shrinks again; the canvas, which was shown in full, fits again.
    low, scale = page.evaluate(HEIGHT), page.locator(".zoom__scale").inner_text()
    opened = trace.locator("[data-type='turn.started']").nth(1)
    opened.locator("summary").first.click()
    expect(trace.locator(".sent")).to_contain_text("System prompt")
    wait_until(page, f"(low) => ({HEIGHT})() > low + 100", low)
    assert page.evaluate(HEIGHT) <= 0.66 * 900 + 1
    expect(page.locator(".zoom__scale")).not_to_have_text(scale)
    opened.locator("summary").first.click()
    wait_until(page, f"(low) => ({HEIGHT})() === low", low)
    expect(page.locator(".zoom__scale")).to_have_text(scale)

    # A zoom chosen by the user is kept at every height of the pane.
    page.locator("[data-view='in']").click()
    closer = page.locator(".zoom__scale").inner_text()
    for _ in range(2):
        page.locator("#pane-size").click()
        page.evaluate(TWO_FRAMES)
        expect(page.locator(".zoom__scale")).to_have_text(closer)
    page.locator("[data-view='fit']").click()
    expect(page.locator(".zoom__scale")).to_have_text(scale)
    opened.locator("summary").first.click()
    expect(trace.locator(".sent")).to_contain_text("lookup_order")
    expect(page.locator("#trace-follow")).to_have_text("Held")
    trace.locator("[data-type='handoff.accepted'] summary").focus()
    page.keyboard.press("Enter")
    expect(trace.locator(".handed thead")).to_contain_text("Triage had")

    turn(page, "dark")
    # The filter, by words and by kind.
    page.get_by_label("Find in the events").fill("lookup_order")
    expect(rows.first).to_have_attribute("data-kind", re.compile("turn|model|tool"))
    expect(rows).not_to_have_count(last)
    expect(page.locator("#trace-found")).to_have_text(f"{rows.count()} found")
    expect(rows.locator(".event__matches", has_text="in tools").first).to_contain_text(
        "lookup_order"
    )
    wait_until(page, MARKED, "lookup_order")
    page.get_by_label("Find in the events").fill("no such words")
    expect(page.locator("#trace-found")).to_have_text("0 found")
    expect(page.locator(".trace__none")).to_be_visible()
    page.get_by_role("button", name="Clear the filter").click()
    expect(page.get_by_label("Find in the events")).to_have_value("")
    expect(rows).to_have_count(last)
    expect(page.locator("#trace-found")).to_be_hidden()
    wait_until(page, "() => !CSS.highlights.has('found')")
    page.get_by_label("Kind of event").select_option("handoff")
    expect(rows).to_have_count(2)
    page.locator("#time-slider").focus()
    page.keyboard.press("ArrowLeft")
    expect(trace.locator("> [aria-current]")).to_have_attribute("data-kind", "handoff")
    page.keyboard.press("Home")
    page.keyboard.press("End")
    expect(page.get_by_label("Kind of event")).to_have_value("handoff")
    expect(rows).to_have_count(2)
    page.get_by_label("Kind of event").select_option("")
    expect(rows).to_have_count(last)

    # The slider shows the canvas as it was; the last key leads back to now.
    edge = page.locator("#edge-intake--handling")
    expect(edge).to_have_attribute("data-tally", "1 handoff")
    page.locator("#time-slider").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(edge).to_have_attribute("data-traversed", "1")
    page.keyboard.press("Home")
    expect(edge).not_to_have_attribute("data-traversed", "1")
    expect(page.locator("#canvas")).to_have_attribute("data-past", "")
    expect(page.locator("#chat-log > [data-later]").first).to_be_visible()
    expect(page.locator("#sums-then")).to_contain_text("Until event 0 0 turns")
    expect(page.locator("#sums")).to_be_hidden()
    expect(page.get_by_role("tab", name="Context 0 tokens · 0 %")).to_be_visible()
    expect(page.locator("#context-now")).to_be_hidden()
    accepted = trace.locator("[data-type='handoff.accepted']")
    seq = int((accepted.get_attribute("id") or "").removeprefix("event-"))
    for _ in range(seq):
        page.keyboard.press("ArrowRight")
    expect(edge).to_have_attribute("data-traversed", "1")
    expect(accepted).to_have_attribute("aria-current", "true")
    expect(page.locator("#time-slider-text")).to_contain_text(f"{seq} of {last}")
    pressed = "fork => (fork.onclick = (event) => event.preventDefault(), fork.click(), fork.href)"
    assert page.locator("#fork-here").evaluate(pressed).endswith(f"/fork/{seq}/")
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator("#canvas")).not_to_have_attribute("data-past", "")
    assert page.locator("#fork-here").evaluate(pressed).endswith("/fork/")
    expect(page.locator("#chat-log [data-later]")).to_have_count(0)
    expect(page.locator("#sums")).to_contain_text("Whole conversation 3 turns")
    expect(page.locator("#context-then")).to_be_hidden()
    expect(page.locator("#context-now")).to_be_visible()
    expect(page.get_by_role("button", name="Following")).to_be_visible()

    # The timeline is to scale, and leads back to its events.
    page.get_by_role("tab", name="Timeline").click()
    spans = page.locator(".lane .span[data-kind='turn']")
    expect(spans).to_have_count(3)
    expect(page.locator(".lanes__name")).to_have_text(
        [re.compile(n) for n in ("User", "Triage", "Handler")]
    )
    field = page.locator(".lanes__field").bounding_box()
    length = int(page.locator(".lanes").get_attribute("data-length") or "0")
    for span in spans.all():
        took = int(span.get_attribute("data-end") or 0) - int(span.get_attribute("data-begin") or 0)
        wanted = took / length * (field["width"] - 28)
        assert abs(span.bounding_box()["width"] - max(3, wanted)) < 2
    narrow = "run => ((run.style.inlineSize = '50px'), run.querySelector('bdi').checkVisibility())"
    run = page.locator(".lanes__run").first
    expect(run.locator("bdi")).to_be_visible()
    assert not run.evaluate(narrow), "its number remains"
    spans.last.click()
    expect(page.get_by_role("tab", name="Supervisor")).to_have_attribute("aria-selected", "true")
    expect(trace.locator("> [aria-current] .sent")).to_be_visible()

    # The tabs by key; the fill level of each context.
    page.get_by_role("tab", name="Supervisor").focus()
    page.keyboard.press("End")
    expect(page.locator(".context__name b")).to_have_text(["Triage", "Handler"])

    # On a phone, the tabs take a second line rather than end beyond the window.
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="Supervisor", exact=True).click()
    page.locator("#context-now").evaluate("one => (one.textContent = '128,000 tokens · 100 %')")
    assert page.locator(".supervisor-pane > .tabs").evaluate("one => one.scrollWidth") <= 390


def test_a_run_stands_still_at_a_break_point_that_key_menu_and_pane_set(page):
    open_rehearsal(page)
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    # Before there is a conversation they belong to its start, like the stage and the channel.
    page.get_by_label("Message as the customer").fill("Hello")
    page.get_by_label("Channel").press("ArrowDown")  # to SMS
    page.locator("#stage-handling").focus()
    page.keyboard.press("b")
    page.locator("#edge-handling--review .break-place").click()
    page.locator("#stage-review").get_by_role("button").click()
    page.locator("#break-points > li", has_text="turns in review").get_by_role("button").click()
    page.reload()
    expect(page.locator("#stage-handling")).to_have_attribute("data-break", "")
    expect(page.locator("#edge-handling--review")).to_have_attribute("data-break", "")
    expect(page.locator("#stage-review")).not_to_have_attribute("data-break", "")
    expect(page.get_by_label("Message as the customer")).to_have_value("Hello")
    page.locator("#edge-handling--review .break-place").click()
    converse(page, "Hello")
    expect(page.get_by_label("Channel")).to_have_value("sms")
    expect(page.locator("#break-points > li")).to_have_count(1)
    page.locator("#stage-review").click(button="right")
    page.get_by_role("menuitem", name="Pause before turns in review").click()
    expect(page.locator("#break-points > li")).to_have_count(2)
    page.locator("#break-points > li", has_text="handling").get_by_role("button").click()
    expect(page.locator("#stage-handling")).not_to_have_attribute("data-break", "")
    page.locator("#edge-intake--handling").focus()
    page.keyboard.press("b")
    expect(page.locator("#edge-intake--handling")).to_have_attribute("data-break", "")
    page.get_by_label("Message as the customer").fill("Half a sentence")
    page.reload()
    expect(page.locator("#edge-intake--handling")).to_have_attribute("data-break", "")
    expect(page.get_by_label("Message as the customer")).to_have_value("Half a sentence")
    page.get_by_label("Message as the customer").fill("")

    # Each card and each line has a place, and the palette lists them all.
    place = page.locator("#stage-resolution").get_by_role("button")
    expect(place).to_have_accessible_name("Pause before turns in resolution")
    place.click()
    expect(place).to_have_attribute("aria-pressed", "true")
    # The wide line of an edge, here moved there, leaves the place within reach.
    box, lane = place.bounding_box(), page.locator("#edge-review--resolution > .hit")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    lane.evaluate(
        """(lane, [x, y]) => {
          const at = new DOMPoint(x, y).matrixTransform(lane.getScreenCTM().inverse());
          lane.setAttribute("d", `M${at.x - 40} ${at.y}H${at.x + 40}`);
        }""",
        [x, y],
    )
    assert page.evaluate("at => document.elementFromPoint(...at).matches('.hit')", [x, y])
    page.mouse.click(x, y)
    expect(place).to_have_attribute("aria-pressed", "false")
    page.locator("#edge-handling--review .break-place").click()
    expect(page.locator("#edge-handling--review")).to_have_attribute("data-break", "")
    page.locator("#stage-resolution").focus()
    page.keyboard.press("Control+k")
    page.keyboard.type("remove pause before handoffs handling")
    page.keyboard.press("Enter")
    expect(page.locator("#edge-handling--review")).not_to_have_attribute("data-break", "")

    say(page, QUESTION)
    expect(page.locator("#edge-intake--handling")).to_have_attribute("data-paused", "")
    toggle = page.get_by_role("button", name="Pause", exact=True)
    expect(toggle).to_have_attribute("aria-pressed", "true")
    expect(toggle).to_have_accessible_description("paused before the handoff to Handler")
    words = page.locator(".steering__upcoming")
    assert words.evaluate("words => words.scrollWidth <= words.clientWidth"), "not cut off"
    expect(page.locator(".label--lit")).to_have_text("paused")
    expect(page.locator("#trace > .event").last).to_contain_text("before the handoff to Handler")
    expect(page.locator("#break-points > li")).to_have_count(2)
    toggle.click()
    expect(page.locator("#edge-intake--handling")).not_to_have_attribute("data-paused", "")


def test_while_a_run_goes_on_the_filter_takes_words_that_no_row_shows_and_the_focus_stays(page):
    open_rehearsal(page)
    converse(page, "Hello")
    rows = page.locator("#trace > .event:visible")
    page.get_by_label("Find in the events").fill("one too many")
    expect(page.locator(".trace__none")).to_be_visible()
    say(page, QUESTION)
    expect(rows.first).to_be_visible()
    expect(rows.first.locator(".event__matches")).to_contain_text("one too many")
    expect(page.locator("#trace-found")).to_have_text(re.compile(r"^[1-9]\d* found"))
    wait_for_the_end(page)
    page.get_by_label("Find in the events").fill("")
    expect(page.locator("#trace > .event:visible").nth(9)).to_be_attached()
    wait_until(page, WHOLE)

    page.get_by_role("tab", name="Timeline").click()
    say(page, QUESTION)
    page.get_by_role("button", name="Larger scale").focus()
    before = page.locator(".lanes").get_attribute("data-length")
    expect(page.locator(".lanes")).not_to_have_attribute("data-length", before)
    expect(page.get_by_role("button", name="Larger scale")).to_be_focused()
    wait_for_the_end(page)


def test_a_row_stays_under_the_pointer_that_presses_it_while_others_come(page):
    open_rehearsal(page)
    converse(page, "Hello", "And again")
    rows = page.locator("#trace > .event")
    count = rows.count()
    pressed = rows.last
    name = pressed.get_attribute("id")
    other = page.context.new_page()
    other.goto(page.url)
    pressed.hover()
    page.mouse.down()
    converse(other, "Once more")
    expect(rows.nth(count)).to_be_attached()
    page.evaluate(TWO_FRAMES)
    page.mouse.up()
    expect(page.locator(f"#{name} details")).to_have_attribute("open", "")
    expect(page.locator(f"#{name} .event__body pre").first).to_be_visible()
    expect(page.locator("#trace-follow")).to_have_text("Held")

    page.locator("#trace-follow").click()
    rows.last.locator(".event__what").hover()
    page.mouse.down()
    converse(other, "And once more")
    page.mouse.move(5, 300)
    page.mouse.up()
    expect(page.locator("#trace-follow")).to_have_text("Following")
    expect(rows.last).to_be_in_viewport(ratio=0.99)

"""Routing rules by mouse and by keys: their order, their expressions, their tester."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.canvas.conftest import FILE, draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.held_requests import held
from tests.e2e.navigation import bring_in
from tests.e2e.walkthrough import centre

RULES = [
    {
        "id": "vip",
        "agent_id": "agent-writer",
        "priority": 1,
        "conditions": {"channel_types": ["sms"], "intents": ["billing"]},
    },
    {"id": "late", "agent_id": "agent-triage", "priority": 1, "conditions": {"intents": ["late"]}},
    {"id": "rest", "agent_id": "agent-triage", "priority": 9},
]


def rules_of(page: Page) -> Editor:
    """The editor of a pipeline with rules, which are shown."""
    editor = draw(page, rules=RULES)
    page.get_by_role("link", name="Routing rules").click()
    expect(page.locator("#rules-table")).to_be_visible()
    return editor


def order(page: Page) -> list[str]:
    return page.locator("#rules-table tbody th").all_text_contents()


def carry(page: Page, rule: str, *, to: str) -> None:
    """Take a rule by its grip, and hold it where another one is."""
    page.locator("#rule-rest").scroll_into_view_if_needed()
    grip = page.locator(f"#rule-{rule} .grip")
    grip.hover()
    x, _ = centre(grip)
    _, there = centre(page.locator(f"#rule-{to}"))
    page.mouse.down()
    page.mouse.move(x, there - 10, steps=5)


def test_rules_are_ordered_by_drag_by_key_and_by_button(page: Page) -> None:
    editor = rules_of(page)
    assert order(page) == ["late", "vip", "rest"]
    expect(page.locator("#rule-vip .clauses")).to_have_text("channel is sms and intent is billing")
    assert in_both_themes(page, "#bottom-panel") == []

    carry(page, "vip", to="late")
    page.keyboard.press("Escape")
    page.mouse.up()
    assert order(page) == ["late", "vip", "rest"]
    carry(page, "vip", to="late")
    page.mouse.up()
    expect(page.locator("#rules-table tbody th").first).to_have_text("vip")
    expect(page.locator("#announcer")).to_have_text("Rule vip is number 1 of 3.")
    expect(page.locator("#undo-button")).to_have_attribute("title", "Undo: Move rule vip up")
    editor.saved_as(2)

    page.locator("#rule-change-vip").focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#announcer")).to_have_text("Rule vip is number 2 of 3.")
    assert editor.focused() == "rule-down-vip"
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#rules-table tbody th").last).to_have_text("vip")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("#announcer")).to_have_text("Rule vip is already last.")
    page.get_by_role("button", name="Move rule vip up").click()
    expect(page.locator("#announcer")).to_have_text("Rule vip is number 2 of 3.")
    page.get_by_role("button", name="Duplicate rule vip").click()
    expect(page.locator("#rule-vip-2")).to_be_visible()
    page.get_by_role("button", name="Delete rule vip-2").click()
    expect(page.locator("#rule-vip-2")).not_to_be_attached()


@pytest.mark.long
def test_on_a_phone_rules_and_stages_are_read_without_going_sideways(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    draw(page, rules=RULES)
    page.get_by_role("navigation", name="Panels").get_by_role("button", name="Overview").click()
    tabs = page.locator("#panel-tabs")
    for tab, last in (("Outline", "#outline-review"), ("Routing rules", "#rule-rest")):
        tabs.get_by_role("link", name=tab).click()
        expect(page.locator(last).get_by_role("button", name="Delete")).to_be_visible()
        assert in_both_themes(page) == [], tab
        sizes = "table => [table.scrollWidth, table.clientWidth]"
        wide, seen = page.locator("#bottom-panel table").last.evaluate(sizes)
        assert wide <= seen <= 390
    expect(page.locator("#rule-vip")).to_contain_text("Writer")
    tabs.get_by_role("link", name="Find").click()
    expect(tabs.get_by_role("link", name="Find")).to_be_in_viewport(ratio=0.99)


SCROLL = """async (field, by) => {
  let pane = field
  while (pane.scrollHeight <= pane.clientHeight || getComputedStyle(pane).overflowY === "visible") {
    pane = pane.parentElement
  }
  pane.scrollTop += by
  const drawn = () => new Promise(requestAnimationFrame)
  await drawn()
  await drawn()
  const topOf = (one) => one.getBoundingClientRect().top
  return [pane === field, Math.round(topOf(field.nextElementSibling) - topOf(field))]
}"""


def test_completions_of_an_expression_stay_at_the_caret_on_scroll(
    page: Page,
) -> None:
    rules_of(page)
    page.get_by_role("button", name="New rule").click()
    field = page.get_by_label("Condition (CEL)")
    options = page.locator("[role=option]:visible")
    field.click()
    page.keyboard.type("event.te")
    expect(options).to_have_count(1)
    before = field.evaluate(SCROLL, 0)
    assert field.evaluate(SCROLL, 10) == before
    expect(options).to_have_count(1)
    field.evaluate(SCROLL, 2_000)
    expect(options).to_have_count(0)

    # A field that scrolls itself as it is written in, too.
    field.fill("true ||\n" * 40)
    field.press("Control+End")
    page.keyboard.type("event.te")
    is_itself, before = field.evaluate(SCROLL, 50)  # to its end
    assert is_itself
    assert field.evaluate(SCROLL, -4) == [True, before + 4]
    page.keyboard.press("Enter")
    expect(field).to_have_value(re.compile(r"\|\|\nevent\.text$"))


def test_an_expression_is_completed_while_it_is_being_checked(page: Page) -> None:
    rules_of(page)
    page.get_by_role("button", name="New rule").click()
    field = page.get_by_label("Condition (CEL)")
    options = page.locator("[role=option]:visible")
    let_go = held(page, "rules/check/")
    field.click()
    with page.expect_request("**/rules/check/"):
        page.keyboard.type("event")
    page.keyboard.type(".te")
    expect(options).to_have_count(1)
    page.keyboard.press("Enter")
    expect(field).to_have_value("event.text")
    let_go()


def test_an_expression_is_completed_and_checked_as_it_is_typed(page: Page) -> None:
    let_go = held(page, "expression-completion*")
    rules_of(page)
    page.get_by_role("button", name="New rule").click()
    field = page.get_by_label("Condition (CEL)")
    field.click()
    page.keyboard.type("event.te")
    expect(field).to_have_attribute("aria-invalid", "true")
    let_go()  # what completes comes after what is typed, and answers it still
    options = page.locator("[role=option]:visible")
    expect(options).to_have_count(1)
    expect(options).to_have_attribute("aria-selected", "true")
    assert in_both_themes(page, "#bottom-panel") == []
    field.dispatch_event("keydown", {"key": "Enter", "isComposing": True})  # of an input method
    expect(field).to_have_value("event.te")
    page.keyboard.press("Enter")
    expect(field).to_have_value("event.text")
    page.keyboard.type(".s")
    expect(options).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.keyboard.type("Help")
    expect(field).to_have_value("event.text.startsWith('Help')")
    error = page.locator("#rule-form .field__error:visible")
    expect(error).to_have_count(0)
    page.keyboard.press("End")
    page.keyboard.type(" && evnt")
    expect(error).to_contain_text("At column 34: There is nothing called 'evnt'.")
    expect(field).to_have_attribute("aria-invalid", "true")
    for _ in "evnt":
        page.keyboard.press("Backspace")
    page.keyboard.press("Control+Space")
    expect(options.first).to_be_visible()
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    page.keyboard.press("Control+Space")
    expect(options.first).to_be_visible()
    page.keyboard.press("Tab")
    expect(options).to_have_count(0)
    assert page.evaluate("document.activeElement.closest('#rule-form') !== null")
    field.focus()
    page.keyboard.press("Control+Space")
    options.filter(has_text="conversation.messages").click()
    expect(field).to_have_value("event.text.startsWith('Help') && conversation.messages")
    expect(field).to_be_focused()
    expect(error).to_contain_text("cannot be applied to (true or false, whole number)")

    # Half written, it is not lost unasked.
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Continue editing").click()
    expect(field).to_be_visible()
    page.get_by_role("button", name="New rule").click()
    page.keyboard.press("Escape")
    expect(field).to_have_value("event.text.startsWith('Help') && conversation.messages")
    asked: list[str] = []

    def stay(dialog: object) -> None:
        asked.append(dialog.type)  # type: ignore[attr-defined]
        dialog.dismiss()  # type: ignore[attr-defined]

    page.once("dialog", stay)
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Rehearse").click()
    expect(field).to_be_visible()
    assert asked == ["beforeunload"]
    page.get_by_role("button", name="Change rule vip").click()
    page.get_by_role("button", name="Discard the rule").click()
    expect(page.get_by_label("Rule", exact=True)).to_have_value("vip")
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#rule-form > form")).not_to_be_attached()
    expect(page.get_by_role("button", name="New rule")).to_be_focused()


@pytest.mark.long
def test_the_tester_names_the_agent_of_a_message_and_the_reason(page: Page) -> None:
    rules_of(page)
    page.get_by_role("button", name="Test the rules").click()
    tester, answer = page.locator("#tester"), page.locator("#tested")
    expect(answer).to_contain_text("A web message in stage intake goes to Triage")
    expect(tester.get_by_label("Channel", exact=True)).to_be_focused()
    tester.get_by_label("Channel", exact=True).fill("sms")
    tester.get_by_label("Intent").fill("billing")
    said = "An SMS with intent billing in stage intake goes to Writer, because rule vip is the"
    expect(answer).to_contain_text(said)
    assert in_both_themes(page, "#bottom-panel") == []
    assert answer.evaluate("here => here.scrollWidth <= here.clientWidth"), "nothing is cut off"

    # It follows the edits, and the rule in the open form.
    page.get_by_role("button", name="Delete rule vip").click()
    expect(answer).to_contain_text("goes to Triage, because rule rest is the first that holds.")
    page.locator("#undo-button").click()
    expect(answer).to_contain_text(said)
    page.get_by_role("button", name="Change rule vip").click()
    page.locator("#rule-form").get_by_label("Intents").fill("refund")
    expect(answer).to_contain_text("With rule vip as in the open form.")
    expect(answer).to_contain_text("it is billing")

    # Another tab of the panel leaves it there; a reload remembers what was typed.
    page.get_by_role("link", name="Problems").click()
    expect(tester).to_be_hidden()
    page.get_by_role("link", name="Routing rules").click()
    expect(tester).to_be_visible()
    expect(page.locator("#rules-table")).to_be_visible()
    expect(tester.get_by_label("Intent")).to_have_value("billing")
    expect(page.locator("#save-status")).to_have_text("Saved")
    page.reload()
    page.get_by_role("button", name="Test the rules").click()
    expect(tester.get_by_label("Intent")).to_have_value("billing")
    expect(answer).to_contain_text("goes to Triage, because rule rest is the first that holds.")
    tester.get_by_role("button", name="Close the test").click()
    expect(tester.locator("form")).not_to_be_attached()


def test_an_unknown_name_is_marked_with_the_one_that_is_meant(page: Page) -> None:
    agent = {"id": "agent-triage", "name": "Triage", "cues": [{"say": "One moment."}]}
    page.goto(bring_in(page, FILE | {"agents": [agent, *FILE["agents"][1:]], "rules": RULES}))
    page.locator("#agents").get_by_role("button", name="Triage").click()
    cue = page.get_by_role("group", name="Cue 1")
    target = cue.get_by_label("Hand over to")
    target.click()
    page.keyboard.type("ans")
    expect(cue.get_by_text("There is no agent")).to_have_count(0)  # it may become “answer”
    page.keyboard.type("ewr")
    mark = cue.locator(".field__unknown")
    expect(mark).to_have_text("There is no agent, alias or stage “ansewr”. Did you mean answer?")
    assert in_both_themes(page, "#inspector") == []
    mark.get_by_role("button", name="answer").click()
    expect(mark).to_have_text("")
    expect(target).to_have_value("answer")
    expect(page.locator("#save-state")).to_have_text("Saved")
    cue.get_by_label("Call the tool").fill("look_up")
    expect(mark.first).to_have_text("The agent has no tool “look_up”.")

    provider = page.get_by_label("Provider", exact=True)
    provider.fill("scriptd")
    saying = page.locator("#agent-form .field__unknown")
    expect(saying).to_have_text("There is no connection “scriptd”. Did you mean scripted?")
    saying.get_by_role("button", name="scripted").click()
    expect(provider).to_have_value("scripted")

    page.get_by_role("link", name="Routing rules").click()
    page.get_by_role("button", name="New rule").click()
    form = page.get_by_role("form", name="New rule")
    stages = form.get_by_label("Stages")
    stages.click()
    page.keyboard.type("rev")
    expect(page.get_by_role("option", name="review")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.type("\nintke")
    expect(stages).to_have_value("review\nintke")
    marks = form.locator(".field__unknown")
    expect(marks).to_have_text("There is no stage “intke”. Did you mean intake?")
    marks.get_by_role("button", name="intake").click()
    expect(stages).to_have_value("review\nintake")
    form.get_by_label("Channels", exact=True).fill("emial")
    expect(marks.last).to_have_text("No rehearsal uses the channel “emial”. Did you mean email?")
    form.get_by_label("Intents").fill("refund\nbiling")
    expect(marks.last).to_have_text("No other rule uses the intent “biling”. Did you mean billing?")

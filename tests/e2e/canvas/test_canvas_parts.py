"""Groups, typed handoffs, topologies, comparisons and kinds of tools, in a real browser."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.boxes import box_of
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console
from tests.e2e.sections import unfold
from tests.e2e.walkthrough import Keyboard


@pytest.fixture
def inspector(editor: Editor) -> Locator:
    return editor.page.locator("#inspector")


def open_transition(editor: Editor) -> None:
    """Show the transition from intake to answer."""
    editor.edge("intake", "answer").focus()
    editor.keyboard.press("Enter")
    expect(editor.page.locator("#transition-form")).to_be_visible()


@pytest.mark.long
def test_a_group_is_put_together_by_the_keyboard_alone_and_taken_back(
    editor: Editor, inspector: Locator
) -> None:
    hands, card = Keyboard(editor.page), editor.stage("answer")
    card.focus()
    editor.keyboard.press("Enter")
    expect(inspector.get_by_label("Stage name")).to_have_value("answer")
    expect(inspector.get_by_label("Add a member")).to_be_hidden()
    hands.choose(inspector.get_by_label("Agent", exact=True), "A group")
    expect(card).to_contain_text("Group of 1")
    hands.choose(inspector.get_by_label("Add a member"), "Triage")
    expect(card).to_have_attribute("aria-label", re.compile("group of 2: Writer, Triage, parallel"))

    up = inspector.get_by_role("button", name="Move Triage up")
    hands.press(up)
    expect(card).to_have_attribute("aria-label", re.compile("group of 2: Triage, Writer"))
    expect(up).to_be_focused()
    expect(up).to_have_attribute("aria-disabled", "true")

    waits = inspector.get_by_role("group", name="Waits for (Writer)").get_by_label("Triage")
    expect(waits).to_be_hidden()
    hands.reach(inspector.get_by_label("All at once"))
    editor.keyboard.press("ArrowRight")
    expect(card).to_have_attribute("aria-label", re.compile("Triage, Writer, in turn"))
    hands.reach(waits)
    editor.keyboard.press("Space")
    editor.saved_as(6)
    stages = {one["phase"]: one for one in editor.definition()["stages"]}
    assert stages["answer"]["group"] == {
        "agents": ["agent-triage", "agent-writer"],
        "parallel": False,
        "dependencies": {"agent-writer": ["agent-triage"]},
    }

    hands.press(inspector.get_by_role("button", name="Remove Triage"))
    expect(card).to_contain_text("Group of 1")
    editor.canvas.focus()
    for _ in range(6):
        editor.keyboard.press("Control+z")
    expect(card).to_have_attribute("aria-label", re.compile("agent Writer"))


def test_a_group_is_added_from_the_panel(editor: Editor, inspector: Locator) -> None:
    editor.page.get_by_role("button", name="Group", exact=True).click()
    expect(editor.stage("stage-1")).to_have_attribute("data-kind", "group")
    expect(inspector.get_by_label("Add a member")).to_be_visible()


def test_a_typed_handoff_is_drawn_as_it_is_written(
    editor: Editor, inspector: Locator, console: Console
) -> None:
    console.allow("422")
    open_transition(editor)
    unfold(editor.page, "Payload of the handoff")
    inspector.get_by_role("button", name="Add a field").click()
    name = inspector.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    editor.keyboard.type("decision")
    editor.keyboard.press("Tab")
    expect(inspector.locator("#signatures")).to_contain_text("transfer_to_agent_writer(")

    choices = inspector.get_by_label("Choices")
    expect(choices).to_be_hidden()
    inspector.get_by_label("Type").select_option(label="One of…")
    expect(choices).to_be_visible()
    expect(inspector.get_by_text("Write the options to choose from")).to_be_visible()
    choices.fill("approve\nrefuse")
    choices.press("Tab")
    expect(inspector.locator("#signatures")).to_contain_text('decision: "approve" | "refuse"')
    expect(inspector.get_by_text("Write the options to choose from")).to_be_hidden()

    label = editor.label("intake", "answer")
    expect(label).to_have_text("next {1}")


def test_a_name_that_is_refused_stays_where_it_was_typed(
    editor: Editor, inspector: Locator, console: Console
) -> None:
    console.allow("422")
    open_transition(editor)
    payload = unfold(editor.page, "Payload of the handoff")
    inspector.get_by_role("button", name="Add a field").click()
    name = inspector.get_by_label("Name", exact=True)
    name.fill("1st amount")
    name.press("Tab")
    status = editor.page.locator("#save-status")
    expect(status).to_have_text("Not saved: Name")
    expect(payload.get_by_text("has an error")).to_be_visible()
    expect(name).to_have_value("1st amount")
    expect(name).to_have_attribute("aria-invalid", "true")
    name.fill("amount")
    name.press("Tab")
    expect(name).to_have_attribute("aria-invalid", "false")
    expect(status).to_have_text("Saved")
    expect(payload.get_by_text("has an error")).to_be_hidden()
    payload.locator("> summary").click()
    expect(name).to_be_hidden()
    expect(payload.locator("> summary")).to_contain_text("1")
    editor.page.reload()
    open_transition(editor)
    expect(payload.locator("> summary")).to_be_visible()
    expect(name).to_be_hidden()  # the section stays folded


def test_a_schema_is_written_as_json_and_as_fields(editor: Editor, inspector: Locator) -> None:
    open_transition(editor)
    unfold(editor.page, "Payload of the handoff")
    inspector.get_by_role("button", name="Edit as JSON").click()
    schema = inspector.get_by_label("As a JSON Schema")
    schema.fill('{"type": "object", "properties": {"amount": {"type": "number"}}}')
    schema.press("Tab")
    expect(inspector.locator("#signatures")).to_contain_text("amount?: number")
    expect(inspector.get_by_role("button", name="Edit as fields")).to_be_focused()
    editor.keyboard.press("Enter")
    expect(inspector.get_by_label("Name", exact=True)).to_have_value("amount")


def test_the_filter_of_a_transition_has_only_the_needed_fields(
    editor: Editor, inspector: Locator
) -> None:
    open_transition(editor)
    unfold(editor.page, "Messages for the target")
    shown = inspector.get_by_label("Shown messages")
    count = inspector.get_by_label("Number of messages")
    expression = inspector.get_by_label("Condition")
    expect(count).to_be_hidden()
    shown.select_option(label="The last messages")
    expect(count).to_be_visible()
    expect(expression).to_be_hidden()
    shown.select_option(label="The messages that match a condition")
    expect(count).to_be_hidden()
    expression.fill("message.text.contains(")
    expression.press("Tab")
    # Said by the rules once it is saved, and by the check of what was typed, whichever comes last.
    wrong = re.compile(r"(is wrong at|At) column \d+")
    expect(inspector.get_by_text(wrong)).to_be_visible()


def test_a_topology_hides_unused_parts_and_draws_followed_transitions(
    editor: Editor, inspector: Locator
) -> None:
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_be_attached()
    editor.drag(editor.port("answer"), editor.middle("intake"))
    editor.canvas.focus()
    editor.keyboard.press("Escape")
    back = editor.edge("answer", "intake")
    expect(back).to_have_class("edge return")
    unfold(editor.page, "Limits of a run")
    handoffs = inspector.get_by_label("Handoffs", exact=True)
    expect(handoffs).to_be_visible()
    inspector.get_by_label("Workflow").check()
    expect(back).to_have_class("edge idle")
    expect(handoffs).to_be_hidden()
    expect(inspector.get_by_label("Turns")).to_be_visible()
    inspector.get_by_label("Team").check()
    expect(editor.label("intake", "answer")).to_have_text("delegates")
    expect(editor.stage("intake")).to_contain_text("lead")
    inspector.get_by_label("Swarm").check()
    expect(back).to_have_class("edge return")
    expect(handoffs).to_be_visible()


def test_a_rule_is_added_and_then_saves_itself_while_it_is_changed(
    editor: Editor, console: Console
) -> None:
    console.allow("422")
    page = editor.page
    page.get_by_role("link", name="Routing rules").click()
    page.get_by_role("button", name="New rule").click()
    page.get_by_label("Rule", exact=True).fill("angry")
    add = page.get_by_role("button", name="Add a comparison")
    add.click()
    first = page.get_by_role("group", name="Comparison 1")
    expect(first.get_by_label("Compare")).to_be_focused()
    first.get_by_label("Compare").select_option(label="Message")
    first.get_by_label("Operator").select_option(label="contains")
    first.get_by_label("With").fill("refund")
    add.click()
    second = page.get_by_role("group", name="Comparison 2")
    expect(second.get_by_label("Compare")).to_be_focused()
    expect(first.get_by_label("With")).to_have_value("refund")
    expect(page.get_by_label("Rule", exact=True)).to_have_value("angry")
    second.get_by_role("button", name="Remove").click()
    expect(second).to_have_count(0)

    page.locator("#rule-form").get_by_label("Agent").select_option(label="Writer")
    page.get_by_label("Condition (CEL)").fill("event.textt == 'x'")
    page.get_by_role("button", name="Add rule").click()
    expect(page.locator("#rules-table")).to_contain_text("message contains refund")
    expect(page.locator("#rule-form")).to_contain_text(re.compile(r"wrong at column \d+"))
    page.get_by_label("Condition (CEL)").fill("event.text == 'x'")
    page.get_by_label("Rule", exact=True).click()
    expect(page.locator("#rules-table")).to_contain_text("event.text == 'x'")
    page.get_by_label("Rule", exact=True).fill("")
    page.get_by_label("Condition (CEL)").click()
    expect(page.locator("#save-status")).to_have_text("Not saved: Rule")
    page.get_by_label("Rule", exact=True).fill("furious")
    page.get_by_role("button", name="Remove comparison 1").click()
    expect(page.locator("#rules-table")).not_to_contain_text("message contains refund")
    expect(page.locator("#rules-table")).to_contain_text("furious")
    expect(page.locator("#save-status")).to_have_text("Saved")
    drawn = page.locator("#stage-answer .stage__rules")
    expect(drawn).to_have_text("rule furious")
    card, line = box_of(page.locator("#stage-answer")), box_of(drawn)
    assert line["y"] < card["y"], "an edge that comes in from above"
    page.get_by_label("Condition (CEL)").fill("event.text == 'y'")
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#rule-form form")).to_have_count(0)
    expect(page.locator("#rules-table")).to_contain_text("event.text == 'y'")


def test_a_new_agent_is_named_first(editor: Editor, inspector: Locator) -> None:
    editor.page.get_by_role("button", name="New agent").click()
    name = inspector.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    editor.page.keyboard.type("Clerk")
    editor.page.keyboard.press("Tab")
    expect(editor.page.locator("#agents")).to_contain_text("Clerk")


def test_a_tool_shows_the_fields_of_its_kind(editor: Editor, inspector: Locator) -> None:
    editor.page.get_by_role("button", name="New tool").click()
    name = inspector.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    assert editor.page.evaluate("getSelection().toString()") == name.input_value()
    kind = inspector.get_by_label("Implementation")
    method = inspector.get_by_label("Method", exact=True)
    expect(method).to_be_hidden()
    expect(inspector.get_by_label("Pipeline", exact=True)).to_be_hidden()
    kind.select_option(label="An HTTP request")
    expect(method).to_be_visible()
    kind.select_option(label="Another pipeline")
    expect(method).to_be_hidden()
    expect(inspector.get_by_text("does not say which pipeline")).to_be_visible()
    inspector.get_by_label("Pipeline", exact=True).fill("Legal")
    inspector.get_by_label("Pipeline", exact=True).press("Tab")
    expect(inspector.get_by_text("does not say which pipeline")).to_be_hidden()
    kind.select_option(label="A question to the user")
    expect(inspector.get_by_label("Hints")).to_be_hidden()


@pytest.mark.long
def test_everybody_can_use_them(editor: Editor, inspector: Locator) -> None:
    page = editor.page
    editor.stage("answer").click()
    inspector.get_by_label("Agent", exact=True).select_option(label="A group of agents")
    inspector.get_by_label("Add a member").select_option(label="Triage")
    inspector.get_by_label("One after the other").check()
    expect(inspector.get_by_role("group", name="Waits for (Writer)")).to_be_visible()
    assert in_both_themes(page, "#inspector") == []
    editor.canvas.focus()
    editor.keyboard.press("Control+z")
    open_transition(editor)
    unfold(editor.page, "Payload of the handoff")
    inspector.get_by_role("button", name="Add a field").click()
    expect(inspector.get_by_label("Name", exact=True)).to_be_focused()
    page.get_by_role("link", name="Routing rules").click()
    page.get_by_role("button", name="New rule").click()
    page.get_by_role("button", name="Add a comparison").click()
    expect(page.get_by_label("Compare")).to_be_focused()
    assert in_both_themes(page) == []
    editor.canvas.focus()
    editor.keyboard.press("Escape")
    inspector.get_by_label("Team").check()
    expect(editor.stage("intake")).to_contain_text("lead")
    assert in_both_themes(page) == []

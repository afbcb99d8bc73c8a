"""The preview of the model's context while the user types."""

from playwright.sync_api import Page, expect

from tests.e2e.axe import turn
from tests.e2e.canvas.conftest import draw
from tests.e2e.sections import unfold


def test_the_preview_of_the_prompt_follows_the_typed_text(page: Page) -> None:
    editor = draw(page)
    sees = page.locator("#model-sees")
    editor.stage("intake").click()
    form = page.locator("#stage-form")
    description = form.get_by_label("Description")
    description.click()
    page.keyboard.type("Ask what it is about.")
    expect(sees.locator("ins")).to_have_text("This stage: Ask what it is about.")
    expect(sees).to_contain_text("unsaved")
    expect(page.locator("#version-chip")).to_contain_text("v1 ")

    # An input that cannot be saved leaves the preview unchanged, with a remark.
    phase = form.get_by_label("Stage name")
    phase.evaluate("field => { field.value = '' }")
    description.press("End")
    page.keyboard.type("!")
    expect(page.locator("#preview-remark")).to_contain_text("Stage name must not be empty.")
    expect(sees.locator("ins")).to_have_text("This stage: Ask what it is about.")
    phase.evaluate("field => { field.value = 'intake' }")

    # After saving, nothing is marked, and open sections stay open.
    page.keyboard.press("Tab")
    expect(page.locator("#save-state")).to_have_text("Saved")
    expect(sees).not_to_contain_text("unsaved")
    expect(sees.locator("details", has_text="System prompt")).to_have_attribute("open", "")
    expect(sees).to_contain_text("Ask what it is about.!")

    turn(page, "dark")
    # The agent's form shows the effect in its stages, the transition's form its handoff tool.
    page.locator("#tab-agent").click()
    write_instructions(page)
    expect(sees.locator("ins", has_text="Greet them.")).to_be_visible()
    page.keyboard.press("Tab")
    expect(sees).not_to_contain_text("unsaved")
    editor.mouse.click(*editor.between("intake", "answer"))
    page.get_by_label("When to take it").click()
    page.keyboard.type("Once it is clear")
    expect(sees.locator("ins", has_text="Once it is clear")).to_be_visible()
    unfold(page, "Payload of the handoff")
    page.get_by_role("button", name="Add a field").click()
    page.locator("#payload-form").get_by_label("Name", exact=True).click()
    page.keyboard.type("order_id")
    expect(sees.locator("#signatures ins")).to_contain_text("order_id: string")


def write_instructions(page: Page) -> None:
    """Write instructions at full width, with the name of a stage completed."""
    instructions = page.get_by_label("Instructions")
    prompt = page.locator(".prompt")
    lines = "field => field.clientHeight / parseFloat(getComputedStyle(field).lineHeight)"
    assert instructions.evaluate(lines) >= 8
    instructions.click()
    page.keyboard.type("Greet them. Then @ans")
    names = page.get_by_role("listbox", name="Names").get_by_role("option")
    expect(names).to_have_count(1)
    expect(names).to_contain_text("answer stage")
    page.keyboard.press("Enter")
    expect(instructions).to_have_value("Greet them. Then answer")
    expect(prompt).to_contain_text("5 tokens")

    page.get_by_role("button", name="Expand").click()
    expect(instructions).to_be_focused()
    assert prompt.evaluate("field => field.offsetWidth") > 1380
    page.keyboard.press("End")
    page.get_by_role("button", name="Insert the name of a stage or tool").click()
    expect(names).to_have_count(3)
    page.keyboard.press("Escape")
    expect(names.first).to_be_hidden()
    page.keyboard.press("Backspace")
    assert prompt.evaluate("field => field.offsetWidth") > 1380
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Expand")).to_be_visible()
    expect(instructions).to_be_focused()
    assert prompt.evaluate("field => field.offsetWidth") < 400

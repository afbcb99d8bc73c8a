"""Refused input in the inspector: it is kept, shows its error, and blocks no other field."""

import re

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from tests.e2e.conftest import Console
from tests.e2e.navigation import ONE_STAGE, bring_in, open_one_stage
from tests.e2e.sections import unfold
from tests.e2e.waits import wait_until
from tests.e2e.walkthrough import Keyboard, name_agent


@pytest.fixture
def editor(page: Page) -> Page:
    """A pipeline with one stage, which is selected."""
    return open_one_stage(page)


def refused_phase(editor: Page) -> Locator:
    """Return the field of the phase, with a value that the server refused."""
    phase = editor.get_by_label("Stage name")
    phase.fill("!")
    phase.press("Tab")
    expect(phase).to_have_attribute("aria-invalid", "true")
    return phase


def test_refused_input_is_not_left_without_a_question(editor: Page, console: Console) -> None:
    console.allow("422")
    status = editor.locator("#save-status")
    editor.get_by_label("Stage name").fill("!")
    expect(status).to_have_text("Not saved yet")
    editor.locator("#canvas").click(position={"x": 8, "y": 8})
    expect(status).to_have_text("Not saved: Stage name")
    expect(editor.locator("#inspector")).to_contain_text("Use the letters")
    expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
    expect(editor.get_by_label("Stage name")).to_have_value("!")
    told = editor.get_by_text("Not saved: Stage name. Save it, or discard it.")
    expect(told.and_(editor.locator("#unsaved p"))).to_be_visible()
    for _ in range(2):
        with editor.expect_response("**/inspect/?*"):
            editor.locator("#canvas").click(position={"x": 8, "y": 8})
        expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
        expect(editor.locator("#announcer")).to_contain_text("Not saved: Stage name")
        expect(editor.get_by_label("Stage name")).to_have_value("!")
    for name in (
        "Stage name",
        re.compile("^Stage name: Use the letters"),
    ):  # the field, and its error
        editor.locator("#unsaved").get_by_role("button", name=name, exact=True).click()
        expect(editor.get_by_label("Stage name")).to_be_focused()
    editor.get_by_role("button", name="Discard").click()
    expect(editor.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("Support")
    expect(editor.locator("#unsaved")).to_have_count(0)
    expect(editor.locator("#stage-stage-1")).not_to_have_attribute("aria-current", "true")


def test_refused_input_is_kept_and_valid_fields_are_saved(editor: Page, console: Console) -> None:
    console.allow("422")
    phase = refused_phase(editor)
    phase.focus()
    phase.press("Tab")
    editor.get_by_label("Description").fill("Asks what it is")
    editor.keyboard.press("Tab")
    expect(editor.locator("#save-status")).to_have_text("Not saved: Stage name")
    expect(editor.locator("#version-chip")).to_contain_text("v2 ")
    editor.locator("#tab-handoffs").click()
    expect(editor.locator("#unsaved")).to_contain_text("Not saved: Stage name. Save it")
    expect(phase).to_have_value("!")
    phase.fill("intake")
    phase.press("Tab")
    expect(editor.locator("#stage-intake")).to_be_visible()
    expect(editor.locator("#unsaved")).to_have_count(0)


@pytest.mark.long
def test_refused_input_is_kept_despite_another_save_and_a_navigation(
    editor: Page, console: Console
) -> None:
    console.allow("422")
    name_agent(Keyboard(editor), "Triage")
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")
    editor.locator("#tab-agent").click()
    form, cues = editor.locator("#agent-form"), editor.locator("#cues-form")
    unfold(editor, "Cues")
    cues.get_by_role("button", name="Add a cue").click()
    expect(cues.get_by_label("When the message says")).to_be_focused()
    unfold(editor, "Answer")
    temperature = form.get_by_label("Temperature")
    temperature.fill("9")
    with editor.expect_response("**/agents/update/"):
        cues.get_by_label("When the message says").fill("hello")
    with editor.expect_response("**/agents/cues/"):
        editor.keyboard.press("Tab")
    expect(editor.locator("#inspector")).to_have_attribute("data-typed", "")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    editor.once("dialog", stay)
    with editor.expect_event("dialog"):
        editor.get_by_role("link", name="Rehearse").click()
    expect(temperature).to_have_value("9")
    assert asked == ["beforeunload"]
    editor.locator("#canvas").click(position={"x": 8, "y": 8})
    expect(editor.locator("#unsaved")).to_contain_text("Not saved: Temperature")
    temperature.fill("1")
    editor.get_by_role("link", name="Rehearse").click()
    expect(editor.get_by_label("Message as the customer")).to_be_visible()


def test_another_tab_opens_after_refused_input_is_discarded(editor: Page, console: Console) -> None:
    console.allow("422")
    refused_phase(editor)
    editor.locator("#tab-handoffs").click()
    editor.get_by_role("button", name="Discard").click()
    expect(editor.locator("#tab-handoffs")).to_have_attribute("aria-current", "true")
    expect(editor.locator("#tab-handoffs")).to_be_focused()


@pytest.mark.long
def test_a_choice_between_two_versions_is_not_left_unasked(editor: Page, console: Console) -> None:
    console.allow("412")
    description = editor.get_by_label("Description")
    description.fill("Mine")
    other = editor.context.new_page()
    other.goto(editor.url)
    other.get_by_label("Description").fill("Theirs")
    other.keyboard.press("Tab")
    expect(other.locator("#save-state")).to_have_text("Saved")
    description.press("Control+s")
    merge = editor.locator("#merge")
    expect(merge.get_by_role("button", name="Save as chosen")).to_be_visible()
    for _ in range(2):
        with editor.expect_response("**/inspect/?*"):
            editor.locator("#canvas").click(position={"x": 8, "y": 8})
        expect(editor.locator("#unsaved")).to_contain_text("Not saved: Description.")
        expect(editor.locator("#stage-stage-1")).to_have_attribute("aria-current", "true")
        expect(description).to_have_value("Mine")
        expect(merge.get_by_role("button", name="Save as chosen")).to_be_visible()
    editor.get_by_role("button", name="Keep all of mine").click()
    expect(editor.locator("#save-state")).to_contain_text("Saved")
    expect(editor.locator("#unsaved")).to_have_count(0)


def test_a_field_in_error_says_so(editor: Page, console: Console) -> None:
    console.allow("422")
    phase = refused_phase(editor)
    phase.fill("intake")
    phase.press("Tab")
    expect(editor.get_by_label("Stage name")).to_have_attribute("aria-invalid", "false")


def test_a_refused_save_opens_its_section_and_the_keys_lead_to_the_field(
    editor: Page, console: Console
) -> None:
    console.allow("422")
    name_agent(Keyboard(editor), "Triage")
    expect(editor.locator("#stage-stage-1")).to_contain_text("Triage")
    editor.locator("#tab-agent").click()
    form = editor.locator("#agent-form")
    section = unfold(editor, "Answer")
    temperature = form.get_by_label("Temperature")
    temperature.fill("9")
    temperature.press("Tab")
    expect(temperature).to_have_attribute("aria-invalid", "true")
    expect(temperature).not_to_be_focused()  # leaving the field does not return to it
    section.locator("> summary").click()
    expect(temperature).to_be_hidden()
    expect(section.get_by_text("has an error")).to_be_visible()
    form.get_by_label("Name", exact=True).press("Control+s")
    expect(temperature).to_be_focused()
    expect(temperature).to_be_in_viewport()
    status = editor.locator("#save-status")
    expect(status).to_have_text("Not saved: Temperature")
    expect(status).to_be_in_viewport()
    temperature.fill("1")
    temperature.press("Tab")
    expect(status).to_have_text("Saved")
    expect(section.locator("> summary")).to_contain_text("Temperature")


LOADED = """() => ["unsaved-form", "unsaved-input"].every((name) =>
  performance.getEntriesByType("resource").some((entry) => entry.name.includes(name)))"""


def test_unsent_input_is_saved_when_the_server_is_reached(editor: Page, console: Console) -> None:
    console.allow("ERR_INTERNET_DISCONNECTED|htmx:sendError|afterRequest|object Event|WebSocket")
    description = editor.get_by_label("Description")
    description.focus()
    wait_until(editor, LOADED)  # with the first focus; the cache may not have it
    editor.context.set_offline(True)
    with editor.expect_event("requestfailed", lambda request: "/preview/" in request.url):
        description.fill("Asks what it is")
        description.press("Tab")
    expect(editor.locator("#offline")).to_contain_text("Your last change is kept, and saved once")
    editor.context.set_offline(False)
    expect(editor.locator("#offline")).to_be_hidden()
    expect(editor.locator("#save-state")).to_have_text("Saved")
    editor.reload()
    expect(description).to_have_value("Asks what it is")


def test_unfinished_text_is_restored_after_a_reload_and_saved_by_key(editor: Page) -> None:
    description = editor.get_by_label("Description")
    description.fill("Asks what")
    wait_until(editor, LOADED)
    editor.once("dialog", lambda dialog: dialog.accept())
    editor.reload()
    expect(description).to_have_value("Asks what")
    expect(description).to_be_focused()
    expect(editor.locator("#notice")).to_contain_text("restored. It has not been saved yet")
    expect(editor.locator("#save-status")).to_have_text("Not saved yet")
    description.press("Control+s")
    expect(editor.locator("#save-state")).to_have_text("Saved")
    editor.reload()
    expect(description).to_have_value("Asks what")
    expect(editor.locator("#notice")).to_be_empty()


def test_the_tokens_of_a_restored_text_are_counted(page: Page) -> None:
    agent = {"id": "triage", "name": "Triage"}
    page.goto(bring_in(page, {**ONE_STAGE, "agents": [agent]}) + "?select=agent:triage")
    instructions = page.get_by_label("Instructions")
    instructions.fill("x" * 400)
    wait_until(page, LOADED)
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(instructions).to_have_value("x" * 400)
    expect(page.locator(".prompt__tokens")).to_have_text("100 tokens")


def test_restored_input_is_saved_when_its_field_is_left(editor: Page) -> None:
    description = editor.get_by_label("Description")
    description.fill("Asks what")
    wait_until(editor, LOADED)
    editor.once("dialog", lambda dialog: dialog.accept())
    editor.reload()
    expect(description).to_be_focused()
    expect(editor.locator("#save-status")).to_have_text("Not saved yet")
    description.press("Escape")
    expect(editor.locator("#save-status")).to_have_text("Saved")
    editor.reload()
    expect(description).to_have_value("Asks what")


def test_a_half_typed_new_row_is_restored_or_named(page: Page) -> None:
    tool = {"name": "book_trip"}
    path = bring_in(page, {**ONE_STAGE, "tools": [tool]})
    page.goto(path + "?select=tool:book_trip")
    unfold(page, "Examples")
    page.get_by_role("button", name="Add an example").click()
    answer = page.locator("#examples-form").get_by_label("The answer")
    answer.fill("Booked. Number 7.")
    wait_until(page, LOADED)
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(answer).to_be_focused()
    expect(answer).to_have_value("Booked. Number 7.")
    expect(page.locator("#notice")).to_contain_text("restored. It has not been saved yet")
    answer.press("Control+s")
    expect(page.locator("#save-status")).to_have_text("Saved")

    # A field that is gone with its part cannot be restored; its text is shown.
    page.get_by_label("Description").first.fill("Books a trip")
    page.once("dialog", lambda dialog: dialog.accept())
    page.goto("/")
    other = page.context.new_page()
    other.goto(path + "?select=tool:book_trip")
    other.get_by_role("button", name="Delete").click()
    expect(other.locator("#inspector [name=select]")).not_to_have_value("tool:book_trip")
    page.goto(path)
    expect(page.locator("#notice")).to_contain_text("removed meanwhile: “Books a trip”")


def test_a_half_typed_new_field_of_a_payload_is_restored(page: Page) -> None:
    stages = [{"phase": "desk"}, {"phase": "end"}]
    schema = {"type": "object", "properties": {"number": {"type": "string"}}}
    transition = {"source": "desk", "target": "end", "input_schema": schema}
    path = bring_in(page, ONE_STAGE | {"stages": stages, "transitions": [transition]})
    page.goto(path + "?select=transition:desk>end")
    unfold(page, "Payload")
    page.get_by_role("button", name="Add a field").click()
    names = page.locator("#inspector .row").get_by_label("Name")
    expect(names).to_have_count(2)
    names.last.fill("amount")
    wait_until(page, LOADED)
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(names.last).to_be_focused()
    expect(names.last).to_have_value("amount")
    names.last.press("Control+s")
    expect(page.locator("#save-status")).to_have_text("Saved")
    page.reload()
    expect(names.last).to_have_value("amount")


@pytest.mark.parametrize("way", ["agent", "tool", "stage", "key"])
def test_refused_input_stays_when_a_part_is_added(page: Page, console: Console, way: str) -> None:
    console.allow("422")
    page.goto(bring_in(page, ONE_STAGE))
    unfold(page, "Variables and routing")
    variables = page.locator("#inspector [name=variables]")
    variables.fill("vip no")
    variables.press("Tab")
    expect(page.locator("#save-status")).to_have_text("Not saved: Variables")
    if way in ("agent", "tool"):
        page.get_by_role("button", name=f"New {way}").click()
    else:
        if way == "stage":
            page.locator(".palette").get_by_role("button", name="Stage").click()
        else:
            page.locator("#canvas").press("a")
        expect(page.get_by_role("combobox", name="Part to create")).to_be_focused()
        page.keyboard.type("foo")
        page.keyboard.press("Enter")
    told = page.get_by_text("Not saved: Variables. Save it, or discard it.")
    expect(told.and_(page.locator("#unsaved p"))).to_be_visible()
    expect(variables).to_have_value("vip no")
    expect(page.locator("#save-status")).to_have_text("Not saved: Variables")
    page.locator("#unsaved").get_by_role("button", name="Discard").click()
    expect(variables).to_have_count(0)  # the added part is shown

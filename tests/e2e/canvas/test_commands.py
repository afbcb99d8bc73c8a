"""One table of commands: by palette, by menu, by key, and the sheet that lists the keys."""

import re
from collections import Counter

from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.boxes import box_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console
from tests.e2e.held_requests import held


def labels(items: Locator) -> list[str]:
    script = "all => all.map(item => item.firstElementChild.textContent)"
    return [str(label) for label in items.evaluate_all(script)]


def test_the_palette_gives_commands_and_goes_to_places_by_key_alone(editor: Editor) -> None:
    page, keyboard = editor.page, editor.keyboard
    query, rows = page.get_by_role("combobox", name="A command"), page.locator("#palette-list > *")

    keyboard.press("Control+k")
    expect(query).to_be_focused()
    expect(rows.first).to_have_attribute("aria-selected", "true")
    assert "Undo" not in labels(rows)
    keyboard.type("ad hum")
    expect(rows.first).to_have_text("Add a humanDraw")
    keyboard.press("Enter")
    expect(editor.page.locator(".stage[data-kind=human]")).to_have_count(1)

    page.locator("#canvas").focus()
    keyboard.press("Control+k")
    expect(rows.first).to_contain_text("Add a human")
    keyboard.type("undo")
    expect(rows).to_have_text([re.compile(r"^Undo: Add .*stage-1Edit"), "Undo several stepsEdit"])
    keyboard.press("Enter")
    expect(editor.page.locator(".stage[data-kind=human]")).to_have_count(0)

    keyboard.press("Control+k")
    keyboard.type("writ")
    expect(rows).to_have_count(3)
    assert set(labels(rows)) == {"answer · Writer", "Writer", "Add a stage served by Writer"}
    keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
    keyboard.press("ArrowUp")
    keyboard.type("z")
    expect(page.get_by_text("No match for “writz”.")).to_be_visible()
    for typed, title in (("new agent", "Add an agent"), ("Create tool", "Add a tool")):
        query.fill(typed)
        expect(rows.first).to_have_text(f"{title}Draw")
    query.fill("answer")
    keyboard.press("Enter")
    expect(editor.stage("answer")).to_be_focused()
    assert editor.selected() == {"stage-answer"}

    keyboard.press("Control+k")
    expect(query).to_be_focused()
    keyboard.press("Escape")
    expect(query).to_be_hidden()
    expect(editor.stage("answer")).to_be_focused()
    page.get_by_role("button", name="Commands", exact=True).click()
    expect(query).to_be_focused()


def test_the_palette_leads_to_the_other_pages(editor: Editor) -> None:
    page, dialog = editor.page, editor.page.get_by_role("dialog", name="Commands")
    query, first = dialog.get_by_role("combobox"), dialog.get_by_role("option").first
    editor.keyboard.press("Control+k")
    for typed, title in (
        ("as template", "Save as template"),
        ("versions", "Go to the versions"),
        ("conversations", "Go to the conversations of this pipeline"),
        ("connections", "Go to the connections"),
        ("share", "Share the pipeline"),
    ):
        query.fill(typed)
        expect(first).to_contain_text(title)
    editor.keyboard.press("Enter")
    sharing = page.get_by_role("dialog", name="Share")
    expect(sharing).to_be_visible()
    editor.keyboard.press("Escape")
    expect(sharing).to_be_hidden()
    editor.keyboard.press("Control+k")
    editor.keyboard.type("inbox")
    editor.keyboard.press("Enter")
    page.wait_for_url("**/inbox/")


def test_the_menu_offers_the_commands_of_the_part_under_the_pointer(editor: Editor) -> None:
    page, keyboard = editor.page, editor.keyboard
    menu, items = page.get_by_role("menu"), page.get_by_role("menuitem")

    editor.stage("review").click(button="right")
    expect(menu).to_have_accessible_name("Stage review")
    assert editor.selected() == {"stage-review"}
    expect(page.get_by_role("menuitem", name="Rename the stage")).to_be_visible()
    menu.get_by_role("menuitem", name="Delete", exact=False).first.click()
    expect(editor.stage("review")).to_have_count(0)

    x, y = editor.middle("intake")
    editor.mouse.click(x, y + 260, button="right")
    expect(menu).to_have_accessible_name("Canvas")
    page.get_by_role("menuitem", name=re.compile("^Undo: Delete .*review")).click()
    expect(editor.stage("review")).to_be_visible()
    editor.mouse.click(x, y + 260, button="right")
    page.get_by_role("menuitem", name="Add a stage").click()
    expect(page.get_by_role("combobox", name="Part to create")).to_be_focused()
    keyboard.press("Enter")
    expect(editor.stage("stage-1")).to_be_visible()
    left, top = editor.middle("stage-1")
    assert abs(left - x) < 2
    assert abs(top - y - 260) < 2

    editor.stage("answer").focus()
    keyboard.press("Shift+F10")
    expect(items.first).to_be_focused()
    keyboard.press("End")
    expect(items.last).to_be_focused()
    keyboard.press("ArrowDown")
    expect(items.first).to_be_focused()
    keyboard.type("del")
    expect(page.get_by_role("menuitem", name="Delete").first).to_be_focused()
    keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(editor.stage("answer")).to_be_focused()

    keyboard.press("Shift+F10")
    expect(items.first).to_be_focused()
    keyboard.type("con")
    keyboard.press("Enter")
    expect(editor.canvas).to_have_attribute("data-connecting", "stage-answer")
    keyboard.press("Escape")

    keyboard.press("Control+a")
    editor.stage("answer").click(button="right")
    expect(menu).to_have_accessible_name("4 selected")
    expect(page.get_by_role("menuitem", name="and connect their neighbours")).to_be_visible()
    arranging = menu.get_by_role("group", name="Arrange").get_by_role("menuitem")
    expect(arranging).to_have_count(5)
    keyboard.press("Tab")
    expect(menu).to_have_count(0)
    editor.mouse.click(*editor.between("intake", "answer"), button="right")
    expect(menu).to_have_accessible_name("Next from intake to answer")


def test_the_sheet_lists_every_command_that_has_keys_and_each_key_is_bound_once(
    editor: Editor,
) -> None:
    page = editor.page
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(sheet).to_be_visible()
    editor.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.locator("#canvas").focus()
    editor.keyboard.press("?")
    expect(sheet).to_be_visible()

    table = page.evaluate(
        """async () => {
          const folder = "/static/js/canvas/commands";
          const { COMMANDS } = await import("/static/js/editor/commands.js");
          const { GROUPS, KEYS, keysOf } = await import(`${folder}/command.js`);
          const { EDITOR_KEYS } = await import(`${folder}/key-bindings.js`);
          const ids = COMMANDS.map(({ id }) => id);
          return { ids, keyed: Object.keys(EDITOR_KEYS), keys: Object.keys(KEYS).flatMap(keysOf),
                   homeless: COMMANDS.filter(({ group }) => !GROUPS.includes(group)) };
        }"""
    )
    assert [key for key, times in Counter(table["keys"]).items() if times > 1] == []
    assert [one for one, times in Counter(table["ids"]).items() if times > 1] == []
    assert table["homeless"] == []
    listed = sheet.locator("[data-command-row]").evaluate_all(
        "rows => rows.map(row => row.dataset.commandRow)"
    )
    assert sorted(listed) == sorted(table["keyed"])

    editor.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(sheet).to_be_visible()


def test_panels_fold_away_for_the_canvas_and_come_back_when_they_are_asked_for(
    editor: Editor,
) -> None:
    page, keyboard = editor.page, editor.keyboard
    inspector, panel = page.locator("#inspector"), page.locator("#bottom-panel")
    agents, problems = page.locator("#agents"), page.locator("#problems")
    fold = {
        name: page.get_by_role("button", name=name, exact=True)
        for name in ("Left panel", "Inspector", "Bottom panel")
    }

    def is_open(name: str, said: str) -> None:
        expect(fold[name]).to_have_attribute("aria-expanded", said)

    page.locator("#new-agent").focus()
    keyboard.press("Control+b")
    expect(agents).to_be_hidden()
    expect(fold["Left panel"]).to_be_focused()
    is_open("Left panel", "false")
    fold["Inspector"].click()
    expect(inspector).to_be_hidden()
    keyboard.press("Control+j")
    expect(problems).to_be_hidden()
    expect(page.get_by_role("link", name="Problems")).to_be_visible()
    expect(page.locator("#announcer")).to_have_text("Bottom panel folded away")
    width, height = editor.canvas.evaluate("({ clientWidth: w, clientHeight: h }) => [w, h]")
    assert width == 1440
    assert height > 780
    assert in_both_themes(page) == []

    page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    assert not inspector.is_visible(), "folded from the first picture on"
    is_open("Inspector", "false")
    page.get_by_role("link", name="Outline").click()
    expect(panel.get_by_role("table")).to_be_visible()
    is_open("Bottom panel", "true")
    keyboard.press("Control+\\")
    is_open("Bottom panel", "false")
    keyboard.press("Control+f")
    expect(page.get_by_label("Find", exact=True)).to_be_focused()
    editor.canvas.focus()
    keyboard.press("Control+k")
    keyboard.type("open the left")
    keyboard.press("Enter")
    expect(agents).to_be_visible()
    agents.get_by_role("button", name="Writer").click()
    expect(inspector.get_by_label("Name", exact=True)).to_have_value("Writer")
    is_open("Inspector", "true")

    keyboard.press("Control+\\")
    expect(agents).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("navigation", name="Panels").get_by_role("button", name="Agents").click()
    expect(agents).to_be_visible()
    expect(fold["Left panel"]).to_be_hidden()


def test_a_search_result_is_shown_replaced_and_undone(editor: Editor) -> None:
    page, keyboard = editor.page, editor.keyboard
    keyboard.press("Control+f")
    expect(page.get_by_label("Find", exact=True)).to_be_focused()
    keyboard.type("write")
    expect(page.get_by_text("2 hits for “write”")).to_be_visible()
    assert in_both_themes(page, "#bottom-panel") == []
    fields, result = box_of(page.locator("#find .find")), box_of(page.locator("#find-count"))
    assert fields["y"] + fields["height"] <= result["y"], "the fields cover the result"
    size = page.viewport_size
    assert size
    page.set_viewport_size({"width": 390, "height": 844})
    button = box_of(page.get_by_role("button", name="Replace in").first)
    assert button["x"] + button["width"] <= 390
    page.set_viewport_size(size)
    keyboard.press("Enter")
    expect(page.locator("#inspector :focus"), "Enter shows the first hit").to_have_count(1)
    page.get_by_role("button", name="Name Writer").click()
    name = page.locator("#inspector").get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    assert name.evaluate("field => [field.selectionStart, field.selectionEnd]") == [0, 5]

    page.get_by_label("Match case").check()
    expect(page.get_by_text("1 hit for “write”")).to_be_visible()
    page.get_by_label("Match case").uncheck()
    expect(page.get_by_text("2 hits for “write”")).to_be_visible()
    page.get_by_label("Replace with").fill("Read")
    replace = page.get_by_role("button", name="Replace all")
    expect(replace).to_have_attribute("type", "submit")  # it waits for what is found
    replace.click()
    expect(editor.stage("answer")).to_contain_text("Readr")
    expect(name).to_have_value("Readr")
    expect(page.get_by_text("1 hit for “write”")).to_be_visible()

    page.get_by_role("button", name="Undo: Replace “write” with “Read” in 1 place").click()
    expect(editor.stage("answer")).to_contain_text("Writer")
    expect(page.get_by_text("2 hits for “write”")).to_be_visible()
    page.get_by_label("Find", exact=True).press("Escape")
    expect(editor.canvas).to_be_focused()


def with_a_typed_note(page: Page) -> Editor:
    """Look for a text in a description and a note, and type another text into the note."""
    note = {"id": "note-1", "text": "Ask Dr Novak", "x": 0, "y": 200, "width": 200}
    editor = draw(page, description="Dr Novak's desk", layout={"notes": [note]})
    page.locator("#tab-find").click()
    page.get_by_label("Find", exact=True).fill("Novak")
    page.get_by_label("Replace with").fill("Nowak")
    expect(page.locator("#find-count")).to_contain_text("2 hits for “Novak”")
    page.locator("#note-note-1").dblclick()
    expect(page.get_by_label("Text of the note")).to_be_focused()
    page.keyboard.type("Ask Dr Novak about Fridays")
    return editor


def test_a_replacement_is_shown_whose_results_are_searched_again_meanwhile(page: Page) -> None:
    with_a_typed_note(page)
    let_go = held(page, "replace/")
    with page.expect_request("**/replace/"):
        page.get_by_role("button", name="Replace all").click()
    with page.expect_response("**/search/"):  # as after an edit by somebody else
        page.locator("#find-text").evaluate("input => input.form.requestSubmit()")
    let_go()
    expect(page.locator("#find-count")).to_contain_text(re.compile("in 2 places|was not found"))
    expect(page.locator("#note-note-1")).to_contain_text("Ask Dr Nowak about Fridays")
    expect(page.locator("#version-chip")).to_contain_text("v3")


def test_a_replacement_waits_for_the_text_that_its_press_saves(page: Page) -> None:
    editor = with_a_typed_note(page)
    let_go = held(page, "notes/write/")
    with page.expect_request("**/notes/write/"):
        page.get_by_role("button", name="Replace all").click()
    expect(page.locator("#replace-form")).to_have_attribute("data-waits", "")
    let_go()
    expect(page.locator("#note-note-1")).to_have_text("Ask Dr Nowak about Fridays")
    editor.saved_as(3)


def test_an_answer_is_shown_whose_form_was_removed_meanwhile(page: Page, console: Console) -> None:
    console.allow("oobErrorNoTarget")
    editor = draw(page, description="Dr Novak's desk")
    page.locator("#tab-find").click()
    page.get_by_label("Find", exact=True).fill("Writer")
    page.get_by_label("Replace with").fill("Author")
    expect(page.locator("#find-count")).to_contain_text("2 hits for “Writer”")
    let_go = held(page, "replace/")
    with page.expect_request("**/replace/"):
        page.get_by_role("button", name="Replace all").click()
    page.locator("#replace-form").evaluate("form => form.remove()")
    let_go()
    expect(editor.stage("answer")).to_contain_text("Author")
    expect(page.locator("#version-chip")).to_contain_text("v2")


def test_the_palette_gives_the_focus_up_at_once(editor: Editor) -> None:
    editor.keyboard.press("Control+k")
    expect(editor.page.locator("#palette input")).to_be_focused()
    focused = editor.page.evaluate(
        """() => {
            const key = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
            document.querySelector("#palette input").dispatchEvent(key);
            return document.activeElement.localName;
        }"""
    )
    assert focused == "body", "the next key is the canvas's, before a frame is drawn"


def test_letters_typed_while_a_button_opens_the_palette_are_its_own(editor: Editor) -> None:
    let_go = held(editor.page, "palette.*.js")
    with editor.page.expect_request("**/palette.*.js"):
        editor.page.get_by_role("button", name="Commands", exact=True).click()
    editor.keyboard.type("mini")
    let_go()
    expect(editor.page.locator("#palette input")).to_have_value("mini")
    expect(editor.page.locator(".minimap")).to_have_count(0)


def test_text_typed_while_the_palette_loads_goes_to_the_palette(editor: Editor) -> None:
    page, query = editor.page, editor.page.locator("#palette input")
    editor.stage("intake").click()
    let_go = held(page, "palette.*.js")
    with page.expect_request("**/palette.*.js"):
        editor.keyboard.press("Control+k")
    editor.keyboard.type("mini")
    editor.keyboard.press("Backspace")
    editor.keyboard.press("Delete")
    expect(query).to_be_hidden()
    let_go()
    expect(query).to_have_value("min")
    expect(page.locator(".minimap")).to_have_count(0)
    expect(editor.stage("intake")).not_to_have_attribute("data-leaving", "")
    editor.keyboard.press("Escape")

    # An answer that selects something new does not take the focus out of it.
    let_go = held(page, "duplicate/")
    with page.expect_request("**/duplicate/"):
        editor.keyboard.press("Control+d")
    editor.keyboard.press("Control+k")
    editor.keyboard.type("zo")
    let_go()
    expect(editor.stage("intake-2")).to_have_attribute("aria-current", "true")
    editor.keyboard.type("om")
    expect(query).to_have_value("zoom")
    expect(query).to_be_focused()


def test_a_theme_is_chosen_by_command_and_the_systems_again(editor: Editor) -> None:
    root = editor.page.locator("html")
    for words, theme in (("dark colours", "dark"), ("colours of the system", "light")):
        editor.keyboard.press("Control+k")
        editor.keyboard.type(words)
        editor.keyboard.press("Enter")
        expect(root).to_have_attribute("data-theme", theme)
    assert editor.page.evaluate("localStorage.getItem('theme')") is None

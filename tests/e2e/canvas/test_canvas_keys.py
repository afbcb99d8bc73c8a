"""The canvas by keyboard alone."""

import re

from playwright.sync_api import expect

from tests.e2e.canvas.editor import Editor
from tests.e2e.held_requests import held


def test_everything_is_reached_and_left_by_tab(editor: Editor) -> None:
    editor.focus_in_order()
    reached = []
    for _ in range(6):
        editor.keyboard.press("Tab")
        reached.append(editor.focused())
    assert reached[:4] == ["stage-intake", "stage-answer", "stage-review", "edge-intake--answer"]
    outside = editor.page.evaluate("!document.activeElement.closest('#canvas')")
    assert outside


def test_the_canvas_can_be_skipped(editor: Editor) -> None:
    editor.canvas.focus()
    editor.keyboard.press("Shift+Tab")
    skip = editor.page.get_by_role("link", name="Skip the canvas")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    editor.keyboard.press("Enter")
    editor.keyboard.press("Tab")
    assert editor.page.evaluate("!!document.activeElement.closest('#inspector')")


def test_a_stage_is_selected_nudged_and_deleted_by_key_alone(editor: Editor) -> None:
    editor.stage("review").focus()
    editor.keyboard.press("Enter")
    expect(editor.page.locator("#inspector").get_by_label("Stage name")).to_have_value("review")
    expect(editor.page.locator("#announcer")).to_have_text("Stage review selected")

    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("Shift+ArrowDown")
    editor.saved_as(2)
    expect(editor.page.locator("#announcer")).to_have_text("Moved stage review")
    editor.stands("review", (336, 272))
    assert editor.kept("review") == (336, 272)
    expect(editor.stage("review")).to_be_focused()

    editor.keyboard.press("Delete")
    expect(editor.stage("review")).to_have_count(0)
    expect(editor.canvas).to_be_focused()


def test_enter_moves_to_the_form_of_the_selection_and_escape_back(editor: Editor) -> None:
    phase = editor.page.locator("#inspector").get_by_label("Stage name")
    editor.stage("review").focus()
    editor.keyboard.press("Enter")
    expect(phase).to_have_value("review")
    editor.keyboard.press("Control+i")  # folded away
    expect(phase).to_be_hidden()
    editor.keyboard.press("Enter")
    expect(phase).to_be_focused()
    editor.keyboard.type("audit")
    editor.keyboard.press("Escape")
    expect(editor.stage("audit")).to_be_focused()
    editor.saved_as(2)


def test_stages_are_connected_by_key_alone(editor: Editor) -> None:
    editor.stage("answer").focus()
    editor.keyboard.press("c")
    expect(editor.page.locator(".ghost")).not_to_have_attribute("hidden", "")
    editor.keyboard.press("Enter")
    hint = editor.page.locator(".hint")
    expect(hint).to_contain_text("Connecting from answer: choose a stage.")
    editor.keyboard.type("mn")  # no map and no note meanwhile
    for does in ("choose", "connects", "adds a new stage", "cancels"):
        expect(hint).to_contain_text(does)
    covering = "hint => hint.getBoundingClientRect().right - inspector.getBoundingClientRect().left"
    assert hint.evaluate(covering) <= 0, "it is beside the inspector"
    said = "Choose a stage with the arrows or Tab first, Escape cancels."
    expect(editor.page.locator("#announcer")).to_have_text(said)
    editor.keyboard.press("ArrowDown")
    expect(editor.stage("review")).to_be_focused()
    expect(hint).to_contain_text("Connecting from answer to review.")
    expect(editor.stage("answer")).to_have_attribute("data-from", "")
    over = "ghost => Number(getComputedStyle(ghost.ownerSVGElement).zIndex)"
    under = "card => Number(getComputedStyle(card).zIndex)"
    ghost = editor.page.locator(".ghost")
    assert ghost.evaluate(over) > editor.stage("intake").evaluate(under), "seen over cards"
    for key, phase in (("Tab", "intake"), ("Tab", "answer"), ("Tab", "review")):
        editor.keyboard.press(key)
        expect(editor.stage(phase)).to_be_focused()
    editor.keyboard.press("Shift+Tab")
    expect(hint).to_contain_text("Connecting from answer to answer.")
    editor.keyboard.press("Tab")
    expect(editor.page.locator(".ghost")).not_to_have_attribute("hidden", "")
    editor.keyboard.press("Enter")
    expect(editor.edge("answer", "review")).to_be_attached()
    expect(editor.page.locator(".note, .minimap")).to_have_count(0)
    expect(editor.page.locator("#announcer")).to_have_text("Connected answer → review")
    expect(editor.page.locator(".ghost")).to_be_hidden()
    expect(hint).to_be_hidden()
    expect(editor.page.get_by_label("When to take it")).to_be_focused()
    editor.keyboard.press("Escape")
    expect(editor.page.get_by_label("When to take it")).not_to_be_focused()

    editor.stage("review").focus()
    editor.keyboard.press("c")
    editor.keyboard.press("a")
    expect(editor.page.get_by_role("combobox", name="Part to create")).to_be_focused()
    editor.keyboard.press("Enter")
    editor.keyboard.type("last")  # at once: no letter of it is a command
    editor.keyboard.press("Enter")
    expect(editor.edge("review", "last")).to_be_attached()
    expect(editor.stage("last")).to_be_focused()


def test_connecting_by_key_is_cancelled_by_escape_and_by_leaving_the_canvas(
    editor: Editor,
) -> None:
    hint = editor.page.locator(".hint")
    editor.stage("answer").focus()
    editor.keyboard.press("c")
    expect(hint).to_be_visible()
    editor.page.get_by_role("button", name="Fit").focus()
    expect(hint).to_be_hidden()
    expect(editor.canvas).not_to_have_attribute("data-connecting", re.compile(".*"))
    editor.stage("answer").focus()
    editor.keyboard.press("Control+k")  # which leaves the canvas, and comes back
    editor.keyboard.type("connect to another")
    editor.keyboard.press("Enter")
    expect(editor.canvas).to_have_attribute("data-connecting", "stage-answer")
    expect(hint).to_be_visible()
    editor.keyboard.press("ArrowDown")
    editor.keyboard.press("Escape")
    expect(editor.page.locator(".hint")).to_be_hidden()
    editor.keyboard.press("Enter")
    expect(editor.stage("review")).to_have_attribute("aria-current", "true")
    editor.saved_as(1)
    editor.stage("answer").focus()
    editor.keyboard.press("c")
    editor.stage("review").click()
    expect(editor.edge("answer", "review")).to_be_attached()
    expect(hint).to_be_hidden()
    expect(editor.page.locator("#inspector :focus")).to_be_visible()  # its condition
    editor.edge("answer", "review").focus()
    editor.keyboard.press("Control+z")
    expect(editor.page.locator("#announcer")).to_have_text("Undone: Connect answer → review")
    expect(editor.canvas).to_be_focused()


def test_alt_with_arrows_walks_the_graph(editor: Editor) -> None:
    editor.stage("intake").focus()
    editor.keyboard.press("Alt+ArrowRight")
    expect(editor.stage("answer")).to_be_focused()
    editor.keyboard.press("Alt+ArrowDown")
    expect(editor.stage("review")).to_be_focused()
    editor.keyboard.press("Alt+ArrowUp")
    editor.keyboard.press("Alt+ArrowLeft")
    expect(editor.stage("intake")).to_be_focused()
    expect(editor.page.locator("#inspector").get_by_label("Stage name")).to_have_value("intake")


def test_no_shortcut_fires_in_a_field(editor: Editor) -> None:
    editor.stage("review").click()
    field = editor.page.locator("#inspector").get_by_label("Stage name")
    field.fill("")
    field.press_sequentially("a1c0")
    field.press("Backspace")
    field.press("Control+z")
    expect(field).to_be_focused()
    assert len(editor.page.locator(".stage").all()) == 3
    expect(editor.stage("review")).to_be_visible()


def test_the_view_is_panned_and_the_selection_left_by_key(editor: Editor) -> None:
    editor.canvas.focus()
    before, view = editor.place_in_window("intake"), re.escape(editor.view())
    editor.keyboard.press("ArrowRight")
    expect(editor.page.locator(".viewport")).not_to_have_attribute("style", re.compile(view))
    editor.keyboard.press("ArrowUp")
    x, y = editor.place_in_window("intake")
    assert x < before[0]
    assert y > before[1]
    editor.saved_as(1)

    editor.stage("intake").focus()
    editor.keyboard.press("Space")
    assert editor.selected() == {"stage-intake"}
    editor.stage("review").focus()
    editor.keyboard.press("Shift+Enter")
    expect(editor.page.locator("#announcer")).to_have_text("2 selected")
    assert editor.selected() == {"stage-intake", "stage-review"}
    editor.keyboard.press("Shift+Space")
    expect(editor.page.locator("#announcer")).to_have_text("1 selected")
    editor.keyboard.press("Control+a")
    assert editor.selected() == {"stage-intake", "stage-answer", "stage-review"}
    editor.keyboard.press("ArrowRight")
    editor.saved_as(2)
    assert [editor.kept(phase)[0] for phase in ("intake", "answer", "review")] == [8, 328, 328]
    editor.keyboard.press("Escape")
    expect(editor.canvas.locator('[aria-current="true"]')).to_have_count(0)


def test_keys_typed_before_the_palette_takes_them_come_in_their_order(editor: Editor) -> None:
    page = editor.page
    let_go = held(page, "typed-keys.*.js")
    with page.expect_request("**/typed-keys.*.js"):
        editor.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="A command")).to_be_focused()
    editor.keyboard.type("inbox")
    editor.keyboard.press("Enter")
    let_go()
    page.wait_for_url("**/inbox/")

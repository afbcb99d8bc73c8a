"""Gestures with several effects: create and connect, reconnect, insert, bypass, align."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.boxes import box_of, middle_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.creating import naming, picker
from tests.e2e.canvas.editor import Editor, Point
from tests.e2e.conftest import Console


def said(editor: Editor, text: str) -> None:
    expect(editor.page.locator("#announcer")).to_have_text(text)


def undo(editor: Editor, label: str) -> None:
    """Check the label of the last edit, and undo it."""
    button = editor.page.locator("#undo-button")
    expect(button).to_have_attribute("aria-label", re.compile(re.escape(label)))
    editor.keyboard.press("Control+z")
    expect(button).not_to_have_attribute("aria-label", re.compile(re.escape(label)))


TIP = """line => {
    const end = line.getPointAtLength(line.getTotalLength());
    const { x, y } = end.matrixTransform(line.getScreenCTM());
    return [x, y];
}"""


def plug(editor: Editor, source: str, target: str, end: str) -> Point:
    """Point at an edge, and then at one of its plugs."""
    editor.mouse.move(*editor.between(source, target))
    handle = editor.page.locator(f".end-handle[data-end={end}]")
    expect(handle).to_have_attribute("data-edge", f"edge-{source}--{target}")
    expect(handle).to_be_visible()  # it says the same from the last time, too
    return middle_of(handle)


def test_a_port_dragged_to_blank_canvas_offers_a_target_to_create(editor: Editor) -> None:
    x, y = editor.port("review")
    editor.drag((x, y), (x + 120, y + 60))
    expect(picker(editor)).to_be_visible()
    expect(editor.page.locator(".ghost")).to_be_visible()
    box = box_of(picker(editor))
    assert (box["x"], box["y"]) == pytest.approx((x + 120, y + 60), abs=2)
    editor.keyboard.press("Escape")
    said(editor, "Nothing created")
    expect(editor.page.locator(".ghost")).to_be_hidden()
    editor.saved_as(1)

    editor.drag(editor.port("review"), (x + 120, y + 60))
    options = picker(editor).get_by_role("option")
    expect(options).to_contain_text(["Stage", "new agent", "Triage", "Writer", "Group", "Human"])
    editor.keyboard.type("writ")
    expect(options.filter(visible=True)).to_have_text(["WWriter", re.compile("New agent “writ”")])
    editor.keyboard.press("Enter")
    expect(editor.stage("writer")).to_contain_text("Writer")
    expect(editor.edge("review", "writer")).to_be_attached()
    expect(editor.stage("writer")).to_be_focused()
    editor.stands("writer", (656, 300))
    undo(editor, "Add stage writer after review")
    expect(editor.stage("writer")).to_have_count(0)

    editor.stage("answer").focus()
    editor.keyboard.press("c")
    editor.keyboard.press("a")
    expect(picker(editor)).to_be_visible()
    editor.keyboard.type("Billing")
    editor.keyboard.press("Enter")
    expect(editor.stage("billing")).to_contain_text("Billing")
    expect(editor.page.locator("#agents")).to_contain_text("Billing")
    undo(editor, "Add stage billing after answer")
    expect(editor.page.locator("#agents")).not_to_contain_text("Billing")

    editor.drag(editor.port("review"), (x + 120, y - 60))
    picker(editor).get_by_text("Human").click()
    expect(naming(editor)).to_have_value("stage-1")
    expect(naming(editor)).to_be_focused()
    editor.keyboard.type("desk")
    editor.mouse.click(*editor.middle("answer"))  # keeps the name, selects the stage
    expect(editor.stage("desk")).to_contain_text("Human")
    expect(editor.edge("review", "desk")).to_be_attached()
    expect(editor.page.locator("#inspector").get_by_label("Stage name")).to_have_value("answer")
    assert editor.selected() == {"stage-answer"}


def test_the_name_of_a_new_stage_is_asked_for_where_it_stands(
    editor: Editor, console: Console
) -> None:
    console.allow("422")
    editor.stage("answer").focus()
    editor.keyboard.press("a")
    editor.keyboard.press("Enter")
    expect(naming(editor)).to_be_focused()
    editor.keyboard.type("review")
    editor.keyboard.press("Enter")
    refusal = editor.page.locator(".writing__refusal")
    expect(refusal).to_contain_text("There is a stage “review” already.")
    expect(naming(editor)).to_have_value("review")
    expect(naming(editor)).to_be_focused()
    # Typed text stays while other parts are drawn.
    editor.keyboard.type(" of all")
    editor.page.evaluate("document.getElementById('gesture-add-agent').requestSubmit()")
    expect(editor.page.locator("#agents")).to_contain_text("Agent 1")
    expect(editor.page.locator("#inspector").get_by_label("Name", exact=True)).to_be_visible()
    expect(naming(editor)).to_have_value("review of all")
    editor.keyboard.press("Enter")
    expect(editor.stage("review-of-all")).to_be_focused()
    said(editor, "Renamed the stage to review-of-all")
    undo(editor, "Rename stage stage-1 → review-of-all")
    expect(editor.stage("stage-1")).to_be_visible()

    editor.stage("stage-1").focus()
    editor.keyboard.press("F2")
    expect(naming(editor)).to_be_focused()
    editor.keyboard.type("greeting")
    editor.keyboard.press("Escape")
    expect(editor.stage("stage-1")).to_be_focused()
    editor.stage("stage-1").locator(".stage__phase").dblclick()
    editor.keyboard.type("greeting")
    editor.keyboard.press("Enter")
    expect(editor.stage("greeting")).to_be_focused()
    assert editor.selected() == {"stage-greeting"}
    expect(editor.page).to_have_url(re.compile("select=stage:greeting"))


def test_an_edges_ends_are_moved_to_other_stages(editor: Editor) -> None:
    way = plug(editor, "intake", "answer", "target")
    editor.drag(way, editor.middle("review"))
    expect(editor.edge("intake", "review")).to_have_attribute("aria-current", "true")
    expect(editor.edge("intake", "answer")).to_have_count(0)
    undo(editor, "Move intake → answer to review")
    expect(editor.edge("intake", "answer")).to_be_attached()

    editor.drag(plug(editor, "intake", "answer", "source"), editor.middle("review"))
    expect(editor.edge("review", "answer")).to_be_attached()
    said(editor, "intake → answer is now review → answer")
    editor.keyboard.press("Control+z")
    expect(editor.edge("intake", "answer")).to_be_attached()

    plug(editor, "intake", "answer", "target")
    x, y = editor.edge("intake", "answer").locator(".line").evaluate(TIP)
    beside = f"document.elementFromPoint({x + 2}, {y}).closest('.stage')?.id"
    assert editor.page.evaluate(beside) == "stage-answer", "the card there stays pressable"
    editor.drag((x - 4, y), (x - 40, y + 200))  # by the head of the arrow
    said(editor, "Not moved")
    expect(editor.edge("intake", "answer")).not_to_have_attribute("data-leaving", "")
    expect(editor.page.locator(".ghost")).to_be_hidden()

    editor.edge("intake", "answer").focus()
    editor.keyboard.press("e")
    expect(editor.stage("answer")).to_be_focused()
    editor.keyboard.press("ArrowDown")
    expect(editor.stage("review")).to_be_focused()
    editor.keyboard.press("Enter")
    expect(editor.edge("intake", "review")).to_be_focused()
    editor.keyboard.press("Shift+e")
    expect(editor.stage("intake")).to_be_focused()
    editor.keyboard.press("Tab")
    hint = editor.page.locator(".hint")
    expect(hint).to_contain_text("Moving the start of intake → review to answer.")
    editor.keyboard.press("Escape")
    said(editor, "Not moved")
    expect(editor.edge("intake", "review")).to_be_focused()

    editor.drag(editor.port("intake"), editor.middle("answer"))
    expect(editor.page.get_by_label("When to take it")).to_be_focused()
    editor.edge("intake", "answer").focus()
    editor.keyboard.press("e")
    expect(editor.stage("answer")).to_be_focused()
    editor.keyboard.press("ArrowDown")
    editor.keyboard.press("Enter")
    expect(editor.page.locator("#notice")).to_contain_text("intake already leads to review.")
    expect(editor.edge("intake", "answer")).to_be_attached()


def test_a_stage_is_spliced_into_an_edge(editor: Editor) -> None:
    expect(editor.canvas).to_have_attribute("data-routed", "")
    start, middle = editor.middle("review"), editor.between("intake", "answer")
    editor.mouse.move(*start)
    editor.mouse.down()
    editor.mouse.move(middle[0], middle[1] + 60, steps=4)
    expect(editor.page.locator(".guides")).to_be_attached()
    way = editor.edge("intake", "answer")
    expect(way).not_to_have_attribute("data-splice", "")
    editor.mouse.move(middle[0], middle[1] + 20, steps=4)  # clearly below, and too far to snap
    expect(way).to_have_attribute("data-splice", "")
    hint = editor.page.locator(".hint")
    expect(hint).to_contain_text("Let go to insert it between intake and answer.")
    expect(editor.stage("review")).to_have_css("transform", "matrix(1, 0, 0, 1, 160, 20)")
    editor.mouse.up()
    expect(editor.edge("intake", "review")).to_be_attached()
    expect(editor.edge("review", "answer")).to_be_attached()
    expect(way).to_have_count(0)
    said(editor, "Inserted review between intake and answer")
    expect(hint).to_be_hidden()
    editor.stands("review", (272, 0))  # between them: the stage that follows makes room
    editor.stands("answer", (544, 0))
    assert editor.kept("review") == (272, 0)
    undo(editor, "Insert review between intake and answer")
    expect(way).to_be_attached()
    editor.stands("review", (320, 240))

    editor.stage("review").focus()
    editor.keyboard.press("Shift+i")
    expect(way).to_be_focused()
    expect(way).to_have_attribute("data-splice", "")
    expect(hint).to_contain_text("Inserting review between intake and answer.")
    editor.keyboard.press("Enter")
    expect(editor.edge("intake", "review")).to_be_attached()
    editor.keyboard.press("Control+z")
    expect(way).to_be_attached()

    way.focus()
    editor.keyboard.press("i")
    expect(picker(editor)).to_be_visible()
    editor.page.locator("#pick-human").click()
    expect(editor.edge("stage-1", "answer")).to_be_attached()
    undo(editor, "Insert stage-1 between intake and answer")

    # Among others a stage has its place: dragged across an edge, it stays out of that.
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_be_attached()
    editor.keyboard.press("Control+d")
    expect(editor.stage("stage-1")).to_have_count(0)


def test_a_stage_is_deleted_with_a_way_around(editor: Editor) -> None:
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_be_attached()
    editor.stage("answer").click()
    editor.keyboard.press("Control+Delete")
    expect(editor.stage("answer")).to_have_count(0)
    expect(editor.edge("intake", "review")).to_have_class("edge next")
    undo(editor, "Delete stage answer and reconnect")
    expect(editor.edge("answer", "review")).to_be_attached()
    expect(editor.edge("intake", "review")).to_have_count(0)


def test_dragged_cards_line_up_with_others_unless_alt_is_held(editor: Editor) -> None:
    guides = editor.page.locator(".guides")
    x, y = editor.middle("review")
    editor.mouse.move(x, y)
    editor.mouse.down()
    editor.mouse.move(x - 100, y + 20, steps=3)
    expect(guides).to_be_attached()
    editor.mouse.move(x - 316, y + 20, steps=3)
    expect(guides).to_have_attribute("d", re.compile("^M108,0L108,"))
    editor.stands("review", (0, 260))
    editor.keyboard.down("Alt")
    editor.mouse.move(x - 317, y + 20)
    expect(guides).to_have_attribute("d", "")
    editor.stands("review", (3, 260))
    editor.keyboard.up("Alt")
    editor.mouse.move(x - 316, y + 20)
    editor.mouse.up()
    expect(guides).to_have_count(0)
    editor.saved_as(2)
    assert editor.kept("review") == (0, 260)


def test_selected_stages_are_aligned_spaced_and_fitted(editor: Editor) -> None:
    def give(command: str) -> None:
        editor.keyboard.press("Control+k")
        editor.page.locator("dialog[open]").get_by_role("combobox").fill(command)
        editor.keyboard.press("Enter")

    editor.keyboard.press("Control+a")
    give("Align left edges")
    editor.saved_as(2)
    assert {editor.place(phase)[0] for phase in ("intake", "answer", "review")} == {0}
    undo(editor, "Align 3 stages")
    editor.stands("answer", (320, 0))

    editor.keyboard.press("Escape")
    x, y = editor.middle("answer")
    editor.drag((x, y), (x + 10, y + 40))
    expect(editor.stage("answer")).to_have_attribute("data-y", "40")
    editor.keyboard.press("Control+a")
    give("Space evenly from top")
    expect(editor.stage("answer")).to_have_attribute("data-y", "120")
    undo(editor, "Distribute 3 stages")

    editor.stage("intake").click()
    before = editor.view()
    editor.keyboard.press("2")
    expect(editor.page.locator(".viewport")).not_to_have_attribute(
        "style", re.compile(re.escape(before))
    )
    first = editor.middle("intake")
    left, right, low = (
        editor.page.locator(f"#{panel}").bounding_box()
        for panel in ("agents-panel", "inspector", "bottom-panel")
    )
    assert left
    assert right
    assert low
    between = (left["x"] + left["width"] + right["x"]) / 2, (52 + low["y"]) / 2
    assert first == pytest.approx(between, abs=2)
    give("Also select connected")
    expect(editor.stage("answer")).to_have_attribute("aria-current", "true")
    assert editor.selected() == {"stage-intake", "stage-answer"}


def test_the_old_name_of_a_stage_is_found_in_texts(page: Page) -> None:
    agents = [
        {"id": "agent-triage", "name": "Triage", "instructions": "Hand over to answer, to no one."},
        {"id": "agent-writer", "name": "Writer", "instructions": "You answer. Never answer twice."},
    ]
    editor = draw(page, agents=agents)
    notice = page.locator("#notice")
    editor.stage("intake").focus()
    editor.keyboard.press("F2")
    expect(naming(editor)).to_be_focused()
    editor.keyboard.type("reception")
    editor.keyboard.press("Enter")
    expect(editor.stage("reception")).to_be_focused()
    expect(notice).to_have_text("")  # no text contains “intake”

    editor.stage("answer").focus()
    editor.keyboard.press("F2")
    expect(naming(editor)).to_be_focused()
    editor.keyboard.type("reply")
    editor.keyboard.press("Enter")
    expect(notice).to_contain_text("“answer” is still 3 times in texts.")
    undo(editor, "Rename stage answer → reply")

    editor.stage("answer").click()
    name = page.locator("#inspector").get_by_label("Stage name")
    name.fill("reply")
    name.press("Control+s")
    expect(editor.stage("reply")).to_be_visible()
    notice.get_by_role("button", name="Show").click()
    expect(page.locator("#find-text")).to_have_value("answer")
    expect(page.locator("#find-count")).to_contain_text("3 hits for “answer”")

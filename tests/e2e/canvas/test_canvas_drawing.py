"""Drawing with a real mouse, against a real server."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.boxes import box_of, middle_of
from tests.e2e.canvas.creating import picker
from tests.e2e.canvas.editor import Editor
from tests.e2e.held_requests import held


def test_a_dragged_stage_stays_where_it_is_dropped(editor: Editor) -> None:
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 90, y + 40))
    editor.saved_as(2)
    editor.stands("review", (410, 280))
    assert editor.kept("review") == (410, 280)

    editor.page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    editor.stands("review", (410, 280))


def test_only_the_edges_of_a_dragged_stage_are_drawn_anew(editor: Editor) -> None:
    line = editor.edge("intake", "answer").locator(".line")
    before = line.get_attribute("d")
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 50, y))
    assert line.get_attribute("d") == before
    x, y = editor.middle("answer")
    editor.drag((x, y), (x, y - 60))
    assert line.get_attribute("d") != before


def test_several_selected_stages_move_as_one_edit(editor: Editor) -> None:
    editor.stage("intake").click()
    editor.stage("answer").click(modifiers=["Shift"])
    assert editor.selected() == {"stage-intake", "stage-answer"}
    x, y = editor.middle("answer")
    editor.drag((x, y), (x + 30, y - 50))
    editor.saved_as(2)
    editor.stands("intake", (30, -50))
    editor.stands("answer", (350, -50))
    editor.stands("review", (320, 240))

    editor.keyboard.press("Control+z")
    editor.saved_as(3)
    editor.stands("intake", (0, 0))
    editor.stands("answer", (320, 0))


def test_a_box_selects_the_touched_parts_unless_it_begins_on_a_card(editor: Editor) -> None:
    before = editor.view()
    left, top = editor.middle("answer")
    _, bottom = editor.middle("review")
    x, y = editor.between("intake", "answer")
    for start in ((left - 130, top - 80), (x, y + 4)):  # on paper, and on the edge
        editor.keyboard.down("Shift")
        editor.drag(start, (left, bottom))
        editor.keyboard.up("Shift")
        assert editor.selected() == {"stage-answer", "stage-review"}
        editor.keyboard.press("Escape")
        assert editor.selected() == set()
    assert editor.view() == before
    editor.mouse.click(x, y)
    editor.stage("review").click(modifiers=["Shift"])
    assert editor.selected() == {"edge-intake--answer", "stage-review"}


def test_a_click_shows_the_stage_in_the_inspector(editor: Editor) -> None:
    editor.stage("answer").click()
    expect(editor.page.locator("#inspector").get_by_label("Stage name")).to_have_value("answer")
    expect(editor.page).to_have_url(re.compile("select=stage:answer"))
    editor.page.reload()
    expect(editor.stage("answer")).to_have_attribute("aria-current", "true")


def test_a_click_on_an_edge_shows_the_transition(editor: Editor) -> None:
    editor.mouse.click(*editor.between("intake", "answer"))
    assert editor.selected() == {"edge-intake--answer"}
    expect(editor.page).to_have_url(re.compile("select=transition:intake(>|%3E)answer"))


def test_a_port_dragged_to_a_stage_connects_them(editor: Editor) -> None:
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_have_class("edge next")
    expect(editor.edge("answer", "review").locator(".line")).to_have_attribute(
        "d", re.compile("^M")
    )
    expect(editor.page.get_by_label("When to take it")).to_be_focused()

    editor.drag(editor.port("answer"), editor.middle("intake"))
    expect(editor.edge("answer", "intake")).to_have_class("edge return")
    expect(editor.label("answer", "intake")).to_have_text("return")


def test_another_way_onward_reads_as_a_branch_until_its_target_leads_here(editor: Editor) -> None:
    editor.drag(editor.port("intake"), editor.middle("review"))
    way = editor.edge("intake", "review")
    expect(way).to_have_attribute("data-kind", "return")
    expect(way).to_have_attribute("aria-label", "Branch from intake to review")
    expect(editor.label("intake", "review")).to_have_text("branch")
    editor.drag(editor.port("review"), editor.middle("answer"))
    expect(editor.edge("review", "answer")).to_have_class("edge next")
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.label("answer", "review")).to_have_text("return")  # its first way, and back
    editor.drag(editor.port("review"), editor.middle("intake"))
    expect(editor.label("review", "intake")).to_have_text("return")
    expect(editor.label("intake", "review")).to_have_text("branch")


def test_where_a_card_lies_says_nothing_of_where_a_way_leads(editor: Editor) -> None:
    editor.drag(editor.port("intake"), editor.middle("review"))
    expect(editor.label("intake", "review")).to_have_text("branch")
    x, y = editor.middle("review")
    editor.drag((x, y), (x - 300, y + 40))
    editor.saved_as(3)
    expect(editor.label("intake", "review")).to_have_text("branch")
    editor.page.reload()
    expect(editor.label("intake", "review")).to_have_text("branch")


def test_a_port_dragged_onto_its_own_card_leads_the_stage_to_itself(editor: Editor) -> None:
    x, y = editor.port("answer")
    editor.drag((x, y), (x - 8, y + 6))  # an unsteady press is none
    editor.drag(editor.port("answer"), editor.middle("answer"))
    loop = editor.edge("answer", "answer")
    expect(loop.locator(".line")).to_have_attribute("d", re.compile("^M"))
    editor.saved_as(2)
    assert editor.definition()["transitions"][-1]["target"] == "answer"

    editor.stage("review").focus()
    editor.keyboard.press("c")
    for key in ("ArrowUp", "ArrowDown"):  # there and back: to itself is not the first choice
        editor.keyboard.press(key)
    expect(editor.stage("review")).to_be_focused()
    editor.keyboard.press("Enter")
    expect(editor.edge("review", "review")).to_be_attached()


def test_a_port_dragged_to_blank_makes_a_connected_stage_there(editor: Editor) -> None:
    x, y = editor.port("review")
    editor.drag((x, y), (x + 120, y + 60))
    expect(editor.page.get_by_role("combobox", name="Part to create")).to_be_focused()
    editor.keyboard.press("Enter")
    expect(editor.stage("stage-1")).to_have_attribute("aria-current", "true")
    expect(editor.edge("review", "stage-1")).to_be_attached()
    expect(editor.page.locator("#inspector").get_by_label("Stage name")).to_have_value("stage-1")
    editor.stands("stage-1", (656, 300))


def test_stages_that_are_connected_already_are_not_connected_again(editor: Editor) -> None:
    editor.drag(editor.port("intake"), editor.middle("answer"))
    expect(editor.page.locator("#notice")).to_contain_text("intake already leads to answer")
    editor.saved_as(1)


def test_a_double_click_on_blank_canvas_offers_parts_to_create(editor: Editor) -> None:
    x, y = editor.middle("intake")
    editor.mouse.dblclick(x, y + 240)
    editor.keyboard.type("Refunds")  # at once
    expect(editor.page.get_by_role("combobox", name="Part to create")).to_have_value("Refunds")
    editor.keyboard.press("Enter")
    expect(editor.stage("refunds")).to_have_attribute("aria-current", "true")
    expect(editor.stage("refunds").locator(".stage__agent")).to_have_text("Refunds")
    assert editor.middle("refunds") == pytest.approx((x, y + 240), abs=2)


def test_stages_are_added_from_the_panel_by_click_and_by_drag(editor: Editor) -> None:
    human = editor.page.get_by_role("button", name="Human", exact=True)
    human.click()
    expect(editor.stage("stage-1")).to_contain_text("Human")

    box = box_of(human)
    x, y = editor.middle("intake")
    editor.drag((box["x"] + 20, box["y"] + 10), (x, y + 200))
    expect(editor.stage("stage-2")).to_be_attached()
    assert editor.middle("stage-2") == pytest.approx((x, y + 200), abs=2)

    # On another card it lands beside that; on an edge it is spliced in; in the dark too.
    editor.page.emulate_media(color_scheme="dark")
    stage = editor.page.locator(".palette").get_by_role("button", name="Stage")
    editor.drag(middle_of(stage), (x, y - 20))
    expect(picker(editor)).to_be_visible()
    editor.keyboard.press("Enter")
    expect(editor.stage("stage-3")).to_be_attached()
    editor.stands("stage-3", (0, -120))
    editor.drag(middle_of(stage), editor.between("intake", "answer"))
    expect(picker(editor)).to_be_visible()
    editor.keyboard.press("Enter")
    expect(editor.edge("intake", "stage-4")).to_be_attached()
    expect(editor.edge("stage-4", "answer")).to_be_attached()
    expect(editor.edge("intake", "answer")).to_have_count(0)


def test_an_agent_is_carried_to_a_stage_an_edge_or_blank_paper(editor: Editor) -> None:
    writer = editor.page.locator("#agents").get_by_role("button", name="Writer")
    start = middle_of(writer)
    editor.mouse.move(*start)
    editor.mouse.down()
    editor.mouse.move(*editor.middle("review"), steps=6)
    expect(editor.stage("review")).to_have_attribute("data-target", "")
    editor.mouse.up()
    expect(editor.stage("review").locator(".stage__agent")).to_have_text("Writer")
    expect(editor.page.locator("#announcer")).to_have_text("Writer serves review")

    editor.page.emulate_media(color_scheme="dark")
    editor.drag(start, editor.between("intake", "answer"))
    expect(editor.edge("intake", "writer")).to_be_attached()
    expect(editor.edge("writer", "answer")).to_be_attached()
    expect(editor.stage("writer").locator(".stage__agent")).to_have_text("Writer")

    x, y = editor.middle("intake")
    editor.drag(start, (x, y + 300))
    expect(editor.stage("writer-2")).to_be_focused()
    assert editor.middle("writer-2") == pytest.approx((x, y + 300), abs=6)

    # The same by key: with the palette.
    editor.stage("review").focus()
    for command, stage in (("let triage", "review"), ("served by triage", "triage")):
        editor.keyboard.press("Control+k")
        editor.keyboard.type(command)
        editor.keyboard.press("Enter")
        expect(editor.stage(stage).locator(".stage__agent")).to_have_text("Triage")


def test_stages_added_by_click_leave_room_for_their_edges(editor: Editor) -> None:
    for number in (1, 2, 3):
        editor.page.get_by_role("button", name="Human", exact=True).click()
        expect(editor.stage(f"stage-{number}")).to_be_attached()
    first, second, third = (editor.place(f"stage-{number}") for number in (1, 2, 3))
    assert second[0] - first[0] >= 280, "the second stands beside the first, not below it"
    assert third[1] - first[1] >= 150, "the third below, with room for an arrow and its label"

    # A stage that is added before another one is saved does not cover it.
    let_go = held(editor.page, "stages/add/")
    for _ in range(2):
        editor.page.get_by_role("button", name="Human", exact=True).click()
    let_go()
    expect(editor.stage("stage-5")).to_be_attached()
    (x4, y4), (x5, y5) = (editor.place(f"stage-{number}") for number in (4, 5))
    assert abs(x4 - x5) >= 270 or abs(y4 - y5) >= 150


def test_delete_takes_a_stage_and_its_edges_and_undo_brings_them_back(
    editor: Editor,
) -> None:
    editor.stage("answer").click()
    editor.keyboard.press("Delete")
    expect(editor.stage("answer")).to_have_count(0)
    expect(editor.edge("intake", "answer")).to_have_count(0)

    editor.keyboard.press("Control+z")
    expect(editor.edge("intake", "answer").locator(".line")).to_have_attribute(
        "d", re.compile("^M")
    )
    editor.keyboard.press("Control+Shift+z")
    expect(editor.stage("answer")).to_have_count(0)
    editor.page.get_by_role("button", name="Undo").click()
    expect(editor.stage("answer")).to_be_visible()
    announcer = editor.page.locator("#announcer")
    expect(announcer).to_have_text(re.compile("^Undone: Delete .*answer"))
    editor.page.get_by_role("button", name="Redo").click()
    expect(editor.stage("answer")).to_have_count(0)
    expect(announcer).to_have_text(re.compile("^Redone: Delete .*answer"))
    editor.keyboard.press("Control+y")
    expect(announcer).to_have_text("Nothing to redo")


def test_a_restored_part_is_selected_and_has_the_focus(editor: Editor) -> None:
    editor.stage("review").click()
    editor.keyboard.press("Delete")
    expect(editor.stage("review")).to_have_count(0)
    expect(editor.page).not_to_have_url(re.compile("select="))
    editor.keyboard.press("Control+z")
    expect(editor.stage("review")).to_be_focused()
    assert editor.selected() == {"stage-review"}
    expect(editor.page.locator("#inspector").get_by_label("Stage name")).to_have_value("review")


def test_an_edge_is_deleted_alone(editor: Editor) -> None:
    editor.mouse.click(*editor.between("intake", "answer"))
    editor.keyboard.press("Backspace")
    expect(editor.edge("intake", "answer")).to_have_count(0)
    expect(editor.stage("answer")).to_be_visible()


def test_delete_pressed_twice_at_once_deletes_once(editor: Editor) -> None:
    posted: list[str] = []
    editor.page.on("request", lambda sent: posted.append(sent.url.rsplit("/", 2)[-2]))
    editor.mouse.click(*editor.between("intake", "answer"))
    editor.page.evaluate(
        """() => {
            for (const _ of "12") {
                const key = new KeyboardEvent("keydown", { key: "Delete", bubbles: true });
                document.querySelector("#canvas").dispatchEvent(key);
            }
        }"""
    )
    expect(editor.edge("intake", "answer")).to_have_count(0)
    editor.keyboard.press("Control+z")
    expect(editor.edge("intake", "answer")).to_have_count(1)
    assert posted.count("delete") == 1


def test_escape_puts_a_dragged_stage_back_and_lets_go_of_a_pulled_edge(editor: Editor) -> None:
    before = editor.place("answer")
    x, y = editor.middle("answer")
    editor.mouse.move(x, y)
    editor.mouse.down()
    editor.mouse.move(x + 80, y + 80, steps=4)
    expect(editor.stage("answer")).to_have_attribute("data-moving", "")
    _frames_write_nothing_but_the_place(editor, "answer", (x + 80, y + 80))
    editor.keyboard.press("Delete")  # a dragged stage is not deleted
    editor.keyboard.press("Escape")
    editor.mouse.up()
    expect(editor.stage("answer")).not_to_have_attribute("data-moving", "")
    expect(editor.page.locator(".drag-layer")).to_have_count(0)
    expect(editor.edge("intake", "answer").locator(".line")).to_have_css("visibility", "visible")
    editor.stands("answer", before)
    assert editor.selected() == set(), "as before, and as the inspector says"

    editor.mouse.move(*editor.port("review"))
    editor.mouse.down()
    editor.mouse.move(*editor.middle("intake"), steps=4)
    expect(editor.page.locator(".ghost")).to_be_visible()
    editor.keyboard.press("Escape")
    editor.mouse.up()
    expect(editor.page.locator(".ghost")).to_be_hidden()
    expect(editor.page.locator("#announcer")).to_have_text("Nothing connected")
    editor.saved_as(1)


def _frames_write_nothing_but_the_place(
    editor: Editor, phase: str, at: tuple[float, float]
) -> None:
    """Check that a frame of a drag changes only the card, at a cost independent of the drawing.

    The edges of the card are drawn on the drag layer.
    """
    expect(editor.page.locator(".drag-layer")).to_be_visible()
    expect(editor.edge("intake", phase).locator(".line")).to_have_css("visibility", "hidden")
    editor.keyboard.down("Control")  # prevents snapping, which would show guides
    editor.mouse.move(at[0] + 4, at[1])
    expect(editor.page.locator(".guides")).to_have_attribute("d", "")
    editor.page.evaluate(_WATCH)
    before, written = editor.page.evaluate(_DRAWN), set()
    for step in range(1, 6):
        editor.mouse.move(at[0] + 8 * step, at[1])
        written |= {tuple(one) for one in editor.page.evaluate(_WRITTEN)}
    editor.keyboard.up("Control")
    assert written == {(f"stage-{phase}", "style")}
    assert editor.page.evaluate(_DRAWN) != before, "the edges go along"


_WATCH = """() => {
  window.written = [];
  const write = ({ target, type, attributeName }) => window.written.push([target.id, attributeName ?? type]);
  new MutationObserver(records => records.forEach(write)).observe(document.getElementById("canvas"), { subtree: true, childList: true, attributes: true });
}"""  # noqa: E501

_WRITTEN = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(window.written))))"""  # noqa: E501

_DRAWN = "() => document.querySelector('.drag-layer').toDataURL()"

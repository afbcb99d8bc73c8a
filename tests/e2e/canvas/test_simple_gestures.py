"""Simple gestures: pan, zoom and select; draw, move, connect and delete."""

import re

from playwright.sync_api import expect

from tests.e2e.canvas.creating import naming, picker
from tests.e2e.canvas.editor import Editor


def test_every_way_to_pan_zoom_and_select(editor: Editor) -> None:
    views = [editor.view()]

    def moved() -> None:
        expect(editor.page.locator(".viewport")).not_to_have_attribute(
            "style", re.compile(re.escape(views[-1]))
        )
        views.append(editor.view())

    x, y = editor.middle("intake")
    editor.mouse.move(x, y)
    editor.mouse.down(button="middle")
    editor.mouse.move(x + 30, y + 20, steps=3)
    editor.mouse.up(button="middle")
    moved()
    editor.mouse.wheel(30, 10)  # two fingers on a touchpad
    moved()
    editor.mouse.wheel(0, 10)
    moved()
    editor.keyboard.down("Control")  # as a pinch on a touchpad comes
    editor.mouse.wheel(0, -20)
    editor.keyboard.up("Control")
    moved()
    assert re.search(r"scale\((.*)\)", views[-1])[1] != "1"  # type: ignore[index]
    assert [editor.place(phase) for phase in ("intake", "answer")] == [(0, 0), (320, 0)]

    editor.keyboard.press("1")
    editor.stage("intake").click()
    editor.stage("review").click(modifiers=["Control"])
    assert editor.selected() == {"stage-intake", "stage-review"}
    editor.stage("review").click(modifiers=["Shift"])
    assert editor.selected() == {"stage-intake"}
    editor.saved_as(1)


def test_the_plain_hands_by_mouse_and_then_by_keys(editor: Editor) -> None:
    x, y = editor.middle("review")
    editor.drag((x, y), (x + 40, y + 30))
    editor.saved_as(2)
    assert editor.kept("review") == (360, 270)
    left, top = editor.middle("answer")
    editor.keyboard.down("Shift")
    editor.drag((left - 130, top - 80), (left, editor.middle("review")[1]))
    editor.keyboard.up("Shift")
    assert editor.selected() == {"stage-answer", "stage-review"}
    before = editor.view()
    editor.keyboard.down("Space")
    start = editor.middle("intake")
    editor.drag(start, (start[0] + 60, start[1]))
    editor.keyboard.up("Space")
    assert editor.view() != before
    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(editor.edge("answer", "review")).to_be_attached()
    editor.mouse.dblclick(start[0] + 60, start[1] + 220)
    expect(picker(editor)).to_be_visible()
    editor.keyboard.press("Enter")
    expect(naming(editor)).to_be_focused()
    editor.keyboard.press("Escape")
    expect(editor.stage("stage-1")).to_be_focused()
    editor.keyboard.press("Delete")
    expect(editor.stage("stage-1")).to_have_count(0)
    editor.saved_as(5)

    editor.stage("review").focus()
    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("Shift+ArrowDown")
    editor.saved_as(6)
    assert editor.kept("review") == (368, 302)
    editor.keyboard.press("Control+z")
    expect(editor.stage("review")).to_have_attribute("data-x", "360")
    editor.keyboard.press("Control+Shift+z")
    expect(editor.stage("review")).to_have_attribute("data-x", "368")
    editor.keyboard.press("Control+z")
    expect(editor.stage("review")).to_have_attribute("data-x", "360")
    editor.keyboard.press("Control+y")
    expect(editor.stage("review")).to_have_attribute("data-x", "368")
    editor.stage("intake").focus()
    editor.keyboard.press("Alt+ArrowRight")
    expect(editor.stage("answer")).to_be_focused()
    editor.keyboard.press("/")
    editor.keyboard.type("The Checker")  # at once, before the stage is there
    editor.keyboard.press("Enter")
    expect(editor.stage("the-checker")).to_be_focused()
    editor.keyboard.press("Control+a")
    several = editor.page.get_by_role("region", name="Selected parts")
    expect(several).to_contain_text("4 selected")
    expect(editor.page.get_by_label("Stage name")).to_be_hidden()
    expect(several.get_by_role("heading")).to_have_text(
        ["4 selected", "Arrange", "Edit", "Frame", "Select and show"]
    )
    several.get_by_role("button", name="Align left edges").click()
    expect(editor.page.locator("#announcer")).to_have_text("Aligned 4 stages")
    editor.stage("the-checker").click()
    expect(several).to_be_hidden()
    expect(editor.page.get_by_label("Stage name")).to_have_value("the-checker")
    scale = editor.page.locator(".zoom__scale")
    editor.keyboard.press("0")
    expect(scale).to_have_text("100 %")
    editor.keyboard.press("-")
    expect(scale).not_to_have_text("100 %")
    editor.keyboard.press("+")
    expect(scale).to_have_text("100 %")
    editor.keyboard.press("1")
    expect(editor.stage("intake")).to_be_in_viewport(ratio=0.99)

"""Notes and frames by mouse and keys: create, write, move, join, leave."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.boxes import box_of, middle_of
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console


def said(editor: Editor, text: str) -> None:
    expect(editor.page.locator("#announcer")).to_have_text(text)


def note(editor: Editor, key: str = "note-1") -> Locator:
    return editor.page.locator(f"#note-{key}")


def frame(editor: Editor, key: str = "frame-1") -> Locator:
    return editor.page.locator(f"#frame-{key}")


def writing(editor: Editor) -> Locator:
    return editor.page.locator(".writing").get_by_role("textbox")


def framed(editor: Editor) -> dict[str, list[str]]:
    layout = editor.definition()["layout"]
    return {one["id"]: one["stages"] for one in layout.get("frames", [])}


def test_a_note_is_added_written_moved_sized_and_coloured_by_mouse(editor: Editor) -> None:
    editor.page.get_by_role("button", name="Note", exact=True).click()
    expect(writing(editor)).to_be_focused()
    writing(editor).fill("Why <b>two</b>?\n\n  - safer")
    editor.page.locator("#inspector").click(position={"x": 200, "y": 5})
    expect(writing(editor)).to_have_count(0)
    assert note(editor).inner_text() == "Why <b>two</b>?\n\n  - safer"
    editor.saved_as(3)

    # It moves with a stage, as one edit.
    note(editor).click()
    editor.stage("review").click(modifiers=["Shift"])
    assert editor.selected() == {"note-note-1", "stage-review"}
    x, y = middle_of(note(editor))
    editor.drag((x, y), (x + 37, y + 23))
    editor.saved_as(4)
    editor.keyboard.press("Control+z")
    editor.saved_as(5)
    editor.stands("review", (320, 240))
    assert middle_of(note(editor)) == pytest.approx((x, y), abs=2)

    # Its edge makes it wider, and the inspector colours it.
    editor.mouse.click(5 + editor.middle("intake")[0], editor.middle("intake")[1] + 300)
    note(editor).click()
    box = box_of(note(editor))
    right = box["x"] + box["width"] - 1
    editor.drag((right, y), (right + 100, y))
    expect(note(editor)).to_have_attribute("data-width", "300")
    inspector = editor.page.locator("#inspector")
    inspector.get_by_role("radio", name="Blue").check()
    expect(note(editor)).to_have_attribute("data-hue", "260")
    expect(inspector.get_by_label("Text")).to_have_value(re.compile("safer"))

    inspector.get_by_role("button", name="Delete note").click()
    expect(note(editor)).to_have_count(0)
    expect(inspector.get_by_label("Name", exact=True)).to_be_visible()


def test_a_note_is_made_by_keys_and_a_refused_text_stays_typed(
    editor: Editor, console: Console
) -> None:
    console.allow("422")
    editor.canvas.focus()
    editor.keyboard.press("n")
    expect(writing(editor)).to_be_focused()
    editor.keyboard.insert_text("x" * 40_000)
    editor.keyboard.press("Control+Enter")
    refusal = editor.page.locator(".writing .field__error")
    expect(refusal).to_have_text("A note holds at most 32000 characters; this has 40000.")
    expect(refusal).to_be_in_viewport(ratio=0.99)
    expect(writing(editor)).to_have_value("x" * 40_000)
    writing(editor).fill("Ask legal.")
    editor.keyboard.press("Control+Enter")
    said(editor, "The note is saved")
    expect(note(editor)).to_be_focused()

    editor.keyboard.press("ArrowRight")
    editor.keyboard.press("ArrowRight")
    before = middle_of(note(editor))
    editor.saved_as(4)

    # Escape is done, and not away with it: undo takes it back.
    editor.keyboard.press("Enter")
    writing(editor).fill("Ask sales.")
    editor.keyboard.press("Escape")
    expect(note(editor)).to_have_text("Ask sales.")
    expect(note(editor)).to_be_focused()
    editor.keyboard.press("Control+z")
    expect(note(editor)).to_have_text("Ask legal.")
    editor.keyboard.press("Control+z")
    editor.saved_as(7)
    assert middle_of(note(editor))[0] == pytest.approx(before[0] - 16, abs=2)
    editor.keyboard.press("Delete")
    expect(note(editor)).to_have_count(0)
    said(editor, "Deleted a note")


def test_text_over_another_persons_text_stays_typed_and_unsaved(
    editor: Editor, console: Console
) -> None:
    console.allow("412")
    editor.canvas.focus()
    editor.keyboard.press("n")
    expect(writing(editor)).to_be_focused()
    writing(editor).fill("Mine")
    editor.page.locator("#gesture-write-note").evaluate(
        """(form, note) => {
          for (const [name, value] of Object.entries({ note, text: "Theirs", was: "" }))
            form.elements.namedItem(name).value = value;
          form.requestSubmit();
        }""",
        note(editor).get_attribute("data-note"),
    )
    expect(note(editor)).to_have_text("Theirs")
    editor.keyboard.press("Control+Enter")
    refusal = editor.page.locator(".writing .field__error")
    expect(refusal).to_contain_text("changed elsewhere since you began, so it is not saved.")
    expect(writing(editor)).to_have_value("Mine")
    sheet = editor.page.locator(".writing")
    expect(sheet).to_contain_text("It now says: “Theirs”")

    # Neither Escape nor turning to something else takes it away: only who wrote it does.
    editor.keyboard.press("Escape")
    editor.page.locator("#inspector").click(position={"x": 200, "y": 5})
    expect(writing(editor)).to_have_value("Mine")
    expect(refusal).to_be_visible()
    writing(editor).press("Escape")
    expect(sheet.get_by_role("button", name="Discard mine")).to_be_focused()
    editor.keyboard.press("Enter")
    expect(writing(editor)).to_have_count(0)
    expect(note(editor)).to_have_text("Theirs")


def test_stages_are_framed_renamed_joined_left_and_freed_by_key(editor: Editor) -> None:
    editor.stage("intake").focus()
    editor.keyboard.press("Space")
    expect(editor.stage("intake")).to_have_attribute("aria-current", "true")
    editor.stage("answer").focus()
    editor.keyboard.press("Shift+Space")
    expect(editor.stage("answer")).to_have_attribute("aria-current", "true")
    editor.keyboard.press("Control+Shift+z")
    said(editor, "Nothing to redo")
    editor.keyboard.press("Control+g")
    expect(writing(editor)).to_be_focused()
    head, field = box_of(frame(editor)), box_of(writing(editor))
    assert 0 <= field["x"] - head["x"] < 20, "it stands at the frame's head"
    assert 0 <= field["y"] - head["y"] < 20
    expect(writing(editor)).to_be_in_viewport(ratio=0.99)
    editor.keyboard.type("The desks")  # right after: its title is in edit at once
    editor.keyboard.press("Enter")
    said(editor, "Renamed the frame to The desks")
    expect(frame(editor)).to_be_focused()
    name = "Frame The desks, 2 stages: answer intake"
    expect(frame(editor)).to_have_attribute("aria-label", name)

    editor.keyboard.press("ArrowDown")
    editor.saved_as(4)
    editor.stands("intake", (0, 8))
    editor.stands("answer", (320, 8))

    editor.keyboard.press("Control+Shift+g")
    expect(frame(editor)).to_have_count(0)
    said(editor, "Removed the frame, kept the stages")
    assert editor.selected() == {"stage-intake", "stage-answer"}
    editor.keyboard.press("Control+z")
    expect(frame(editor)).to_be_visible()


def test_a_frame_is_dragged_by_its_title_and_joined_and_left_by_dragging(editor: Editor) -> None:
    editor.stage("intake").click()
    editor.stage("answer").click(modifiers=["Shift"])
    editor.keyboard.press("Control+g")
    expect(writing(editor)).to_be_focused()
    editor.keyboard.press("Escape")
    expect(frame(editor)).to_be_focused()
    title = frame(editor).locator(".frame__title")
    for stage in ("intake", "answer"):
        inner, outer = box_of(editor.stage(stage)), box_of(frame(editor))
        assert outer["x"] < inner["x"]
        assert outer["y"] + outer["height"] > inner["y"] + inner["height"]

    x, y = middle_of(title)
    editor.drag((x, y), (x - 20, y - 60))
    editor.saved_as(3)
    editor.stands("intake", (-20, -60))
    editor.stands("answer", (300, -60))
    editor.stands("review", (320, 240))

    # Dropped on the frame a stage joins it; with Alt it leaves; both with the move, as one edit.
    over = editor.middle("intake")
    editor.mouse.move(*editor.middle("review"))
    editor.mouse.down()
    editor.mouse.move(*over, steps=6)
    expect(frame(editor)).to_have_attribute("data-target", "")
    editor.mouse.up()
    editor.saved_as(4)
    assert framed(editor) == {"frame-1": ["answer", "intake", "review"]}
    x, y = editor.middle("review")
    editor.mouse.move(x, y)
    editor.mouse.down()
    editor.mouse.move(x, y + 40, steps=3)
    expect(editor.page.locator(".hint")).to_contain_text("takes it out")
    editor.page.mouse.click(x, y + 40, button="right")
    expect(editor.page.get_by_role("menu")).to_have_count(0)
    editor.keyboard.down("Alt")
    editor.mouse.move(x, y + 260, steps=6)
    editor.mouse.up()
    editor.keyboard.up("Alt")
    expect(editor.page.locator(".hint")).to_be_hidden()
    editor.saved_as(5)
    assert framed(editor) == {"frame-1": ["answer", "intake"]}

    # A double click on the title renames, and a stage that is deleted leaves.
    title.dblclick()
    writing(editor).fill("Desk")
    editor.keyboard.press("Enter")
    expect(title).to_have_text("Desk")
    editor.stage("intake").click()
    editor.keyboard.press("Delete")
    expect(frame(editor)).to_have_attribute("data-stages", "answer")
    editor.stage("answer").click()
    editor.keyboard.press("Delete")
    expect(frame(editor)).to_have_count(0)
    editor.keyboard.press("Control+z")
    expect(frame(editor)).to_be_visible()


def test_a_box_catches_notes_and_a_page_loaded_anew_draws_frames(editor: Editor) -> None:
    editor.canvas.focus()
    editor.keyboard.press("n")
    writing(editor).fill("Here.")
    editor.keyboard.press("Control+Enter")
    said(editor, "The note is saved")
    x, y = middle_of(note(editor))
    editor.keyboard.down("Shift")
    editor.drag((x - 150, y - 60), (x + 150, y + 40))
    editor.keyboard.up("Shift")
    assert "note-note-1" in editor.selected()

    editor.stage("review").click()
    expect(editor.page).to_have_url(re.compile("select=stage"))
    editor.keyboard.press("Control+g")
    expect(editor.page).to_have_url(re.compile("select=frame"))
    before = frame(editor).bounding_box()
    editor.page.reload()
    expect(frame(editor)).to_have_attribute("aria-current", "true")
    expect(frame(editor)).to_have_css("transform", re.compile("matrix"))
    assert frame(editor).bounding_box() == before

    # From where no stage can be told by its name, the frame still can.
    editor.canvas.focus()
    for _ in range(11):
        editor.keyboard.press("-")
    expect(editor.canvas).to_have_attribute("data-far", "colours")
    title = frame(editor).locator(".frame__title")
    box = box_of(title)
    assert box["height"] > 9
    expect(title).not_to_have_css("color", "rgba(0, 0, 0, 0)")
    editor.page.get_by_role("link", name="Rehearse").click()
    expect(frame(editor)).to_have_css("transform", re.compile("matrix"))
    expect(note(editor)).to_have_text("Here.")

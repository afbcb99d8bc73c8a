"""Commands about one part, notes at the pointer, and room in short transitions."""

from playwright.sync_api import Page, expect

from tests.e2e.boxes import box_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor


def choose(editor: Editor, title: str) -> None:
    editor.page.get_by_role("menuitem", name=title).click()


def test_the_menu_of_a_part_opens_its_fields_and_changes_its_part_in_the_pipeline(
    editor: Editor,
) -> None:
    page, inspector = editor.page, editor.page.locator("#inspector")
    answer = editor.stage("answer")
    answer.click(button="right")
    choose(editor, "Edit the agent")
    expect(inspector.get_by_label("Instructions")).to_be_focused()
    answer.click(button="right")
    choose(editor, "Change the agent")
    expect(inspector.get_by_label("Agent", exact=True)).to_be_focused()
    answer.click(button="right")
    choose(editor, "Make the stage the entry")
    expect(answer).to_have_attribute("data-entry", "")
    expect(editor.stage("intake")).not_to_have_attribute("data-entry", "")

    editor.mouse.click(*editor.between("intake", "answer"), button="right")
    choose(editor, "Make it a return")
    expect(editor.edge("intake", "answer")).to_have_attribute("data-kind", "return")
    editor.mouse.click(*editor.between("intake", "answer"), button="right")
    choose(editor, "Edit the condition of the transition")
    expect(page.get_by_label("When to take it")).to_be_focused()


def test_a_stage_in_a_short_transition_moves_the_stages_that_follow(editor: Editor) -> None:
    editor.edge("intake", "answer").focus()
    editor.keyboard.press("i")
    expect(editor.page.get_by_role("combobox", name="Part to create")).to_be_focused()
    editor.keyboard.type("Checker")
    editor.keyboard.press("Enter")
    expect(editor.edge("checker", "answer")).to_be_attached()
    editor.stands("checker", (272, 0))
    editor.stands("answer", (544, 0))
    editor.stands("review", (320, 240))
    editor.canvas.focus()
    editor.keyboard.press("Control+z")
    expect(editor.stage("checker")).to_have_count(0)
    editor.stands("answer", (320, 0))


def test_a_connected_stage_over_a_transition_has_a_hint_that_says_why_it_stays_out(
    page: Page,
) -> None:
    ends = [("intake", "answer"), ("answer", "review"), ("review", "last")]
    places = {"intake": (0, 0), "answer": (400, 0), "review": (0, 300), "last": (400, 300)}
    editor = draw(
        page,
        stages=[{"phase": phase, "agent_id": "agent-writer"} for phase in places],
        transitions=[{"source": source, "target": target} for source, target in ends],
        layout={"stages": {phase: {"x": x, "y": y} for phase, (x, y) in places.items()}},
    )
    expect(editor.canvas).to_have_attribute("data-routed", "")
    middle = editor.between("intake", "answer")
    editor.mouse.move(*editor.middle("last"))
    editor.mouse.down()
    editor.mouse.move(*middle, steps=6)
    expect(page.locator(".hint")).to_contain_text("Not inserted between intake and answer")
    editor.mouse.move(middle[0] + 40, middle[1] + 260, steps=3)
    editor.mouse.up()
    expect(editor.edge("intake", "answer")).to_be_attached()


def test_a_note_is_created_at_the_pointer_in_colour_and_escape_clears_a_selection(
    editor: Editor,
) -> None:
    page = editor.page
    x, y = editor.middle("intake")
    editor.canvas.focus()
    editor.mouse.move(x - 60, y + 200)
    editor.keyboard.press("n")
    editor.keyboard.type("Ask Ada")
    editor.keyboard.press("Escape")
    note = page.locator(".note")
    expect(note).to_have_text("Ask Ada")
    expect(note).to_have_attribute("data-hue", "95")
    box = box_of(note)
    assert abs(box["x"] - (x - 60)) < 2
    assert abs(box["y"] - (y + 200)) < 2

    editor.canvas.focus()
    editor.keyboard.press("Control+a")
    panel = page.get_by_role("region", name="Selected parts")
    expect(panel).to_contain_text("4 selected")
    panel.get_by_role("button").first.focus()
    editor.keyboard.press("Escape")
    assert editor.selected() == set()
    expect(panel).to_have_count(0)

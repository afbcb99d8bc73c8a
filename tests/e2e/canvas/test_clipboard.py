"""Copy, cut, paste and duplicate, with real keys and the browser's own clipboard."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.canvas.conftest import FILE, draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console

ALLOWED = ["clipboard-read", "clipboard-write"]


@pytest.fixture
def editor(open_page: Callable[..., Page]) -> Editor:
    """The editor, in a browser that lets pages use the clipboard."""
    return draw(open_page(permissions=ALLOWED))


def undo_says(editor: Editor, label: str) -> None:
    expect(editor.page.locator("#undo-button")).to_have_attribute("aria-label", f"Undo: {label}")


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_stages_go_through_the_clipboard_into_another_pipeline_in_another_tab(
    editor: Editor,
) -> None:
    editor.stage("intake").click()
    editor.stage("answer").click(modifiers=["Shift"])
    editor.keyboard.press("ControlOrMeta+c")
    expect(editor.page.locator("#announcer")).to_have_text("Copied")
    text = clipboard(editor.page)
    part = json.loads(text)
    assert [stage["phase"] for stage in part["stages"]] == ["answer", "intake"]
    assert part["entry"] == "intake"
    editor.page.get_by_role("link", name="Definition").click()
    editor.page.get_by_role("button", name="Copy all").click()
    expect(editor.page.locator("#notice")).to_contain_text("The whole definition")
    phases = {stage["phase"] for stage in json.loads(clipboard(editor.page))["stages"]}
    assert phases == {"intake", "answer", "review"}

    editor.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    other = draw(editor.page.context.new_page())
    other.page.bring_to_front()
    other.canvas.focus()
    other.mouse.move(*other.middle("review"))
    other.mouse.move(700, 150)
    other.keyboard.press("ControlOrMeta+v")
    expect(other.stage("intake-2")).to_be_visible()
    undo_says(other, "Paste 2 stages")
    expect(other.page.locator("#announcer")).to_have_text("Pasted 2 stages")
    assert other.selected() == {"stage-intake-2", "stage-answer-2"}
    expect(other.edge("intake-2", "answer-2")).to_be_attached()
    assert other.place("answer-2")[0] - other.place("intake-2")[0] == 320
    left, right = other.middle("intake-2"), other.middle("answer-2")
    assert abs((left[0] + right[0]) / 2 - 700) < 12
    assert [agent["id"] for agent in other.definition()["agents"]] == [
        "agent-triage",
        "agent-writer",
    ]
    other.keyboard.press("ControlOrMeta+v")
    expect(other.stage("intake-3")).to_be_visible()
    assert other.place("intake-3") != other.place("intake-2")
    other.keyboard.press("ControlOrMeta+z")
    other.keyboard.press("ControlOrMeta+z")
    expect(other.stage("intake-2")).to_have_count(0)


def test_cutting_and_duplicating_are_each_one_edit(editor: Editor) -> None:
    editor.stage("review").click()
    editor.keyboard.press("ControlOrMeta+d")
    expect(editor.stage("review-2")).to_be_visible()
    undo_says(editor, "Duplicate review")
    assert editor.selected() == {"stage-review-2"}
    assert editor.focused() == "stage-review-2"
    (x, y), (x2, y2) = editor.place("review"), editor.place("review-2")
    assert (x2 - x, y2 - y) == (0, 160)

    editor.keyboard.press("ControlOrMeta+x")
    expect(editor.stage("review-2")).to_have_count(0)
    undo_says(editor, "Cut review-2")
    assert '"review-2"' in clipboard(editor.page)
    editor.keyboard.press("ControlOrMeta+z")
    expect(editor.stage("review-2")).to_be_visible()

    # The same by mouse: from the menu of a stage, and from that of the paper.
    editor.stage("intake").click(button="right")
    editor.page.get_by_role("menuitem", name="Cut").click()
    expect(editor.stage("intake")).to_have_count(0)
    undo_says(editor, "Cut intake")
    editor.canvas.click(button="right", position={"x": 560, "y": 40})
    editor.page.get_by_role("menuitem", name="Paste").click()
    expect(editor.stage("intake")).to_be_visible()
    undo_says(editor, "Paste intake")
    assert editor.selected() == {"stage-intake"}


def test_a_foreign_clipboard_is_refused_and_fields_keep_their_paste(
    editor: Editor, console: Console
) -> None:
    console.allow("422")
    page, before = editor.page, editor.definition()
    notice = page.locator("#notice")
    for text, sentence in (
        ("a word or two", "The pasted text is not a pipeline. Paste"),
        ('{"name": "X", "stages": [{"phase": "Ü"}]}', "at $.stages[0].phase"),
        ("x" * (2 * 1024 * 1024 + 1), "larger than 2 MiB"),
    ):
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        editor.canvas.focus()
        page.keyboard.press("ControlOrMeta+v")
        expect(notice).to_contain_text(sentence)
    assert editor.definition() == before

    editor.stage("review").click()
    field = page.locator("#inspector").get_by_label("Stage name")
    expect(field).to_have_value("review")
    field.select_text()
    page.keyboard.press("ControlOrMeta+c")
    assert clipboard(page) == "review"
    page.keyboard.press("End")
    page.keyboard.press("ControlOrMeta+v")
    expect(field).to_have_value("reviewreview")
    page.keyboard.press("ControlOrMeta+d")
    assert editor.definition()["stages"] == before["stages"]
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("review")

    # A file out of a text editor is a pipeline all the same.
    file = json.dumps(FILE | {"name": "Elsewhere"}, indent=4)
    page.evaluate("text => navigator.clipboard.writeText(text)", file)
    editor.canvas.focus()
    page.keyboard.press("ControlOrMeta+v")
    expect(editor.stage("review-2")).to_be_visible()
    undo_says(editor, "Paste 3 stages")
    assert len(editor.selected()) == 3

"""The outline beside the canvas, in a real browser: each shows the changes of the other at once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console
from tests.e2e.held_requests import held
from tests.e2e.walkthrough import Keyboard


@pytest.mark.long
def test_the_outline_and_the_canvas_show_each_others_changes(editor: Editor) -> None:
    page = editor.page
    page.locator("#tab-outline").click()
    review, answer = page.locator("#outline-review"), page.locator("#outline-answer")
    review.get_by_role("checkbox").check()
    expect(editor.stage("review")).to_have_attribute("aria-current", "true")
    editor.stage("intake").click()
    expect(review.get_by_role("checkbox")).not_to_be_checked()
    expect(page.locator("#outline-intake").get_by_role("checkbox")).to_be_checked()

    editor.drag(editor.port("answer"), editor.middle("review"))
    expect(answer).to_contain_text("review")
    assert in_both_themes(page, "#bottom-panel") == []
    page.get_by_role("button", name="Delete the transition from answer to review").click()
    expect(editor.edge("answer", "review")).to_have_count(0)
    expect(answer).not_to_contain_text("review")

    page.get_by_role("button", name="Begin at answer").click()
    expect(editor.stage("answer").locator(".stage__entry")).to_be_visible()
    expect(page.locator("#outline-intake")).not_to_contain_text("entry")

    page.get_by_role("button", name="Delete stage review").click()
    expect(editor.stage("review")).to_have_count(0)
    expect(review).to_have_count(0)
    page.get_by_role("button", name="Undo: Delete stage review").click()
    expect(review).to_be_visible()
    expect(editor.stage("review")).to_be_visible()


@pytest.mark.long
def test_a_description_that_is_refused_stays_as_it_was_typed(
    editor: Editor, console: Console
) -> None:
    console.allow("422")
    page = editor.page
    page.locator("#tab-outline").click()
    expect(page.locator("#outline-answer")).to_be_in_viewport()  # the table comes first
    page.locator("#outline summary", has_text="Add a stage").click()
    form = page.locator("#outline-add")
    phase = form.get_by_label("Stage name")
    phase.fill("review")
    form.get_by_label("Served by").fill("Somebody")
    form.get_by_role("button", name="Add the stage").click()
    expect(phase).to_have_accessible_description("There is a stage “review” already.")
    expect(phase).to_have_attribute("aria-invalid", "true")
    expect(phase).to_be_focused()
    expect(phase).to_have_value("review")
    expect(form.get_by_label("Served by")).to_have_value("Somebody")
    assert in_both_themes(page, "#bottom-panel") == []
    expect(editor.stage("review")).to_have_count(1)
    form.get_by_label("Stage name").fill("another")
    form.get_by_role("button", name="Add the stage").click()
    expect(editor.stage("another")).to_contain_text("Somebody")
    expect(form.get_by_label("Stage name")).to_have_value("")
    expect(form.get_by_label("Stage name")).to_be_focused()
    expect(form.get_by_role("alert")).to_have_count(0)

    # A text typed before the answer arrives is kept.
    let_go = held(page, "describe/")
    with page.expect_request("**/describe/"):
        page.keyboard.type("one")
        page.keyboard.press("Enter")
    phase.fill("two")
    let_go()
    expect(editor.stage("one")).to_be_attached()
    expect(phase).to_have_value("two")

    # It is also kept after a change of tab; the text on the other tab survives a reload.
    page.locator("#tab-find").click()
    page.locator("#find-text").fill("Writer")
    page.locator("#find-by").fill("Author")
    page.locator("#tab-outline").click()
    expect(phase).to_be_visible()
    expect(phase).to_have_value("two")
    page.reload()
    page.locator("#tab-find").click()
    expect(page.locator("#find-text")).to_have_value("Writer")
    expect(page.locator("#find-by")).to_have_value("Author")
    expect(page.locator("#find-count")).to_contain_text("for “Writer”")


def test_a_box_ticked_before_the_scripts_load_counts_too(editor: Editor) -> None:
    page = editor.page
    let_go = held(page, "outline.*.js")
    page.locator("#tab-outline").click()
    page.locator("#outline-review").get_by_role("checkbox").check()
    expect(editor.stage("review")).not_to_have_attribute("aria-current", "true")
    let_go()
    expect(editor.stage("review")).to_have_attribute("aria-current", "true")


@pytest.mark.long
def test_each_gesture_of_the_canvas_works_by_keys_in_the_outline(
    open_page: Callable[..., Page],
) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    editor = draw(open_page(permissions=allowed))
    page, keyboard = editor.page, Keyboard(editor.page)
    outline, undo = page.locator("#outline"), page.locator("#undo-button")
    keyboard.press(page.locator("#tab-outline"))

    def unfold(title: str) -> None:
        keyboard.press(outline.locator("summary", has_text=title))

    def fill(form: str, *texts: str) -> None:
        keyboard.reach(page.locator(f"#outline-{form} input:not([type=hidden])").first)
        for text in texts:
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")

    def tick(phase: str) -> None:
        keyboard.reach(page.locator(f"#outline-{phase}").get_by_role("checkbox"))
        page.keyboard.press("Space")
        expect(editor.stage(phase)).to_have_attribute("aria-current", "true")

    def press(name: str, step: str) -> None:
        keyboard.press(outline.get_by_role("button", name=name, exact=True))
        expect(undo).to_have_attribute("aria-label", f"Undo: {step}")

    unfold("With the ticked stages")
    keyboard.press(outline.get_by_role("button", name="Duplicate"))
    expect(page.locator("#announcer")).to_have_text("Tick at least one stage first")
    unfold("Insert a stage")
    fill("insert", "review", "intake", "answer")
    expect(editor.edge("review", "answer")).to_be_attached()
    expect(page.locator("#outline-intake")).to_contain_text("review")
    unfold("Place a stage")
    fill("place", "review", "-72", "400")
    expect(editor.stage("review")).to_have_attribute("data-x", "-72")
    assert editor.kept("review") == (-72, 400)

    unfold("With the ticked stages")
    tick("review")
    press("Duplicate", "Duplicate review")
    expect(page.locator("#outline-review-2")).to_be_visible()
    assert editor.selected() == {"stage-review-2"}
    press("Cut", "Cut review-2")
    expect(page.locator("#outline-review-2")).to_have_count(0)
    unfold("In the whole pipeline")
    press("Paste", "Paste review-2")
    expect(page.locator("#outline-review-2")).to_be_visible()
    unfold("With the ticked stages")
    press("Delete and reconnect", "Delete stage review-2 and reconnect")
    tick("review")
    unfold("In the whole pipeline")
    press("Tidy", "Tidy 3 stages")

    # Frames and notes are edited in the inspector, but the outline keeps the focus.
    unfold("With the ticked stages")
    press("Frame", "Frame review")
    expect(page.locator("#announcer")).to_contain_text("Write its title in the inspector.")
    expect(outline.get_by_role("button", name="Frame", exact=True)).to_be_focused()
    expect(page.locator("#inspector").get_by_label("Title")).to_be_visible()
    assert in_both_themes(page, "#inspector") == []
    assert in_both_themes(page, "#bottom-panel") == []
    press("Unframe", "Delete a frame")
    expect(page.locator("#announcer")).to_contain_text("kept the stages")
    expect(outline.get_by_role("button", name="Unframe", exact=True)).to_be_focused()
    unfold("In the whole pipeline")
    press("Add a note", "Add a note")
    expect(page.locator("#announcer")).to_contain_text("Write it in the inspector.")
    expect(outline.get_by_role("button", name="Add a note", exact=True)).to_be_focused()
    expect(page.locator(".writing")).to_have_count(0)

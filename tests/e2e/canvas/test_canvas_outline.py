"""The outline beside the canvas, in a real browser: what one changes the other shows at once."""

from playwright.sync_api import expect

from tests.e2e.canvas.editor import Editor
from tests.e2e.conftest import Console
from tests.e2e.test_accessibility import violations


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
    assert violations(page) == []
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


def test_a_description_that_is_refused_stays_as_it_was_typed(
    editor: Editor, console: Console
) -> None:
    console.allow("422")
    page = editor.page
    page.locator("#tab-outline").click()
    form = page.locator("#outline-add")
    form.get_by_label("Phase").fill("review")
    form.get_by_label("Served by").fill("Somebody")
    form.get_by_role("button", name="Add the stage").click()
    expect(page.locator("#notice")).to_contain_text("There is a stage “review” already.")
    expect(form.get_by_label("Served by")).to_have_value("Somebody")
    expect(editor.stage("review")).to_have_count(1)
    form.get_by_label("Phase").fill("another")
    form.get_by_role("button", name="Add the stage").click()
    expect(editor.stage("another")).to_contain_text("Somebody")
    expect(form.get_by_label("Phase")).to_have_value("")
    expect(form.get_by_label("Phase")).to_be_focused()

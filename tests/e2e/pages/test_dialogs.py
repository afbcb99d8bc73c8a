"""Dialogs that ask for a name."""

from playwright.sync_api import Dialog, Page, expect

from tests.e2e.boxes import box_of
from tests.e2e.held_requests import held


def test_a_new_name_is_typed_over_the_old_one(page: Page) -> None:
    let_go = held(page, "js/core/page.*")
    page.goto("/", wait_until="commit")
    page.get_by_role("button", name="New pipeline").first.click()  # before the page is at work
    let_go()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.type("Support")
    page.keyboard.press("Enter")
    page.wait_for_url("**/pipelines/*/")
    page.goto("/")
    page.locator(".card summary").click()
    page.get_by_role("button", name="Rename…").click()
    page.keyboard.type("Refunds")
    page.keyboard.press("Enter")
    expect(page.locator("#pipelines .card__title")).to_have_text("Refunds")


def test_a_double_click_opens_a_dialog_and_leaves_it_open(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.dblclick()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    page.mouse.click(8, 8)
    expect(dialog).to_be_hidden()


def test_the_browser_asks_before_a_page_is_left_with_text_in_a_dialog(page: Page) -> None:
    asked: list[str] = []

    def leave(question: Dialog) -> None:
        asked.append(question.type)
        question.accept()

    page.goto("/")
    page.on("dialog", leave)
    page.get_by_role("button", name="New pipeline").first.click()
    page.reload()
    assert asked == []
    page.get_by_role("button", name="New pipeline").first.click()
    page.keyboard.type("Refunds")
    page.reload()
    assert asked == ["beforeunload"]


def test_a_menu_below_the_window_is_scrolled_into_it(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="New pipeline").first.click()
    page.keyboard.type("Support")
    page.keyboard.press("Enter")
    page.wait_for_url("**/pipelines/*/")
    page.goto("/")
    more = page.locator(".card summary")
    box = box_of(more)
    page.set_viewport_size({"width": 1440, "height": round(box["y"] + box["height"] + 20)})
    more.click()
    expect(page.get_by_role("button", name="Delete…")).to_be_in_viewport(ratio=0.99)

"""An answer or a module that comes late takes the focus from no field."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.canvas.conftest import draw
from tests.e2e.held_requests import held


def test_the_tab_find_leaves_the_focus_in_the_field_that_is_used(page: Page) -> None:
    draw(page)
    let_go = held(page, "search.*.js")
    with page.expect_request("**/search.*.js"):
        page.locator("#tab-find").click()
    page.get_by_label("Find", exact=True).fill("Writer")
    page.get_by_label("Replace with").focus()
    with page.expect_response("**/search.*.js"):
        let_go()
    expect(page.locator("[data-module=search]")).to_be_visible()
    page.evaluate("import('/static/js/editor/panels/search.js')")
    page.keyboard.type("Author")
    expect(page.get_by_label("Replace with")).to_have_value("Author")
    expect(page.get_by_label("Find", exact=True)).to_have_value("Writer")


def test_a_search_result_leaves_the_focus_in_the_field_that_is_used(page: Page) -> None:
    draw(page)
    page.locator("#tab-find").click()
    page.get_by_label("Find", exact=True).fill("Writer")
    let_go = held(page, "inspect/")
    with page.expect_request("**/inspect/**"):
        page.locator("#found [data-found]").first.click()
    page.get_by_label("Replace with").focus()
    let_go()
    expect(
        page.locator("#inspector").get_by_role("textbox", name="Name", exact=True)
    ).to_have_value("Writer")
    expect(page.get_by_label("Replace with")).to_be_focused()


FRAME = {"id": "frame-1", "title": "Desk", "stages": ["answer"]}


@pytest.mark.parametrize(("keys", "path"), [("Control+x", "cut/"), ("Control+Shift+g", "delete/")])
def test_a_finished_command_leaves_the_focus_in_the_field_that_is_used(
    page: Page, keys: str, path: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    editor = draw(page, layout={"frames": [FRAME]})
    page.locator("#tab-find").click()
    field = page.get_by_label("Find", exact=True)
    expect(field).to_be_focused()
    editor.stage("answer").click()
    let_go = held(page, path)
    with page.expect_request(f"**/{path}"):
        editor.keyboard.press(keys)
    field.focus()
    with page.expect_response(f"**/{path}"):
        let_go()
    expect(page.locator("#version-chip")).to_contain_text("v2")
    expect(field).to_be_focused()

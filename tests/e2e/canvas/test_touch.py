"""The editor under a finger: menu, inspector, connecting, and the size of targets."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor

PHONE = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}

SMALL_TARGETS = """() => {
  const fields = 'input:not([type=hidden]), select, textarea';
  const hasLabel = (control) => control.matches('[type=checkbox], [type=radio]');
  return [...document.querySelectorAll(`button:not(.port), a[href], summary, ${fields}`)]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }))
    .filter((control) => !control.matches('p a'))
    .map((control) => (hasLabel(control) && control.closest('label')) || control)
    .filter((target) => {
      const { width, height } = target.getBoundingClientRect();
      const least = target.closest('li, td, tr, fieldset') ? 24 : 44;
      return width > 0 && Math.min(width, height) < least - 0.5;
    })
    .map((target) => target.outerHTML.slice(0, 120));
}"""


@pytest.fixture
def phone(open_page: Callable[..., Page]) -> Editor:
    """The editor of the small pipeline on a phone."""
    return draw(open_page(**PHONE))


def test_a_finger_opens_the_menu_and_the_inspector_and_connects_stages(phone: Editor) -> None:
    editor, page = phone, phone.page
    menu, sheet = page.get_by_role("menu"), page.locator("#inspector")
    title = page.locator("#pipeline-name")
    assert title.evaluate("name => name.scrollWidth <= name.clientWidth"), "it is not cut off"
    expect(page.locator(".top .crumb a")).to_be_hidden()
    hold(editor, "answer")
    expect(menu).to_have_accessible_name("Stage answer")
    _lift_over(menu.get_by_role("menuitem").first)
    expect(menu).to_be_visible()
    menu.get_by_role("menuitem", name="Connect").first.tap()

    hint = page.locator(".hint")
    expect(hint).to_contain_text("Connecting from answer: choose a stage.")
    hint.locator("button").tap()
    expect(hint).to_be_hidden()

    hold(editor, "answer")
    menu.get_by_role("menuitem", name="Connect").first.tap()
    editor.stage("review").tap()
    expect(editor.edge("answer", "review")).to_be_attached()

    page.locator('.sheets button[data-sheet=""]').tap()
    editor.stage("intake").tap()
    expect(sheet.get_by_role("link", name="Handoffs")).to_be_visible()
    assert small_targets(page) == []
    for name in ("left", "bottom"):
        page.locator(f'.sheets button[data-sheet="{name}"]').tap()
        expect(page.locator(f".workbench > .{name}")).to_be_in_viewport()
        assert small_targets(page) == []


def test_other_pages_have_targets_for_a_finger(phone: Editor) -> None:
    page = phone.page
    for path in ("rehearse/", "/", "/connections/", "/connections/add/", "/inbox/"):
        page.goto(path if path.startswith("/") else f"{page.url}{path}")
        expect(page.get_by_role("banner").or_(page.locator(".top")).first).to_be_visible()
        assert small_targets(page) == [], path


def small_targets(page: Page) -> Any:
    """Return the visible controls with less than 44 px, or less than 24 px in a row of a list.

    Links inside a sentence are exempt (WCAG 2.2, 2.5.8: inline targets).
    """
    return page.evaluate(SMALL_TARGETS)


def hold(editor: Editor, phase: str) -> None:
    """Hold a finger on a stage until its menu opens, and lift it."""
    touch = editor.page.context.new_cdp_session(editor.page)
    x, y = editor.middle(phase)
    start = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    touch.send("Input.dispatchTouchEvent", start)
    expect(editor.page.get_by_role("menu")).to_be_visible()
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def _lift_over(item: Locator) -> None:
    """Click as some browsers do when the finger that opened the menu is lifted over it."""
    item.dispatch_event("click", {"detail": 1})

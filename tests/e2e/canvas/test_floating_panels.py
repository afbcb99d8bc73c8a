"""The canvas is the page: panels float over it, and the drawing stays where it is."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.boxes import box_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor

# Every stage has an agent, and there are no problems.
SERVED: dict[str, Any] = {
    "stages": [
        {"phase": "intake", "agent_id": "agent-triage"},
        {"phase": "answer", "agent_id": "agent-writer"},
        {"phase": "review", "agent_id": "agent-writer"},
    ],
    "transitions": [
        {"source": "intake", "target": "answer"},
        {"source": "answer", "target": "review"},
    ],
}

_COVERED = """() => [...document.querySelectorAll(".top, .left, .right, .bottom")]
  .map(element => element.getBoundingClientRect())
  .reduce((sum, box) => sum + box.width * box.height, 0) / (innerWidth * innerHeight)"""


def test_panels_float_and_the_drawing_stays_when_one_of_them_changes(page: Page) -> None:
    editor = draw(page, **SERVED)
    inspector, bar = page.locator("#inspector"), page.locator("#bottom-panel")
    editor.stage("answer").click()
    page.get_by_role("link", name="Agent", exact=True).click()
    expect(inspector.get_by_label("Instructions")).to_be_visible()
    left, right, low = (
        page.locator(f"#{name}").bounding_box()
        for name in ("agents-panel", "inspector", "bottom-panel")
    )
    assert left
    assert right
    assert low
    assert (left["width"], right["width"], low["height"]) == (200, 320, 36)
    assert page.evaluate(_COVERED) <= 0.3
    assert editor.canvas.bounding_box() == {"x": 0, "y": 52, "width": 1440, "height": 848}
    for phase in ("intake", "answer", "review"):
        x, y = editor.middle(phase)
        assert left["x"] + left["width"] < x < right["x"]
        assert y < low["y"]

    view = editor.view()
    page.get_by_role("link", name="Outline").click()
    expect(bar.get_by_role("table")).to_be_visible()
    page.get_by_role("button", name="Inspector", exact=True).click()
    expect(inspector).to_be_hidden()
    page.get_by_role("button", name="Inspector", exact=True).click()
    sash = page.get_by_role("separator", name="Width of the inspector")
    sash.hover()
    sash.focus()
    expect(sash).to_have_attribute("aria-valuetext", "320 pixels")
    editor.keyboard.press("ArrowLeft")
    expect(sash).to_have_attribute("aria-valuenow", "344")
    page.get_by_role("button", name="Left panel", exact=True).click()
    expect(page.locator("#agents")).to_be_hidden()
    assert editor.view() == view

    page.reload()
    expect(editor.canvas).to_have_attribute("data-ready", "")
    expect(page.locator("#agents")).to_be_hidden()
    expect(sash).to_have_attribute("aria-valuenow", "344")
    assert editor.view() == view


def test_going_to_a_stage_zooms_to_it_and_a_button_returns_to_the_drawing(page: Page) -> None:
    phases = [f"s{n}" for n in range(40)]
    places = {phase: {"x": 400 * n, "y": 0} for n, phase in enumerate(phases)}
    file = {"stages": [{"phase": phase} for phase in phases], "entry": "s0", "transitions": []}
    editor = draw(page, **file, layout={"stages": places})
    button = page.get_by_role("button", name="Return to the drawing")
    expect(editor.canvas).to_have_attribute("data-routed", "")
    expect(button).to_be_hidden()
    editor.keyboard.press("Control+k")
    editor.keyboard.type("s33")
    editor.keyboard.press("Enter")
    expect(page.locator(".zoom__scale")).to_have_text("90 %")
    expect(editor.stage("s33")).to_be_in_viewport(ratio=0.99)
    expect(editor.stage("s33")).to_be_focused()

    editor.mouse.move(700, 500)
    editor.mouse.wheel(0, 5000)
    button.click()
    for phase in ("s0", "s39"):
        expect(editor.stage(phase)).to_be_in_viewport(ratio=0.99)
    expect(button).to_be_hidden()


def test_the_bar_on_top_names_its_icons_and_has_an_account_menu(editor: Editor) -> None:
    bar = editor.page.locator(".top")
    for label in ("Inbox", "Connections", "Share"):
        expect(bar.get_by_text(label, exact=True)).to_be_visible()
    modes, undo = bar.locator(".modes"), bar.locator("#undo-buttons")
    for width in (1920, 1440, 1280, 1024):
        editor.page.set_viewport_size({"width": width, "height": 900})
        left, right = box_of(modes), box_of(undo)
        assert left["x"] + left["width"] <= right["x"], f"they do not overlap at {width}"
    expect(bar.get_by_role("button", name="Sign out")).to_be_hidden()
    bar.get_by_label("Account: ").click()
    expect(bar.get_by_role("button", name="Sign out")).to_be_visible()
    expect(bar.get_by_role("button", name="Switch between light and dark")).to_be_visible()

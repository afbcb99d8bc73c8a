"""Presses in the editor while a field is saved, or while another part is about to be shown."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.canvas.conftest import draw
from tests.e2e.held_requests import held
from tests.e2e.navigation import ONE_STAGE, bring_in, open_one_stage
from tests.e2e.waits import wait_until

# A module's response comes before its code: importing it once more waits for that.
LOADED = """async () => {
  const files = performance.getEntriesByType("resource").map(({ name }) => name);
  const guard = files.find((name) => /\\/unsaved-form\\./.test(name));
  if (guard) await import(guard);
  return Boolean(guard);
}"""
SHOWN = "#inspector-state [name=select]"


@pytest.fixture
def editor(page: Page) -> Page:
    """A pipeline with one stage, which is selected."""
    return open_one_stage(page)


def test_a_tab_pressed_before_the_selected_part_is_shown_is_the_tab_of_that_part(
    page: Page,
) -> None:
    two = ONE_STAGE | {
        "agents": [{"id": "clerk", "name": "Clerk"}, {"id": "judge", "name": "Judge"}],
        "stages": [{"phase": "stage-1", "agent_id": "clerk"}, {"phase": "b", "agent_id": "judge"}],
    }
    page.goto(bring_in(page, two) + "?select=stage:stage-1")
    page.locator("#canvas[data-ready]").wait_for()
    let_go = held(page, "inspect/?*")
    with page.expect_request("**/inspect/?*"):
        page.locator("#stage-b").click()
    page.locator("#tab-agent").click()
    let_go()
    expect(page.locator(SHOWN)).to_have_value("stage:b")
    expect(page.locator("#tab-agent")).to_have_attribute("aria-current", "true")
    expect(page.locator("#inspector").get_by_label("Name", exact=True)).to_have_value("Judge")
    expect(page.locator("#stage-b")).to_have_attribute("aria-current", "true")

    # The other way round: the part that was selected last is shown.
    let_go = held(page, "inspect/?*tab=handoffs*")
    with page.expect_request("**/inspect/?*tab=handoffs*"):
        page.locator("#tab-handoffs").click()
    page.locator("#stage-stage-1").click()
    expect(page.locator(SHOWN)).to_have_value("stage:stage-1")
    let_go()
    expect(page.locator("#tab-agent")).to_have_attribute("aria-current", "true")
    expect(page.locator(SHOWN)).to_have_value("stage:stage-1")


def test_a_press_saves_the_field_before_once_it_is_released(editor: Page) -> None:
    sent: list[str] = []
    editor.on("request", lambda request: sent.append(urlsplit(request.url).path))
    editor.get_by_label("Description").fill("Asks what it is")
    wait_until(editor, LOADED)  # with the first focus
    editor.locator("#tab-handoffs").hover()
    editor.mouse.down()  # the answer would replace the tab before it is released
    editor.evaluate("() => new Promise(requestAnimationFrame)")
    assert not any(path.endswith("/stages/update/") for path in sent)
    with editor.expect_response("**/stages/update/"):
        editor.mouse.up()
    expect(editor.locator("#tab-handoffs")).to_have_attribute("aria-current", "true")

    # A link moves without missing its press.
    moved = editor.get_by_role("link", name="Versions").first
    moved.hover()
    editor.mouse.down()
    moved.evaluate("link => (link.style.translate = '0 300px')")
    with editor.expect_navigation():
        editor.mouse.up()


def test_a_link_waits_for_the_save_that_its_press_begins(open_page: Callable[..., Page]) -> None:
    phone = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    editor = open_one_stage(phone)
    path = urlsplit(editor.url).path
    description = editor.get_by_label("Description")
    if not description.is_visible():
        editor.locator("#stage-stage-1").tap()
    description.fill("Asks what it is")
    wait_until(editor, LOADED)  # with the first focus
    let_go = held(editor, "stages/update/")
    with editor.expect_request("**/stages/update/"):
        editor.get_by_role("link", name="Versions").first.tap()
    editor.evaluate("() => new Promise(requestAnimationFrame)")
    assert urlsplit(editor.url).path == path
    let_go()
    expect(editor).to_have_url(re.compile(f"{path}versions/"))
    editor.goto(path + "?select=stage:stage-1")
    expect(description).to_have_value("Asks what it is")
    expect(editor.locator("#notice")).to_be_empty()  # nothing was left to restore


def test_a_link_waits_for_a_save_that_waits_for_another_request(editor: Page) -> None:
    path = urlsplit(editor.url).path
    description = editor.get_by_label("Description")
    let_go = held(editor, "preview/stage/")
    with editor.expect_request("**/preview/stage/"):
        description.fill("Asks what it is")
    wait_until(editor, LOADED)
    editor.get_by_role("link", name="Versions").first.click()
    editor.evaluate("() => new Promise(requestAnimationFrame)")
    assert urlsplit(editor.url).path == path
    with editor.expect_request("**/stages/update/"):
        let_go()
    expect(editor).to_have_url(re.compile(f"{path}versions/"))
    editor.goto(path + "?select=stage:stage-1")
    expect(description).to_have_value("Asks what it is")
    expect(editor.locator("#notice")).to_be_empty()


@pytest.mark.parametrize("renamed", ["agent", "stage"])
@pytest.mark.parametrize("pressed", ["agent", "stage"])
def test_a_press_that_leaves_the_new_name_of_a_part_selects_another(
    page: Page, renamed: str, pressed: str
) -> None:
    editor = draw(page)
    agents, inspector = page.locator("#agents"), page.locator("#inspector")
    if renamed == "agent":
        agents.get_by_role("button", name="Triage").click()
        name = inspector.get_by_label("Name", exact=True)
        expect(name).to_have_value("Triage")
    else:
        editor.stage("intake").click()
        name = inspector.get_by_label("Stage name")
        expect(name).to_have_value("intake")
    name.fill("Front desk")
    if pressed == "agent":
        agents.get_by_role("button", name="Writer").click()
        expect(inspector.get_by_label("Name", exact=True)).to_have_value("Writer")
    else:
        editor.stage("answer").click()
        expect(inspector.get_by_label("Stage name")).to_have_value("answer")
    shown = agents.get_by_text("Front desk") if renamed == "agent" else editor.stage("front-desk")
    expect(shown).to_be_visible()
    wait_until(page, "() => !document.querySelector('.htmx-request')")
    wanted = "agent:agent-writer" if pressed == "agent" else "stage:answer"
    expect(inspector.locator("[name=select]")).to_have_value(wanted)
    expect(page).to_have_url(re.compile(f"select={wanted}"))

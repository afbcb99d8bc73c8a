"""The checklist for the first pipeline, in a browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_themes
from tests.e2e.boxes import box_of
from tests.e2e.navigation import bring_in
from tests.e2e.stored import change_rows
from tests.serving import BatonServer

EMPTY = {"format": "baton.pipeline", "version": 1, "name": "First"}
LINES = """button => {
  const title = document.createRange();
  title.selectNodeContents(button.firstChild);
  return title.getClientRects().length;
}"""
REOPEN = """
DELETE FROM designer_checklist WHERE user_id = (SELECT id FROM auth_user WHERE username = ?)
"""


@pytest.mark.long
def test_each_item_of_the_checklist_leads_to_its_task(
    open_page: Callable[..., Page], server: BatonServer
) -> None:
    change_rows(server, REOPEN, server.username)
    page = open_page()
    page.goto(bring_in(page, EMPTY))
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    checklist = page.get_by_role("region", name="Your first pipeline")
    done = checklist.locator("li[data-done]")
    empty = page.locator("#canvas .canvas__empty")
    expect(empty.get_by_role("img")).to_be_visible()
    assert empty.evaluate("box => box.innerText.trim()") == "Add the first stage"
    assert in_both_themes(page) == []

    # On a phone it is one line above the drawing, which opens with a tap and folds with an item.
    size = page.viewport_size
    assert size
    page.set_viewport_size({"width": 390, "height": 844})
    draw = checklist.get_by_role("button", name="Draw")
    expect(draw).to_be_hidden()
    folded = box_of(checklist)
    assert folded["height"] <= 48
    undo, bar = box_of(page.locator("#undo-buttons")), box_of(page.locator(".top"))
    assert bar["height"] <= 120, "two rows: the name, and the modes"
    assert bar["height"] <= min(folded["y"], undo["y"])
    assert folded["x"] + folded["width"] <= undo["x"]
    fold = checklist.get_by_role("button", name="Your first pipeline")
    assert fold.evaluate(LINES) == 1
    fold.click()
    expect(draw).to_be_visible()
    assert in_both_themes(page) == []
    fold.click()
    expect(draw).to_be_hidden()
    page.set_viewport_size(size)

    checklist.get_by_role("button", name="Draw").click()
    expect(page.get_by_role("combobox", name="Part to create")).to_be_focused()
    page.keyboard.type("Clerk")
    page.keyboard.press("Enter")
    expect(page.locator("#stage-clerk")).to_be_visible()
    checklist.get_by_role("button", name="Draw").click()
    expect(page.locator(".hint")).to_contain_text("Connecting from clerk")
    page.keyboard.press("a")
    expect(page.get_by_role("combobox", name="Part to create")).to_be_focused()
    page.keyboard.type("Judge")
    page.keyboard.press("Enter")
    expect(done).to_have_count(1)
    page.keyboard.press("Escape")
    item = checklist.get_by_role("button", name="Instruct")
    expect(item).to_have_attribute("data-keys", "agent-clerk agent-judge")
    for agent in ("Clerk", "Judge"):
        item.click()  # at once after the agent before, whose instructions are saved now
        field = page.get_by_label("Instructions")
        expect(field).to_be_focused()
        expect(field).to_have_value("")
        page.keyboard.type(f"You are the {agent}.")
    field.press("Tab")
    expect(done).to_have_count(2)
    assert in_both_themes(page) == []

    checklist.get_by_role("link", name="Rehearse").click()
    page.get_by_label("Message as the customer").fill("Hello")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".said-by-user").last).to_contain_text("Hello")
    page.get_by_role("link", name="Design").click()
    expect(done).to_have_count(3)
    with page.expect_download():
        checklist.get_by_role("link", name="Take away").click()
    expect(checklist).to_have_count(0)
    page.reload()
    expect(page.locator("#canvas[data-ready]")).to_be_visible()
    expect(checklist).to_have_count(0)


def test_a_message_in_the_drawer_completes_its_item_at_once(
    open_page: Callable[..., Page], server: BatonServer
) -> None:
    change_rows(server, REOPEN, server.username)
    page = open_page()
    agent = {"id": "agent-clerk", "name": "Clerk"}
    stage = {"phase": "clerk", "agent_id": "agent-clerk"}
    page.goto(bring_in(page, EMPTY | {"agents": [agent], "stages": [stage], "entry": "clerk"}))
    rehearse = page.locator("#checklist li").filter(has_text="Rehearse")
    expect(rehearse).not_to_have_attribute("data-done", "")
    page.get_by_role("button", name="Rehearse from here").click()
    chat = page.frame_locator("#rehearsal-drawer-frame")
    chat.get_by_label("Message as the customer").fill("Hello")
    chat.get_by_role("button", name="Send").click()
    expect(rehearse).to_have_attribute("data-done", "")

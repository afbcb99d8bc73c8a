"""Lists to pick from in the inspector, where there is more to pick than a page begins with."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.canvas.conftest import draw

AGENT = {"id": "agent-triage", "name": "Triage"}
STAGES = [{"phase": f"stage-{n}", "agent_id": AGENT["id"]} for n in range(60)]


def test_a_far_stage_is_picked_by_key_and_by_hand(page: Page) -> None:
    editor = draw(
        page,
        agents=[AGENT],
        stages=STAGES,
        transitions=[{"source": "stage-0", "target": "stage-1"}],
        entry="stage-0",
        layout={"stages": {f"stage-{n}": {"x": n % 8 * 300, "y": n // 8 * 160} for n in range(60)}},
    )
    page.goto(re.sub(r"\?.*", "", page.url) + "?select=stage:stage-0")
    onward = page.get_by_label("Next stage", exact=True)
    expect(onward.locator("option")).to_have_count(2)
    page.locator("#inspector").get_by_label("Agent", exact=True).focus()
    editor.keyboard.press("Tab")  # to the head of the section
    editor.keyboard.press("Tab")
    expect(onward).to_be_focused()
    expect(onward.locator("option")).to_have_count(61)
    expect(onward).to_have_value("stage-1")
    editor.keyboard.type("stage-57")
    expect(onward).to_have_value("stage-57")
    editor.keyboard.press("ArrowUp")
    expect(onward).to_have_value("stage-56")
    expect(editor.edge("stage-0", "stage-56")).to_be_attached()
    expect(onward).to_be_focused()
    expect(onward.locator("option")).to_have_count(61)

    back = page.get_by_label("Add a branch or return")
    expect(back.locator("option")).to_have_count(1)
    back.click()
    back.select_option("stage-40")
    expect(editor.edge("stage-0", "stage-40")).to_be_attached()
    expect(page.get_by_role("checkbox", name="stage-40")).to_be_checked()
    expect(onward).to_have_value("stage-56")

"""Names stay readable and transitions can be drawn at every zoom from 30 %."""

import re
from itertools import combinations
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.boxes import box_of
from tests.e2e.canvas.conftest import draw
from tests.e2e.canvas.editor import Editor

PLACES = {
    "intake": (0, 0),
    "complaints-desk": (320, 0),
    "review": (640, 0),
    "billing": (320, 200),
    "resolution": (640, 200),
}
FILE: dict[str, Any] = {
    "agents": [
        {"id": "agent-triage", "name": "Front desk", "tools": ["lookup_order"], "model": "gpt-4.1"},
        {"id": "agent-writer", "name": "Writer"},
    ],
    "tools": [{"name": "lookup_order", "description": "Finds an order."}],
    "stages": [
        {"phase": phase, "agent_id": "agent-writer" if at else "agent-triage"}
        for at, phase in enumerate(PLACES)
    ],
    "transitions": [
        {
            "source": "intake",
            "target": "complaints-desk",
            "description": "When the customer is angry about the last answer",
        },
        {"source": "intake", "target": "billing", "kind": "return"},
        {"source": "complaints-desk", "target": "review", "description": "a refund is proposed"},
        {"source": "billing", "target": "resolution"},
        {"source": "resolution", "target": "intake", "kind": "return", "description": "more"},
        {"source": "review", "target": "billing", "kind": "return", "description": "is missing"},
    ],
    "rules": [{"id": "vip", "agent_id": "agent-triage", "priority": 1}],
    "layout": {
        "stages": {phase: {"x": x, "y": y} for phase, (x, y) in PLACES.items()},
        "notes": [{"id": "note-1", "text": "Ask Ada about refunds first.", "x": 0, "y": 300}],
        "frames": [{"id": "frame-1", "title": "Desks", "stages": ["review", "resolution"]}],
    },
}

# The smallest text that is shown on the canvas, in pixels of the screen.
_SMALLEST = """() => {
  const scale = new DOMMatrix(getComputedStyle(document.querySelector(".viewport")).transform).a;
  const drawing = document.querySelector(".viewport");
  const walker = document.createTreeWalker(drawing, NodeFilter.SHOW_TEXT);
  const sizes = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const style = getComputedStyle(element);
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest("title") || style.color === "rgba(0, 0, 0, 0)") continue;
    const own = element instanceof SVGElement ? element.getScreenCTM().a : scale;
    sizes.push([parseFloat(style.fontSize) * own, walker.currentNode.textContent]);
  }
  return sizes.sort((a, b) => a[0] - b[0])[0];
}"""

_ZOOM_OUT = """by => document.getElementById("canvas").dispatchEvent(new WheelEvent("wheel", {
  deltaY: Math.log(by) * 180, ctrlKey: true, cancelable: true, clientX: 700, clientY: 400
}))"""


def zoom_to(editor: Editor, percent: int) -> None:
    editor.canvas.focus()
    editor.keyboard.press("0")
    scale = editor.page.locator(".zoom__scale")
    while int(scale.inner_text().split()[0]) / 1.2 >= percent - 1:
        before = scale.inner_text()
        editor.keyboard.press("-")
        expect(scale).not_to_have_text(before)
    ratio = int(scale.inner_text().split()[0]) / percent
    if ratio > 1:
        editor.mouse.move(*editor.middle("complaints-desk"))
        editor.page.evaluate(
            _ZOOM_OUT,
            ratio,
        )
    editor.keyboard.press("Escape")
    editor.mouse.move(620, 800)
    expect(editor.canvas).to_have_attribute("data-routed", "")


def boxes(locator: Locator) -> list[dict[str, float]]:
    found = [one.bounding_box() for one in locator.all() if one.is_visible()]
    return [
        {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}
        for box in found
        if box
    ]


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    return (
        one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    )


@pytest.mark.long
def test_names_are_readable_and_labels_clear_at_every_zoom_from_thirty_percent(page: Page) -> None:
    editor = draw(page, **FILE)
    names, agents = page.locator(".stage__phase"), page.locator(".stage__agent")
    labels, cards = page.locator(".label > rect"), page.locator(".stage")
    expect(editor.label("intake", "billing")).to_have_text("branch")
    expect(editor.label("billing", "resolution")).to_have_text("next")
    expect(editor.label("intake", "complaints-desk")).to_have_text("customer is angry about…")
    expect(editor.stage("intake")).to_contain_text("lookup_order")
    expect(editor.stage("review")).not_to_contain_text("default")
    expect(editor.stage("intake").locator(".stage__rules")).to_have_text("rule vip")
    for percent in (100, 75, 60, 50, 42, 30):
        zoom_to(editor, percent)
        size, text = page.evaluate(_SMALLEST)
        assert size >= 10.95, f"{text} at {percent} %"
        for name in names.all():
            expect(name).to_be_visible()
        expect(agents.first).to_be_visible(visible=percent >= 42)
        shown = boxes(labels)
        assert bool(shown) == (percent >= 50)
        assert not any(overlap(one, other) for one, other in combinations(shown, 2))
        assert not any(overlap(label, card) for label in shown for card in boxes(cards))


def test_transitions_are_labelled_on_hover_and_drawn_at_thirty_percent(page: Page) -> None:
    editor = draw(page, **FILE)
    for percent in (45, 30):
        zoom_to(editor, percent)
        label = editor.label("complaints-desk", "review")
        expect(label).to_be_hidden()
        page.mouse.move(*editor.between("complaints-desk", "review"))
        expect(label).to_be_visible()
        expect(label).to_have_text("a refund is proposed")
        assert page.evaluate(_SMALLEST)[0] >= 10.95

    port = editor.stage("billing").locator(".port")
    expect(port).to_have_css("opacity", "0")
    start = editor.port("billing")
    expect(port).to_have_css("opacity", "1")
    box = box_of(port)
    assert min(box["width"], box["height"]) >= 21
    editor.drag(start, editor.middle("review"))
    expect(editor.edge("billing", "review")).to_have_attribute("aria-current", "true")
    condition = page.locator("#inspector").get_by_label("When to take it")
    expect(condition).to_be_focused()
    editor.keyboard.type("the bill is unclear")
    editor.keyboard.press("Tab")
    expect(editor.label("billing", "review")).to_have_text("the bill is unclear")
    expect(page.locator(".zoom__scale")).to_have_text(re.compile(r"^30 %"))

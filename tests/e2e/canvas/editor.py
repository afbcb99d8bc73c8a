"""The editor for tests of its canvas: places on the canvas, and saved state."""

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.e2e.boxes import box_of, middle_of

Point = tuple[float, float]


class Editor:
    """The editor of one pipeline, with the places on its canvas."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.mouse, self.keyboard = page, page.mouse, page.keyboard
        page.goto(url)
        self.canvas = page.locator("#canvas")
        expect(self.canvas).to_have_attribute("data-ready", "")

    def stage(self, phase: str) -> Locator:
        return self.page.locator(f"#stage-{phase}")

    def edge(self, source: str, target: str) -> Locator:
        return self.page.locator(f"#edge-{source}--{target}")

    def label(self, source: str, target: str) -> Locator:
        """Return the label of an edge, in the layer over all lines."""
        return self.page.locator(f'.label[data-edge="edge-{source}--{target}"]')

    def place(self, phase: str) -> Point:
        """Return the drawn place of the card, in the canvas's own pixels."""
        x, y = re.findall(r"-?[\d.]+", self.stage(phase).evaluate("card => card.style.transform"))
        return float(x), float(y)

    def stands(self, phase: str, at: Point) -> None:
        """Wait until the card is drawn at this place: the page reports a move before drawing it."""
        x, y = at
        there = re.compile(rf"translate\({x:g}px, {y:g}px\)")
        expect(self.stage(phase)).to_have_attribute("style", there)

    def kept(self, phase: str) -> Point:
        """Return the place of the card that the server sent last."""
        x, y = self.stage(phase).evaluate("card => [card.dataset.x, card.dataset.y]")
        return float(x), float(y)

    def place_in_window(self, phase: str) -> Point:
        """Return the place of the card in the window's pixels."""
        box = box_of(self.stage(phase))
        return box["x"], box["y"]

    def middle(self, phase: str) -> Point:
        return middle_of(self.stage(phase))

    def port(self, phase: str) -> Point:
        self.stage(phase).hover()
        return middle_of(self.stage(phase).locator(".port"))

    def between(self, source: str, target: str) -> Point:
        """A point of the edge between two stages that stand side by side."""
        a, b = self.middle(source), self.middle(target)
        return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2

    def drag(self, start: Point, end: Point) -> None:
        self.mouse.move(*start)
        self.mouse.down()
        self.mouse.move(*end, steps=6)
        self.mouse.up()

    def focus_in_order(self) -> None:
        """Give the canvas the first focus, and wait until Tab follows the pipeline."""
        with self.page.expect_response("**/tab-order*.js") as loading:
            self.canvas.focus()
        # A module's response comes before its code: importing it once more waits for that.
        self.page.evaluate("async (url) => void (await import(url))", loading.value.url)

    def selected(self) -> set[str]:
        marked = self.canvas.locator('[aria-current="true"]')
        return set(marked.evaluate_all("all => all.map(element => element.id)"))

    def view(self) -> str:
        return str(self.page.locator(".viewport").evaluate("element => element.style.transform"))

    def saved_as(self, version: int) -> None:
        expect(self.page.locator("#version-chip")).to_contain_text(f"v{version} ")

    def focused(self) -> str:
        return str(self.page.evaluate("document.activeElement.id"))

    def definition(self) -> dict[str, Any]:
        answer = self.page.request.get(re.sub(r"\?.*", "", self.page.url) + "export/")
        return dict(json.loads(answer.text()))

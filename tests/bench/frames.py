"""Cost of a page on its main thread, and of a frame of a drag.

Baton's pages and the bare page are measured in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import CDPSession, Page

MOVES = 40


@dataclass(frozen=True)
class MainThread:
    """A page with the DevTools session that measures its main thread."""

    page: Page
    cdp: CDPSession

    @classmethod
    def of(cls, page: Page) -> MainThread:
        """The main thread of a page, measured from now on."""
        cdp = page.context.new_cdp_session(page)
        cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
        return cls(page, cdp)

    def cpu(self) -> float:
        """Return the CPU seconds used so far."""
        found = self.cdp.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))


def drag_frame(thread: MainThread, name: str) -> dict[str, float]:
    """Return the CPU time of a drag frame, less an idle frame's, and its duration, both in ms.

    `name` is the selector of the elements; one from the middle of the list is dragged.
    """
    page = thread.page
    idle_from = thread.cpu()
    _frames_one_by_one(page, MOVES)
    idle = (thread.cpu() - idle_from) / MOVES
    box = page.evaluate(_PICK, name)
    page.mouse.move(box["x"], box["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.evaluate(_WATCH)
    began = thread.cpu()
    for step in range(MOVES):
        page.mouse.move(box["x"] + 8 + 3 * step, box["y"] + 8 + step % 10)
        _frames_one_by_one(page, 1)
    used = (thread.cpu() - began) / MOVES
    frames = sorted(page.evaluate("() => { window.watching = false; return window.frames }"))
    page.keyboard.press("Escape")
    page.mouse.up()
    return {"drag": max(0.0, used - idle) * 1e3, "frame": frames[len(frames) // 2]}


def _frames_one_by_one(page: Page, count: int) -> None:
    for _ in range(count):
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


_PICK = """name => {
  const things = [...document.querySelectorAll(name)];
  for (const thing of things.slice(Math.floor(things.length / 2))) {
    const { x, y, width, height } = thing.getBoundingClientRect();
    const point = { x: x + width / 4, y: y + height / 2 };
    if (document.elementFromPoint(point.x, point.y)?.closest(name) === thing) return point;
  }
}"""

_WATCH = """() => {
  window.frames = []; window.watching = true;
  let last = performance.now();
  const next = now => { window.frames.push(now - last); last = now; if (window.watching) requestAnimationFrame(next) };
  requestAnimationFrame(next);
}"""  # noqa: E501

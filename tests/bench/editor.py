"""What the editor costs in a browser and on the server, beside the same graph in other editors.

A real daphne and a headless Chromium. Times are CPU of the page's main thread and of the server's
process; the other side is `page/` of the shared bench, on the same graphs in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests import chromium
from tests.bench.bare import BarePages, make_pages, served
from tests.bench.graphs import definition_of, graph
from tests.serving import BatonServer

SIZES = (10, 100, 1_000, 2_000)
VIEWPORT = {"width": 1280, "height": 800}
MOVES = 40
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Session:
    """A page of the editor, and what measures it."""

    page: Page
    cdp: CDPSession
    server: BatonServer

    def metrics(self) -> dict[str, float]:
        found = self.cdp.send("Performance.getMetrics")["metrics"]
        return {one["name"]: one["value"] for one in found}

    def cpu(self) -> float:
        """CPU seconds that the page's main thread has used."""
        return self.metrics()["TaskDuration"]


def main() -> int:
    """Measure each size, then the other editors, and print both."""
    options = _options()
    sizes = [size for size in SIZES if size <= options.most]
    with TemporaryDirectory() as name:
        folder = Path(name)
        pages = make_pages(folder, options.modules) if options.peers else None
        readings: dict[int, list[dict[str, float]]] = defaultdict(list)
        with _started(folder) as (server, browser), _bare(pages) as bare:
            for size in sizes:
                address = _draw(server, folder, size)
                for _ in range(options.rounds):
                    floor = bare.first_view(browser, size, VIEWPORT) if bare and size >= 100 else 0
                    found = _measure(server, browser, address, size)
                    if bare:
                        times = found["first_view_ms"] / (floor * 1e3) if floor else 0.0
                        found = {"bare_view_ms": floor * 1e3, "over_bare": times} | found
                    readings[size].append(found)
        print(_table(readings), flush=True)  # noqa: T201 - what the script is for
        if options.peers:
            return _peers(folder, pages, options.rounds, options.modules)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench editor",
        description="First view, drag frame, and server time and bytes of a gesture.",
    )
    parser.add_argument("--rounds", type=int, default=3, help="of each size (3)")
    parser.add_argument("--most", type=int, default=2_000, help="stages of the largest (2000)")
    parser.add_argument("--peers", action="store_true", help="measure the other editors as well")
    parser.add_argument(
        "--modules",
        type=Path,
        default=Path.home() / ".cache" / "baton-bench" / "page" / "node_modules",
        help="where npm has installed page/package.json of the shared bench",
    )
    return parser.parse_args()


@contextmanager
def _started(folder: Path) -> Iterator[tuple[BatonServer, Browser]]:
    """A server and a browser, both stopped at the end."""
    server = BatonServer(folder / "server", static_root=folder / "static")
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = chromium.launch(playwright)
            yield server, browser
            browser.close()
    finally:
        server.stop()


@contextmanager
def _bare(pages: Path | None) -> Iterator[BarePages | None]:
    """The bare page beside ours, where it was asked for and can be made."""
    if pages is None:
        yield None
        return
    with served(pages) as found:
        yield found


def _draw(server: BatonServer, folder: Path, size: int) -> str:
    """Import the graph of a size; the path of its editor."""
    file = folder / f"{size}.json"
    file.write_text(json.dumps(definition_of(graph(size), f"Bench {size}")))
    code = (
        "from django.contrib.auth.models import User;"
        "from designer.actions.pipelines import import_definition;"
        "from orchestration.loading import load;"
        "from pathlib import Path;"
        f"user = User.objects.get(username={server.username!r});"
        f"made = import_definition(user=user, definition=load(Path({str(file)!r}).read_bytes()));"
        "print(made.pk)"
    )
    printed = server.manage("shell", "--no-imports", "-c", code)
    return f"/pipelines/{printed.split()[-1]}/"


def _measure(server: BatonServer, browser: Browser, address: str, size: int) -> dict[str, float]:
    """One round of one size: milliseconds of CPU, and bytes."""
    context = browser.new_context(base_url=server.url, viewport=VIEWPORT)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(server.sign_in_url())
    page.get_by_role("button", name=f"Sign in as {server.username}").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    cdp = context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    session = Session(page, cdp, server)
    before = session.cpu()
    page.goto(address, wait_until="commit")
    page.evaluate(_SEEN, size)
    found = {"first_view_ms": (session.cpu() - before) * 1e3}
    found |= _drag(session)
    found |= _gestures(session)
    context.close()
    return found


def _drag(session: Session) -> dict[str, float]:
    """One frame of dragging a stage in the middle: CPU, and the time from frame to frame."""
    page = session.page
    page.keyboard.press("1")
    _frames(page, 10)
    idle_from = session.cpu()
    _frames_one_by_one(page, MOVES)
    idle = (session.cpu() - idle_from) / MOVES
    box = page.evaluate(_PICK)
    page.mouse.move(box["x"], box["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.evaluate(_WATCH)
    began = session.cpu()
    for step in range(MOVES):
        page.mouse.move(box["x"] + 8 + 3 * step, box["y"] + 8 + step % 10)
        _frames_one_by_one(page, 1)
    used = (session.cpu() - began) / MOVES
    frames = sorted(page.evaluate("() => { window.watching = false; return window.frames }"))
    page.keyboard.press("Escape")
    page.mouse.up()
    return {
        "drag_ms": max(0.0, used - idle) * 1e3,
        "frame_ms": frames[len(frames) // 2],
    }


def _gestures(session: Session) -> dict[str, float]:
    """What gestures cost the server, and how long their answers are; medians of five each."""
    page, found = session.page, {}
    page.evaluate(_GATHER)
    first, second = page.evaluate(
        "() => [...document.querySelectorAll('.stage')].slice(3, 5).map(one => one.dataset.phase)"
    )
    gestures: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "move": [
            ("move", {"moves": json.dumps([{"phase": first, "x": 7 * turn, "y": 3}])})
            for turn in range(5)
        ],
        "connect": [
            one
            for _ in range(5)
            for one in (
                ("connect", {"source": second, "target": first}),
                ("delete", {"transitions": json.dumps([f"{second}>{first}"])}),
            )
        ],
        "select": [("select", {"kind": "stage", "key": phase}) for phase in (first, second) * 3],
    }
    for name, several in gestures.items():
        costs, sizes = [], []
        for form, fields in several:
            before = _server_cpu(session.server)
            sizes.append(page.evaluate(_SUBMIT, [form, fields]))
            costs.append(_server_cpu(session.server) - before)
        found[f"{name}_ms"] = sum(costs) / len(costs) * 1e3
        found[f"{name}_bytes"] = median(sizes)
    return found


def _server_cpu(server: BatonServer) -> float:
    """CPU seconds that the server has used, to a hundredth."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _frames(page: Page, count: int) -> None:
    page.evaluate(
        "async n => { for (; n; n -= 1) await new Promise(requestAnimationFrame) }", count
    )


def _frames_one_by_one(page: Page, count: int) -> None:
    for _ in range(count):
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


_SEEN = """size => new Promise(done => {
  const look = () => {
    const seen = document.querySelector('#canvas[data-ready]') && document.querySelectorAll('.stage').length >= size;
    if (seen) requestAnimationFrame(() => setTimeout(done)); else requestAnimationFrame(look);
  };
  look();
})"""  # noqa: E501
"""Until everything is in the picture, as the shared bench waits for the other pages."""

_PICK = """() => {
  const cards = [...document.querySelectorAll('.stage')];
  for (const card of cards.slice(Math.floor(cards.length / 2))) {
    const { x, y, width, height } = card.getBoundingClientRect();
    const point = { x: x + width / 4, y: y + height / 2 };
    if (document.elementFromPoint(point.x, point.y)?.closest('.stage') === card) return point;
  }
}"""

_WATCH = """() => {
  window.frames = []; window.watching = true;
  let last = performance.now();
  const next = now => { window.frames.push(now - last); last = now; if (window.watching) requestAnimationFrame(next) };
  requestAnimationFrame(next);
}"""  # noqa: E501

_GATHER = """() => document.body.addEventListener('htmx:beforeOnLoad', ({ detail }) => {
  window.answered?.(detail.xhr.response.length);
})"""

_SUBMIT = """([name, fields]) => new Promise(done => {
  window.answered = done;
  const form = document.getElementById(`gesture-${name}`);
  for (const [field, value] of Object.entries(fields)) form.elements.namedItem(field).value = value;
  form.requestSubmit();
})"""


def _table(readings: dict[int, list[dict[str, float]]]) -> str:
    """Medians by size, and the largest beside the smallest."""
    names = list(next(iter(readings.values()))[0])
    middles = {
        size: {name: median(one[name] for one in rows) for name in names}
        for size, rows in readings.items()
    }
    sizes = list(middles)
    lines = [f"| | {' | '.join(f'{size:,}' for size in sizes)} | last/first |"]
    lines.append("|" + "---|" * (len(sizes) + 2))
    for name in names:
        values = [middles[size][name] for size in sizes]
        ratio = f"{values[-1] / values[0]:.1f}" if values[0] else ""
        cells = " | ".join(f"{value:,.1f}" if value else "" for value in values)
        lines.append(f"| {name} | {cells} | {ratio} |")
    return "\n".join(lines)


def _peers(folder: Path, pages: Path | None, rounds: int, modules: Path) -> int:
    """The other editors by the shared bench: its own pages and its own measuring."""
    shared = Path(os.environ["BENCH_SHARED"]) / "page"
    if pages is None:
        print(  # noqa: T201
            f"The other editors are not in {modules}: put a copy of page/package.json beside it and"
            " run `npm install --ignore-scripts` there.",
            file=sys.stderr,
        )
        return 1
    out = folder / "page.jsonl"
    environment = {**os.environ, "NODE_MODULES": str(modules)}
    libraries, sizes = "svg,reactflow,drawflow", "100,1000,2000"
    command = ["node", str(shared / "bench.cjs"), str(pages), str(rounds), str(out)]
    subprocess.run(
        [*command, libraries, sizes], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return subprocess.run(
        [sys.executable, str(shared / "report.py"), str(out)], check=False
    ).returncode


if __name__ == "__main__":
    began = time.perf_counter()
    status = main()
    print(f"\n{time.perf_counter() - began:.0f} s in all.")  # noqa: T201
    sys.exit(status)

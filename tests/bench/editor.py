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
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests import chromium
from tests.bench.bare import BarePages, make_pages, served
from tests.bench.frames import MainThread, drag_frame
from tests.bench.graphs import definition_of, graph
from tests.serving import BatonServer

SIZES = (10, 100, 1_000, 2_000)
VIEWPORT = {"width": 1280, "height": 800}
TICKS = os.sysconf("SC_CLK_TCK")


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
                drawn = definition_of(graph(size), f"Bench {size}")
                address = _draw(server, folder, drawn)
                parts = (size, len(drawn["transitions"]))
                for _ in range(options.rounds):
                    floor = bare.measure(browser, size, VIEWPORT) if bare and size >= 100 else {}
                    found = _measure(server, browser, address, parts)
                    readings[size].append(_beside(found, floor) if bare else found)
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


def _draw(server: BatonServer, folder: Path, drawn: dict[str, Any]) -> str:
    """Import a definition; the path of its editor."""
    file = folder / "drawn.json"
    file.write_text(json.dumps(drawn))
    code = (
        "from django.contrib.auth.models import User;"
        "from designer.pipelines.actions import import_definition;"
        "from orchestration.loading import load;"
        "from pathlib import Path;"
        f"user = User.objects.get(username={server.username!r});"
        f"made = import_definition(user=user, definition=load(Path({str(file)!r}).read_bytes()));"
        "print(made.pk)"
    )
    printed = server.manage("shell", "--no-imports", "-c", code)
    return f"/pipelines/{printed.split()[-1]}/"


def _measure(
    server: BatonServer, browser: Browser, address: str, parts: tuple[int, int]
) -> dict[str, float]:
    """One round of one size: milliseconds of CPU, and bytes."""
    context = browser.new_context(base_url=server.url, viewport=VIEWPORT)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(server.sign_in_url())
    page.get_by_role("button", name=f"Sign in as {server.username}").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    page.wait_for_load_state("networkidle")  # what the list of pipelines is still at is its own
    thread = MainThread.of(page)
    before = thread.cpu()
    page.goto(address, wait_until="commit")
    page.evaluate(_SEEN, parts)
    found = {"first_view_ms": (thread.cpu() - before) * 1e3}
    page.evaluate(_SETTLED)
    found["settled_ms"] = (thread.cpu() - before) * 1e3
    page.keyboard.press("1")
    found |= {f"{name}_ms": value for name, value in drag_frame(thread, ".stage").items()}
    found |= _gestures(page, server)
    context.close()
    return found


def _beside(found: dict[str, float], floor: dict[str, float]) -> dict[str, float]:
    """Readings of ours with those of the bare page, and how many times they are ours."""
    view, drag = floor.get("view", 0.0), floor.get("drag", 0.0)
    return {
        "bare_view_ms": view,
        "over_bare": found["first_view_ms"] / view if view else 0.0,
        "bare_drag_ms": drag,
        "drag_over_bare": found["drag_ms"] / drag if drag else 0.0,
    } | found


def _gestures(page: Page, server: BatonServer) -> dict[str, float]:
    """What gestures cost the server, and how long their answers are; medians of five each."""
    found = {}
    page.evaluate(_GATHER)
    first, second = "s3", "s4"  # alike at each size: what lies elsewhere may close a larger loop
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
            before = _server_cpu(server)
            sizes.append(page.evaluate(_SUBMIT, [form, fields]))
            costs.append(_server_cpu(server) - before)
        found[f"{name}_ms"] = sum(costs) / len(costs) * 1e3
        found[f"{name}_bytes"] = median(sizes)
    return found


def _server_cpu(server: BatonServer) -> float:
    """CPU seconds that the server has used, to a hundredth."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


_SEEN = """([stages, edges]) => new Promise(done => {
  const count = name => document.querySelectorAll(name).length;
  const lines = () => [...document.querySelectorAll('.sketch > path')].map(line => line.getAttribute('d') ?? '').join('').split('M').length - 1;
  const look = () => {
    const seen = document.querySelector('#canvas[data-ready]') && count('.stage') >= stages && (lines() >= edges || count('.edge > .line[d]') >= edges);
    if (seen) requestAnimationFrame(() => setTimeout(done)); else requestAnimationFrame(look);
  };
  look();
})"""  # noqa: E501
"""Until the page is ready for gestures and every stage and every edge is in the picture, as the
shared bench waits for the other pages: each edge by itself or, from afar, as a part of a line."""

_SETTLED = """() => new Promise(done => {
  const canvas = document.querySelector('#canvas');
  const look = () => canvas.matches('[data-routed]') && done();
  new MutationObserver(look).observe(canvas, { attributes: true });
  look();
})"""
"""Until nothing waits any more, and every edge is led around the cards: found out by no frame."""

_GATHER = """() => document.body.addEventListener('htmx:beforeOnLoad', ({ detail }) => {
  if (detail.elt === window.asked) window.answered(detail.xhr.response.length);
})"""
"""Hears the answer to what was asked, and to nothing that the page asks for by itself meanwhile."""

_SUBMIT = """([name, fields]) => new Promise(done => {
  const form = window.asked = document.getElementById(`gesture-${name}`);
  window.answered = done;
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

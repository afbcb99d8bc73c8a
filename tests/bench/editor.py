"""Cost of the editor in the browser and on the server, compared with other editors.

A real daphne and a headless Chromium. Times are CPU of the page's main thread and of the server's
process. The other editors are in `page/` of the shared bench: the same graphs in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FilePayload, Page, sync_playwright

from tests import chromium
from tests.bench.bare import BarePages, make_pages, served
from tests.bench.checkouts import checkout
from tests.bench.frames import MainThread, drag_frame
from tests.bench.graphs import definition_of, graph
from tests.serving import ROOT, BatonServer

Readings = dict[int, list[dict[str, float]]]
"""Figures of each round, by number of stages."""

SIZES = (10, 100, 1_000, 2_000)
VIEWPORT = {"width": 1280, "height": 800}
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Measure each size, then the other editors, and print the tables."""
    options = _options()
    sizes = [size for size in SIZES if size <= options.most]
    checkouts = [ROOT, options.against] if options.against else [ROOT]
    readings: dict[Path, Readings] = {checkout: defaultdict(list) for checkout in checkouts}
    with TemporaryDirectory() as name:
        folder = Path(name)
        pages = make_pages(folder, options.modules) if options.peers else None
        with _started(folder, checkouts) as (servers, browser), _bare(pages) as bare:
            for size in sizes:
                editors = [Editor(server, browser, size) for server in servers.values()]
                for turn in range(options.rounds):
                    floor = bare.measure(browser, size, VIEWPORT) if bare and size >= 100 else {}
                    for editor in editors if turn % 2 else editors[::-1]:
                        figures = editor.measure()
                        readings[editor.server.checkout][size].append(
                            _beside(figures, floor) if bare else figures
                        )
        print(_table(readings[ROOT]), flush=True)  # noqa: T201 - the purpose of the script
        if options.against:
            print(f"\nThis checkout over {options.against}:\n", flush=True)  # noqa: T201
            print(ratios(readings[ROOT], readings[options.against]), flush=True)  # noqa: T201
        if options.peers:
            return _peers(folder, pages, options.rounds, options.modules)
    return 0


def ratios(these: Readings, others: Readings) -> str:
    """Return a Markdown table of the medians of this checkout over those of the other one."""
    now, before = _medians(these), _medians(others)
    lines = [f"| | {' | '.join(f'{size:,}' for size in now)} |", "|" + "---|" * (len(now) + 1)]
    for name in next(iter(now.values())):
        pairs = [(now[size][name], before[size][name]) for size in now]
        cells = " | ".join(f"{this / other:.2f}" if other else "" for this, other in pairs)
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench editor",
        description="First view, drag frame, and server time and bytes of a gesture.",
    )
    parser.add_argument("--rounds", type=int, default=3, help="of each size (3)")
    parser.add_argument("--most", type=int, default=2_000, help="stages of the largest (2000)")
    parser.add_argument("--against", type=checkout, help="another checkout of Baton, in turns")
    parser.add_argument("--peers", action="store_true", help="measure the other editors as well")
    parser.add_argument(
        "--modules",
        type=Path,
        default=Path.home() / ".cache" / "baton-bench" / "page" / "node_modules",
        help="where npm has installed page/package.json of the shared bench",
    )
    return parser.parse_args()


@contextmanager
def _started(
    folder: Path, checkouts: Sequence[Path]
) -> Iterator[tuple[dict[Path, BatonServer], Browser]]:
    """Start a server of each checkout and a browser; stop them at the end."""
    with ExitStack() as stack:
        servers = {}
        for number, root in enumerate(checkouts):
            home = folder / f"server-{number}"
            servers[root] = BatonServer(home, static_root=home / "static", checkout=root)
            servers[root].start()
            stack.callback(servers[root].stop)
        browser = chromium.launch(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        yield servers, browser


@contextmanager
def _bare(pages: Path | None) -> Iterator[BarePages | None]:
    """Serve the bare pages if they were made, else yield None."""
    if pages is None:
        yield None
        return
    with served(pages) as bare:
        yield bare


class Editor:
    """The editor of one server, with a pipeline of a given number of stages."""

    def __init__(self, server: BatonServer, browser: Browser, size: int) -> None:
        self.server = server
        self._browser = browser
        definition = definition_of(graph(size), f"Bench {size}")
        self._parts = (size, len(definition["transitions"]))
        with self._signed_in() as page:
            self._address = import_file(page, json.dumps(definition).encode())

    def measure(self) -> dict[str, float]:
        """Measure one round: milliseconds of CPU, and bytes."""
        with self._signed_in() as page:
            thread = MainThread.of(page)
            before = thread.cpu()
            page.goto(self._address, wait_until="commit")
            page.evaluate(DRAWN, self._parts)
            figures = {"first_view_ms": (thread.cpu() - before) * 1e3}
            page.evaluate(_SETTLED)
            figures["settled_ms"] = (thread.cpu() - before) * 1e3
            figures["scripts"] = page.evaluate(_SCRIPTS)
            page.keyboard.press("1")
            frame = drag_frame(thread, ".stage")
            figures |= {f"{name}_ms": value for name, value in frame.items()}
            return figures | _gestures(page, self.server)

    @contextmanager
    def _signed_in(self) -> Iterator[Page]:
        """Open a page of a new browser profile, signed in, without requests under way."""
        context = self._browser.new_context(base_url=self.server.url, viewport=VIEWPORT)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(self.server.sign_in_url())
        page.get_by_role("button", name=f"Sign in as {self.server.username}").click()
        page.wait_for_url(lambda url: "/sign-in/" not in url)
        page.wait_for_load_state("networkidle")  # the list of pipelines loads its pictures
        yield page
        context.close()


def import_file(page: Page, definition: bytes) -> str:
    """Import a definition as the page does; return the path of its editor."""
    token = page.evaluate("() => document.querySelector('[name=csrfmiddlewaretoken]').value")
    file: FilePayload = {
        "name": "bench.json",
        "mimeType": "application/json",
        "buffer": definition,
    }
    response = page.request.post(
        "/pipelines/import/", multipart={"csrfmiddlewaretoken": token, "file": file}
    )
    if "/import/" in response.url:  # a pipeline has the name: create a new one
        form = {"csrfmiddlewaretoken": token}
        response = page.request.post(response.url, form=form)
    assert re.search(r"/pipelines/\d+/$", response.url), response.text()
    return urlsplit(response.url).path


def _beside(figures: dict[str, float], floor: dict[str, float]) -> dict[str, float]:
    """Add the figures of the bare page, and the ratios to them."""
    view, drag = floor.get("view", 0.0), floor.get("drag", 0.0)
    return {
        "bare_view_ms": view,
        "over_bare": figures["first_view_ms"] / view if view else 0.0,
        "bare_drag_ms": drag,
        "drag_over_bare": figures["drag_ms"] / drag if drag else 0.0,
    } | figures


def _gestures(page: Page, server: BatonServer) -> dict[str, float]:
    """Measure the server's CPU and the size of the response of gestures; medians of five each."""
    figures = {}
    page.evaluate(_GATHER)
    first, second = "s3", "s4"  # the same at each size: other stages may close a larger loop
    gestures: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "move": [
            ("move", {"moves": json.dumps([{"phase": first, "x": 7 * turn, "y": 3}])})
            for turn in range(5)
        ],
        "connect": [
            step
            for _ in range(5)
            for step in (
                ("connect", {"source": second, "target": first}),
                ("delete", {"transitions": json.dumps([f"{second}>{first}"])}),
            )
        ],
        "select": [("select", {"kind": "stage", "key": phase}) for phase in (first, second) * 3],
    }
    for name, several in gestures.items():
        costs, sizes = [], []
        for form, fields in several:
            before = server_cpu(server)
            sizes.append(page.evaluate(_SUBMIT, [form, fields]))
            costs.append(server_cpu(server) - before)
        figures[f"{name}_ms"] = sum(costs) / len(costs) * 1e3
        figures[f"{name}_bytes"] = median(sizes)
    return figures


def server_cpu(server: BatonServer) -> float:
    """Return the CPU seconds of the server so far, to a hundredth."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


DRAWN = """([stages, edges]) => new Promise(done => {
  const count = name => document.querySelectorAll(name).length;
  const lines = () => [...document.querySelectorAll(':is(.simple-lines, .sketch) > path')].map(line => line.getAttribute('d') ?? '').join('').split('M').length - 1;
  const look = () => {
    const seen = document.querySelector('#canvas[data-ready]') && count('.stage') >= stages && (lines() >= edges || count('.edge > .line[d]') >= edges);
    if (seen) requestAnimationFrame(() => setTimeout(done)); else requestAnimationFrame(look);
  };
  look();
})"""  # noqa: E501
"""Wait until the page accepts gestures and all stages and transitions are drawn.

The shared bench waits for the same in the other pages. At small zoom, transitions share a line,
which is in `.sketch` in older checkouts: `--against` measures those too."""

_SETTLED = """() => new Promise(done => {
  const canvas = document.querySelector('#canvas');
  const look = () => canvas.matches('[data-routed]') && done();
  new MutationObserver(look).observe(canvas, { attributes: true });
  look();
})"""
"""Wait until nothing is deferred and all transitions are routed around the cards."""

_SCRIPTS = """() => performance.getEntriesByType('resource')
  .filter(entry => new URL(entry.name).pathname.endsWith('.js')).length"""
"""Count the scripts that the page has loaded."""

_GATHER = """() => document.body.addEventListener('htmx:beforeOnLoad', ({ detail }) => {
  if (detail.elt === window.asked) window.answered(detail.xhr.response.length);
})"""
"""Listen to the response of the submitted gesture only, not to the page's own requests."""

_SUBMIT = """([name, fields]) => new Promise(done => {
  const form = window.asked = document.getElementById(`gesture-${name}`);
  window.answered = done;
  for (const [field, value] of Object.entries(fields)) form.elements.namedItem(field).value = value;
  form.requestSubmit();
})"""


def _table(readings: Readings) -> str:
    """Return a Markdown table of the medians by size, and the largest size over the smallest."""
    medians = _medians(readings)
    sizes = list(medians)
    lines = [f"| | {' | '.join(f'{size:,}' for size in sizes)} | last/first |"]
    lines.append("|" + "---|" * (len(sizes) + 2))
    for name in medians[sizes[0]]:
        values = [medians[size][name] for size in sizes]
        ratio = f"{values[-1] / values[0]:.1f}" if values[0] else ""
        cells = " | ".join(f"{value:,.1f}" if value else "" for value in values)
        lines.append(f"| {name} | {cells} | {ratio} |")
    return "\n".join(lines)


def _medians(readings: Readings) -> dict[int, dict[str, float]]:
    return {
        size: {name: median(row[name] for row in rows) for name in rows[0]}
        for size, rows in readings.items()
    }


def _peers(folder: Path, pages: Path | None, rounds: int, modules: Path) -> int:
    """Measure the other editors with the pages and the program of the shared bench."""
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

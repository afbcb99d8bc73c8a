"""The bare page of the shared bench, measured between two rounds of ours: in one browser, alike."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from playwright.sync_api import Browser

from tests.bench.frames import MainThread, drag_frame
from tests.bench.graphs import graph

SIZES = (100, 500, 1_000, 2_000)
"""The sizes of which the shared bench makes pages."""

_DRAWN = """([stages, edges]) => new Promise(done => {
  const look = () => {
    const count = name => document.querySelectorAll(name).length;
    const seen = count('g.n') >= stages && count('path.e') >= edges;
    if (seen) requestAnimationFrame(() => setTimeout(done)); else requestAnimationFrame(look);
  };
  look();
})"""


class BarePages:
    """Pages that draw the same graphs as plain SVG, and nothing else."""

    def __init__(self, address: str) -> None:
        self._address = address

    def measure(self, browser: Browser, size: int, viewport: Any) -> dict[str, float]:
        """Milliseconds of CPU of the main thread: until everything is in the picture as `view`.

        And of one frame of a drag as `drag`.
        """
        page = browser.new_page(viewport=viewport)
        thread = MainThread.of(page)
        before = thread.cpu()
        page.goto(f"{self._address}svg_{size}.html", wait_until="commit")
        page.evaluate(_DRAWN, [size, len(graph(size)["edges"])])
        view = (thread.cpu() - before) * 1e3
        drag = drag_frame(thread, "g.n")["drag"]
        page.close()
        return {"view": view, "drag": drag}


def make_pages(folder: Path, modules: Path) -> Path | None:
    """Have the shared bench make its pages; None where what it makes them with is not there."""
    if not modules.is_dir() or not shutil.which("node"):
        return None
    graphs, pages = folder / "graphs", folder / "pages"
    graphs.mkdir()
    for size in SIZES:
        (graphs / f"p{size}.json").write_text(json.dumps(graph(size)))
    make = Path(os.environ["BENCH_SHARED"]) / "page" / "make.cjs"
    subprocess.run(
        ["node", str(make), str(pages), str(graphs)],
        env={**os.environ, "NODE_MODULES": str(modules)},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return pages


@contextmanager
def served(pages: Path) -> Iterator[BarePages]:
    """The pages behind an address of their own."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(pages))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield BarePages(f"http://127.0.0.1:{server.server_port}/")
        finally:
            server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing of each request."""

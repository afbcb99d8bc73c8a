"""Cost of the drawn difference of two pipelines, compared with the first view of the editor.

A real daphne and a headless Chromium. Times are CPU of the page's main thread and of the server's
process, in turns in the same run.
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests import chromium
from tests.bench.editor import DRAWN, VIEWPORT, import_file, server_cpu
from tests.bench.frames import MainThread
from tests.bench.graphs import definition_of, graph
from tests.serving import BatonServer

GOAL = 1.5
"""Maximum ratio of the difference to the first view of the editor."""

SHOWN = """count => new Promise(done => {
  const look = () => {
    const seen = document.querySelectorAll('.difference-card').length >= count;
    if (seen && document.readyState !== 'loading') requestAnimationFrame(() => setTimeout(done));
    else requestAnimationFrame(look);
  };
  look();
})"""
"""Wait until all cards of the difference are drawn."""


def main() -> int:
    """Measure both pages in turns, and print a table."""
    parser = argparse.ArgumentParser(prog="scripts/bench difference", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of each page (5)")
    parser.add_argument("--stages", type=int, default=300, help="of each pipeline (300)")
    options = parser.parse_args()
    before = definition_of(graph(options.stages), "Before")
    rows: list[dict[str, float]] = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        server = BatonServer(Path(folder), static_root=Path(folder) / "static")
        server.start()
        stack.callback(server.stop)
        browser = chromium.launch(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        with _signed_in(server, browser) as page:
            editor = import_file(page, json.dumps(before).encode())
            other = import_file(page, json.dumps(changed(before)).encode())
            number = re.findall(r"\d+", other)[-1]
            _post(page, f"{editor}versions/save/")
            _post(page, f"{editor}difference/apply/", to=f"pipeline-{number}")
        address = f"{editor}difference/?from=1&to=draft"
        after = changed(before)
        parts = [len(after["stages"]), len(after["transitions"])]
        for turn in range(options.rounds):
            pages = [("editor", editor, DRAWN, parts), ("difference", address, SHOWN, parts[0])]
            row: dict[str, float] = {}
            for name, path, drawn, size in pages if turn % 2 else pages[::-1]:
                row |= _measure(server, browser, name, path, drawn, size)
            rows.append(row)
    print(table(rows))  # noqa: T201 - the purpose of the script
    return 0


def _post(page: Page, path: str, **fields: str) -> None:
    """Submit a form as the page does."""
    token = page.evaluate("() => document.querySelector('[name=csrfmiddlewaretoken]').value")
    response = page.request.post(path, form={"csrfmiddlewaretoken": token, **fields})
    assert response.ok, response.text()


def changed(definition: dict[str, Any]) -> dict[str, Any]:
    """Return the definition with changes of each kind in every tenth part."""
    after = copy.deepcopy(definition)
    after["name"] = "After"
    for agent in after["agents"][::10]:
        agent["instructions"] = f"{agent.get('instructions', '')} Be brief."
    gone = {stage["phase"] for stage in after["stages"][9::10]}
    after["stages"] = [stage for stage in after["stages"] if stage["phase"] not in gone]
    kept = [each for each in after["transitions"] if not gone & {each["source"], each["target"]}]
    known = {(each["source"], each["target"]) for each in kept}
    phases = [stage["phase"] for stage in after["stages"]]
    for each, phase in zip(kept[::10], phases, strict=False):
        if (each["source"], phase) not in known and phase != each["source"]:
            each["target"] = phase
            known.add((each["source"], phase))
    after["transitions"] = kept
    agent_id = after["agents"][0]["id"]
    after["stages"] += [{"phase": f"new-{at}", "agent_id": agent_id} for at in range(len(gone))]
    after["layout"]["stages"] = {
        phase: at for phase, at in after["layout"]["stages"].items() if phase not in gone
    }
    return after


def table(rows: list[dict[str, float]]) -> str:
    """Return a Markdown table of the medians, and the ratio of both pages."""
    figures = {name: median(row[name] for row in rows) for name in rows[0]}
    lines = ["| | editor | difference | ratio |", "|---|---|---|---|"]
    for kind in ("page", "server", "both"):
        pair = [
            sum(figures[f"{name} {part}"] for part in _parts(kind))
            for name in ("editor", "difference")
        ]
        ratio = f"{pair[1] / pair[0]:.2f}" if pair[0] else ""
        lines.append(f"| {kind}, ms | {pair[0]:,.0f} | {pair[1]:,.0f} | {ratio} |")
    return "\n".join([*lines, "", f"Goal: at most {GOAL} for both together."])


def _parts(kind: str) -> tuple[str, ...]:
    return ("page", "server") if kind == "both" else (kind,)


def _measure(
    server: BatonServer, browser: Browser, name: str, path: str, drawn: str, size: Any
) -> dict[str, float]:
    with _signed_in(server, browser) as page:
        thread = MainThread.of(page)
        cpu, served = thread.cpu(), server_cpu(server)
        page.goto(path, wait_until="commit")
        page.evaluate(drawn, size)
        return {
            f"{name} page": (thread.cpu() - cpu) * 1e3,
            f"{name} server": (server_cpu(server) - served) * 1e3,
        }


@contextmanager
def _signed_in(server: BatonServer, browser: Browser) -> Iterator[Page]:
    """Open a page of a new browser profile, signed in, without requests under way."""
    context = browser.new_context(base_url=server.url, viewport=VIEWPORT)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(server.sign_in_url())
    page.get_by_role("button", name=f"Sign in as {server.username}").click()
    page.wait_for_url(lambda url: "/sign-in/" not in url)
    page.wait_for_load_state("networkidle")
    yield page
    context.close()


if __name__ == "__main__":
    sys.exit(main())

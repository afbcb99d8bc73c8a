"""A long trace in a page, of `scripts/bench live`."""

from __future__ import annotations

import re
import time
from statistics import median
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright

from tests import chromium
from tests.bench.live_heard import Server
from tests.bench.live_readers import WAIT

_ROW = re.compile(r'id="event-(\d+)"')


def replay(server: Server, events: int, rounds: int) -> list[tuple[str, str]]:
    """A long trace: into the page in a browser, and all of its rows."""
    took, size, cpu = _pages(server, events)
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        seen = [_open(browser, server) for _ in range(rounds)]
        browser.close()

    def middle(name: str) -> float:
        return median(one[name] for one in seen)

    return [
        (
            f"{events:,} events: first rows in the page",
            (
                f"{middle('first') * 1e3:.0f} ms; CPU {middle('server') * 1e3:.0f} ms "
                f"of the server, {middle('page') * 1e3:.0f} ms of the page"
            ),
        ),
        ("... the page whole", f"{middle('whole') * 1e3:.0f} ms"),
        (
            "... what it holds",
            (
                f"{middle('rows'):.0f} rows, {middle('nodes'):,.0f} nodes, "
                f"{middle('heap'):.1f} MiB of script memory"
            ),
        ),
        (
            "... all rows, page by page",
            f"{took:.2f} s, {cpu:.2f} s of CPU, {size / 2**20:.1f} MiB",
        ),
    ]


def _open(browser: Browser, server: Server) -> dict[str, float]:
    """Open the trace in a window of its own. Times are in seconds, memory is in MiB."""
    context = browser.new_context()
    session, url = server.there["session"], server.there["url"]
    context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
    page = context.new_page()
    page.goto(f"{url}/", wait_until="load")  # what all pages have in common is there already
    cdp = context.new_cdp_session(page)
    cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def metrics() -> dict[str, Any]:
        told = cdp.send("Performance.getMetrics")["metrics"]
        return {one["name"]: one["value"] for one in told}

    before, cpu = metrics()["TaskDuration"], server.cpu()
    began = time.monotonic()
    page.goto(f"{url}/conversations/{server.there['trace']}/", wait_until="commit")
    page.wait_for_selector("#trace > .event")
    first = time.monotonic() - began
    page.wait_for_load_state("load")
    after = metrics()
    found = {
        "first": first,
        "whole": time.monotonic() - began,
        "server": server.cpu() - cpu,
        "page": after["TaskDuration"] - before,
        "nodes": after["Nodes"],
        "heap": after["JSHeapUsedSize"] / 2**20,
        "rows": page.locator("#trace > .event").count(),
    }
    context.close()
    return found


def _pages(server: Server, events: int) -> tuple[float, int, float]:
    """All rows, page by page, as who scrolls up gets them: seconds, bytes, seconds of CPU."""
    cookies = {"sessionid": server.there["session"]}
    address = f"/conversations/{server.there['trace']}/events/"
    began, cpu, size, before = time.monotonic(), server.cpu(), 0, events + 1
    with httpx.Client(base_url=server.there["url"], cookies=cookies, timeout=WAIT) as client:
        while before > 1:
            answer = client.get(address, params={"before": before})
            rows = [int(one) for one in _ROW.findall(answer.text)]
            if not rows or rows[-1] != before - 1:
                raise RuntimeError(f"Before event {before} came {rows[-3:]}.")
            size, before = size + len(answer.content), rows[0]
    return time.monotonic() - began, size, server.cpu() - cpu

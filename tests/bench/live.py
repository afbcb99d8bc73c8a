"""What a live rehearsal costs: latency, memory, replay and fan-out, through a real daphne.

The server runs on one core, the readers on the others; both on loopback, and both gone at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from playwright.sync_api import sync_playwright

from tests import chromium
from tests.bench.live_heard import Heard, Server
from tests.bench.sockets import Socket
from tests.serving import ROOT, clean_environment

STEPS = (1, 10, 25, 50, 75, 100, 150, 200)
"""How many conversations stream at once, until they are too many."""

GOAL = 0.050
"""Seconds that may be added between provider and page, at the 99th percentile."""

EVENTS = 10_000
WATCHERS = 100
IDLE = 100
WAIT = 120.0
_ROW = re.compile(r'id="event-(\d+)"')


def main() -> int:
    """Measure, and print the table."""
    options = _options()
    many = max(options.most, IDLE) + 1
    with TemporaryDirectory() as name, _served(Path(name), many, options.words) as server:
        load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        rows: list[tuple[str, str]] = [("the machine", load)]
        if "streams" in options.only:
            rows += _streams(server, options.most, options.rounds)
        if "memory" in options.only:
            rows += asyncio.run(_memory(server))
        if "watchers" in options.only:
            rows += asyncio.run(_watchers(server))
        if "replay" in options.only:
            rows += _replay(server)
        if "echo" in options.only:
            rows += asyncio.run(_echo(server))
    width = max(len(name) for name, _ in rows)
    print("\n".join(f"{name:<{width}}  {value}" for name, value in rows))  # noqa: T201
    return 0


def _options() -> argparse.Namespace:
    parts = ("streams", "memory", "watchers", "replay", "echo")
    parser = argparse.ArgumentParser(
        prog="scripts/bench live",
        description="Latency, memory, replay and fan-out of live rehearsals, on one core.",
    )
    parser.add_argument("--most", type=int, default=200, help="conversations at once (200)")
    parser.add_argument("--rounds", type=int, default=1, help="of each number of them (1)")
    parser.add_argument("--words", type=int, default=400, help="of an answer, 50 a second (400)")
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts), metavar="PART")
    return parser.parse_args()


@contextmanager
def _served(folder: Path, conversations: int, words: int) -> Iterator[Server]:
    """A server on the first core, stopped at the end; this process takes the other cores."""
    environment = clean_environment() | {
        "BATON_DATA_DIR": str(folder),
        "BATON_STATIC_ROOT": str(folder / "static"),
        "BENCH_WORDS": str(words),
    }
    command = [sys.executable, "-m", "tests.bench.live_server", str(conversations), str(EVENTS)]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("The server did not start: what it says stands above.")
        first, *others = sorted(os.sched_getaffinity(0))
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), {first})
        os.sched_setaffinity(0, others or {first})
        yield Server(process.pid, json.loads(line))
    finally:
        process.terminate()
        process.wait()


# Conversations at once


def _streams(server: Server, most: int, rounds: int) -> list[tuple[str, str]]:
    """Ever more conversations, with three slow pages beside them, until they come too late."""
    rows: list[tuple[str, str]] = []
    kept = {"whole": 0, "newest": 0}
    each = 0.0
    for count in [step for step in STEPS if step <= most]:
        with _slow_pages(server):
            taken = [asyncio.run(_stream(server, count)) for _ in range(rounds)]
        whole = median(_at(one["delays"], 0.99) for one in taken)
        newest = median(_at(one["newest"], 0.99) for one in taken)
        lost = sum(one["lost"] for one in taken)
        cpu = median(one["cpu"] for one in taken)
        each = cpu / count
        kept["whole"] = count if whole <= GOAL and not lost else kept["whole"]
        kept["newest"] = count if newest <= GOAL and not lost else kept["newest"]
        middle = median(_at(one["delays"], 0.5) for one in taken)
        rows.append(
            (
                f"{count} conversations at once",
                f"median {middle * 1e3:.0f} ms, {_told(whole, newest, cpu, lost)}",
            )
        )
        if newest > 4 * GOAL:
            break
    beside = min(50, most)
    bare = asyncio.run(_stream(server, beside, bare=True))
    return [
        *rows,
        ("at most, with each word within 50 ms", str(kept["whole"])),
        ("at most, with the newest word within 50 ms", str(kept["newest"])),
        (
            f"{beside} bare Channels consumers",
            f"99th {_at(bare['delays'], 0.99) * 1e3:.0f} ms, {bare['cpu']:.0%} of the core",
        ),
        ("CPU of a conversation over a bare one", f"{each / (bare['cpu'] / beside):.1f}x"),
    ]


async def _stream(server: Server, count: int, *, bare: bool = False) -> dict[str, Any]:
    """So many answers at once: how long their words were under way."""
    ids = server.there["conversations"][:count]
    paths = ["/bare/stream/"] * count if bare else [f"/ws/conversations/{pk}/" for pk in ids]
    sockets = [await _opened(server, path) for path in paths]
    heard = [Heard() for _ in sockets]
    if not bare:
        await asyncio.gather(*(_resumed(one) for one in sockets))
    before, began = server.cpu(), time.monotonic()
    for one in sockets:
        one.send(_say())
    readers = (_listen(*pair) for pair in zip(sockets, heard, strict=True))
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*readers), WAIT)
    took = time.monotonic() - began
    for one in sockets:
        await one.close()
    longest = max(len(one.delays) for one in heard)
    return {
        "delays": [delay for one in heard for delay in one.delays],
        "newest": [delay for one in heard for delay in one.newest],
        "lost": sum(longest - len(one.delays) for one in heard),
        "cpu": (server.cpu() - before) / took,
    }


async def _listen(socket: Socket, heard: Heard) -> None:
    """Hear an answer to its end: a run that is over, or a word that no other follows."""
    with contextlib.suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError):
        while True:
            wait = 3.0 if heard.delays else WAIT
            frame = await asyncio.wait_for(socket.receive(), wait)
            heard.take(frame)
            if 'data-type="run.completed"' in frame:
                return


def _told(whole: float, newest: float, cpu: float, lost: int) -> str:
    return (
        f"99th {whole * 1e3:.0f} ms (newest word of a frame {newest * 1e3:.0f} ms), "
        f"{cpu:.0%} of the core, {lost} words lost"
    )


def _at(delays: Sequence[float], share: float) -> float:
    """The delay that this share of them is within."""
    return sorted(delays)[min(len(delays) - 1, int(len(delays) * share))]


@contextmanager
def _slow_pages(server: Server) -> Iterator[None]:
    """Three who load a page again and again meanwhile."""
    over = threading.Event()

    def load() -> None:
        cookies = {"sessionid": server.there["session"]}
        with httpx.Client(base_url=server.there["url"], cookies=cookies, timeout=WAIT) as client:
            while not over.wait(1.0):
                client.get(server.there["page"])

    threads = [threading.Thread(target=load) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


# Memory


async def _memory(server: Server) -> list[tuple[str, str]]:
    """What the server holds for each open conversation, idle and while it streams."""
    ids = server.there["conversations"][:IDLE]
    before = server.memory()
    sockets = [await _opened(server, f"/ws/conversations/{pk}/") for pk in ids]
    await asyncio.gather(*(_resumed(one) for one in sockets))
    idle = server.memory()
    heard = [Heard() for _ in sockets]
    for one in sockets:
        one.send(_say())
    listening = [asyncio.create_task(_listen(*pair)) for pair in zip(sockets, heard, strict=True)]
    peak = idle
    while not all(task.done() for task in listening):
        peak = max(peak, server.memory())
        await asyncio.sleep(0.2)
    with contextlib.suppress(TimeoutError):
        await asyncio.gather(*listening)
    for one in sockets:
        await one.close()
    return [
        ("memory of an idle conversation", f"{(idle - before) / len(ids):.0f} KiB"),
        ("memory of a streaming one", f"{(peak - before) / len(ids):.0f} KiB"),
        ("memory of the server, before and at most", f"{before // 1024}, {peak // 1024} MiB"),
    ]


# Watchers


async def _watchers(server: Server) -> list[tuple[str, str]]:
    """One conversation, a hundred who watch it by a link."""
    path = f"/ws/watch/{server.there['token']}/"
    sockets = [await _opened(server, path) for _ in range(WATCHERS)]
    own = await _opened(server, f"/ws/conversations/{server.there['watched']}/")
    await asyncio.gather(*(_resumed(one) for one in [own, *sockets]))
    heard = [Heard() for _ in sockets]
    before, began = server.cpu(), time.monotonic()
    own.send(_say())
    with contextlib.suppress(TimeoutError):
        readers = (_listen(*pair) for pair in zip(sockets, heard, strict=True))
        await asyncio.wait_for(asyncio.gather(*readers), WAIT)
    cpu = (server.cpu() - before) / (time.monotonic() - began)
    for one in [own, *sockets]:
        await one.close()
    delays = [delay for one in heard for delay in one.delays]
    newest = [delay for one in heard for delay in one.newest]
    lost = sum(max(len(one.delays) for one in heard) - len(one.delays) for one in heard)
    return [
        (
            f"fan-out to {WATCHERS} watchers",
            _told(_at(delays, 0.99), _at(newest, 0.99), cpu, lost),
        )
    ]


# Replay


def _replay(server: Server) -> list[tuple[str, str]]:
    """A long trace: into the page in a browser, and all of its rows."""
    took, size = _pages(server)
    address = f"{server.there['url']}/conversations/{server.there['trace']}/"
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        context = browser.new_context()
        session, url = server.there["session"], server.there["url"]
        context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
        page = context.new_page()
        page.goto(f"{server.there['url']}/")  # what all pages have in common is there already
        began = time.monotonic()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("#trace > .event")
        first = time.monotonic() - began
        page.wait_for_load_state("load")
        whole = time.monotonic() - began
        cdp = context.new_cdp_session(page)
        cdp.send("Performance.enable")
        metrics = {
            one["name"]: one["value"] for one in cdp.send("Performance.getMetrics")["metrics"]
        }
        browser.close()
    heap = metrics["JSHeapUsedSize"] / 2**20
    return [
        (f"{EVENTS:,} events: first rows in the page", f"{first * 1e3:.0f} ms"),
        ("... the page whole", f"{whole * 1e3:.0f} ms"),
        ("... what it holds", f"{metrics['Nodes']:,.0f} nodes, {heap:.1f} MiB of script memory"),
        ("... all rows, page by page", f"{took:.2f} s, {size / 2**20:.1f} MiB"),
    ]


def _pages(server: Server) -> tuple[float, int]:
    """All rows of a trace, page by page, as who scrolls up gets them: seconds, and bytes."""
    cookies = {"sessionid": server.there["session"]}
    address = f"/conversations/{server.there['trace']}/events/"
    began, size, before = time.monotonic(), 0, EVENTS + 1
    with httpx.Client(base_url=server.there["url"], cookies=cookies, timeout=WAIT) as client:
        while before > 1:
            answer = client.get(address, params={"before": before})
            rows = [int(one) for one in _ROW.findall(answer.text)]
            if not rows or rows[-1] != before - 1:
                raise RuntimeError(f"Before event {before} came {rows[-3:]}.")
            size, before = size + len(answer.content), rows[0]
    return time.monotonic() - began, size


# Echo


async def _echo(server: Server) -> list[tuple[str, str]]:
    """A page that comes back to its socket, there and back, beside a bare consumer that echoes."""
    ids = server.there["conversations"][1 : IDLE // 2]
    found = {}
    for name, paths in {
        "bare": ["/bare/echo/"] * len(ids),
        "ours": [f"/ws/conversations/{pk}/" for pk in ids],
    }.items():
        sockets = [await _opened(server, path) for path in paths]
        before = server.cpu()
        trips = [trip for one in await asyncio.gather(*map(_trips, sockets)) for trip in one]
        found[name] = (_at(trips, 0.5), (server.cpu() - before) / len(trips))
        for one in sockets:
            await one.close()
    (bare, bare_cpu), (ours, our_cpu) = found["bare"], found["ours"]
    return [
        ("a bare echo, there and back", f"median {bare * 1e3:.1f} ms, {bare_cpu * 1e6:.0f} µs CPU"),
        (
            "a page that comes back (resume)",
            f"median {ours * 1e3:.1f} ms, {our_cpu * 1e6:.0f} µs CPU: {our_cpu / bare_cpu:.1f}x",
        ),
    ]


async def _trips(socket: Socket) -> list[float]:
    """Some messages one after the other; as many as may be sent at once."""
    taken = []
    for _ in range(15):
        began = time.monotonic()
        socket.send('{"op": "resume", "after": "999999999"}')
        await asyncio.wait_for(socket.receive(), WAIT)
        taken.append(time.monotonic() - began)
    return taken


# Sockets


async def _opened(server: Server, path: str) -> Socket:
    return await Socket.open(f"{server.sockets}{path}", server.there["session"])


async def _resumed(socket: Socket) -> None:
    """Have a socket read on from the end; it is told something, or nothing for a while."""
    socket.send('{"op": "resume", "after": "999999999"}')
    with contextlib.suppress(TimeoutError):
        while True:
            await asyncio.wait_for(socket.receive(), 1.0)


def _say() -> str:
    return json.dumps({"op": "say", "id": uuid.uuid4().hex, "text": "Tell me everything."})


if __name__ == "__main__":
    sys.exit(main())

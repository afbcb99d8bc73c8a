"""Cost of a live rehearsal: latency, memory, replay and fan-out, through a real daphne.

The server runs on one core, the readers on the others; both on loopback, and both gone at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.live_fan_out import readers, watchers
from tests.bench.live_heard import Heard, Server
from tests.bench.live_readers import WAIT, at, listen, opened, resumed, say
from tests.bench.live_replay import replay
from tests.bench.live_streams import streams
from tests.bench.sockets import Socket
from tests.serving import ROOT, clean_environment

WATCHERS = 100
READERS = 1_000
IDLE = 100
WIDTH = 42
"""Width of the table's first column, in characters."""


def main() -> int:
    """Measure, and print the table."""
    options = _options()
    many = max(options.most, options.idle) + 1
    with TemporaryDirectory() as name, _served(Path(name), many, options) as server:
        _show([("the machine", f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")])
        if "streams" in options.only:
            _show(streams(server, options.most, options.rounds, options.words))
        if "memory" in options.only:
            _show(asyncio.run(_memory(server, options.idle)))
        if "watchers" in options.only:
            _show(asyncio.run(watchers(server, options.watchers)))
        if "readers" in options.only:
            _show(asyncio.run(readers(server, options.readers, options.rounds)))
        if "replay" in options.only:
            _show(replay(server, options.events, options.rounds))
        if "echo" in options.only:
            _show(asyncio.run(_echo(server, options.idle // 2, options.rounds)))
    return 0


def _show(rows: list[tuple[str, str]]) -> None:
    print("\n".join(f"{name:<{WIDTH}}  {value}" for name, value in rows), flush=True)  # noqa: T201


def _options() -> argparse.Namespace:
    parts = ("streams", "memory", "watchers", "readers", "replay", "echo")
    parser = argparse.ArgumentParser(
        prog="scripts/bench live",
        description="Latency, memory, replay and fan-out of live rehearsals, on one core.",
    )
    parser.add_argument("--most", type=int, default=200, help="conversations at once (200)")
    parser.add_argument("--rounds", type=int, default=3, help="of each measurement (3)")
    parser.add_argument("--words", type=int, default=400, help="of an answer, 50 a second (400)")
    parser.add_argument("--events", type=int, default=10_000, help="of the long trace (10,000)")
    parser.add_argument("--idle", type=int, default=IDLE, help=f"open conversations ({IDLE})")
    parser.add_argument("--watchers", type=int, default=WATCHERS, help=f"of one ({WATCHERS})")
    parser.add_argument("--readers", type=int, default=READERS, help=f"of an event ({READERS:,})")
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts), metavar="PART")
    return parser.parse_args()


@contextmanager
def _served(folder: Path, conversations: int, options: argparse.Namespace) -> Iterator[Server]:
    """A server on the first core, stopped at the end; this process takes the other cores."""
    environment = clean_environment() | {
        "BATON_DATA_DIR": str(folder),
        "BATON_STATIC_ROOT": str(folder / "static"),
        "BENCH_WORDS": str(options.words),
    }
    server = [sys.executable, "-m", "tests.bench.live_server"]
    command = [*server, str(conversations), str(options.events)]
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


# Memory


async def _memory(server: Server, idle_ones: int) -> list[tuple[str, str]]:
    """Measure the memory of the server for each open conversation, idle and streaming."""
    ids = server.there["conversations"][:idle_ones]
    before = server.memory()
    sockets = [await opened(server, f"/ws/conversations/{pk}/") for pk in ids]
    await asyncio.gather(*(resumed(one) for one in sockets))
    idle = server.memory()
    heard = [Heard() for _ in sockets]
    for one in sockets:
        one.send(say())
    listening = [asyncio.create_task(listen(*pair)) for pair in zip(sockets, heard, strict=True)]
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


# Echo


async def _echo(server: Server, many: int, rounds: int) -> list[tuple[str, str]]:
    """A message there and back: Baton's consumer beside the stock one, and a page that resumes."""
    ids = server.there["conversations"][:many]
    ways = {
        "stock": ["/bare/echo/"] * len(ids),
        "ours": ["/bare/reader/"] * len(ids),
        "resume": [f"/ws/conversations/{pk}/" for pk in ids],
    }
    trips: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):  # one beside the other, on a machine that does other work
        for name, paths in ways.items():
            times = 15 if name == "resume" else 100  # the limit of messages at once
            sockets = [await opened(server, path) for path in paths]
            before = server.cpu()
            taken = await asyncio.gather(*(_trips(one, times) for one in sockets))
            cpu[name].append((server.cpu() - before) / times / len(sockets))
            trips[name] += [trip for one in taken for trip in one]
            for one in sockets:
                await one.close()
    stock = median(cpu["stock"])
    titles = {
        "stock": "a message there and back, stock consumer",
        "ours": "... Baton's consumer",
        "resume": "... a page that comes back (resume)",
    }
    return [
        (
            title,
            (
                f"median {at(trips[name], 0.5) * 1e3:.1f} ms, "
                f"{median(cpu[name]) * 1e6:.0f} µs CPU: {median(cpu[name]) / stock:.2f}x"
            ),
        )
        for name, title in titles.items()
    ]


async def _trips(socket: Socket, times: int) -> list[float]:
    """Some messages one after the other."""
    taken = []
    for _ in range(times):
        began = time.monotonic()
        socket.send('{"op": "resume", "after": "999999999"}')
        await asyncio.wait_for(socket.receive(), WAIT)
        taken.append(time.monotonic() - began)
    return taken


if __name__ == "__main__":
    sys.exit(main())

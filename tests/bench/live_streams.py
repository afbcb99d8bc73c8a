"""Conversations that stream at once, of `scripts/bench live`, with three slow pages beside them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Self

import httpx

from tests.bench.live_heard import Heard, Server
from tests.bench.live_readers import WAIT, at, listen, opened, resumed, say, told
from tests.bench.sockets import Socket

STEPS = (1, 10, 25, 50, 75, 100, 150, 200)
"""Numbers of conversations at once, tried in order until they are too many."""

GOAL = 0.050
"""Seconds that may be added between provider and page, at the 99th percentile."""


@dataclass(frozen=True)
class Taken:
    """Delays of words in seconds, the number of lost words, and the CPU share."""

    speaking: list[float]
    """Delays of the words that arrived while all conversations streamed."""
    newest: list[float]
    """Of these, the delay of each frame's last word, which did not wait for the frame."""
    all_words: list[float]
    """Delays of all words, also from the beginning and end of the conversations."""
    lost: int
    cpu: float
    """Share of the core while all conversations streamed."""

    @classmethod
    def of(cls, heard: list[Heard], cpu: float, words: int) -> Self:
        """Return the result of all readers, for answers of `words` words."""
        begun = max(one.at[0] for one in heard)
        ended = min(one.at[-1] for one in heard)
        return cls(
            [delay for one in heard for delay in one.between(begun, ended)],
            [delay for one in heard for delay in one.newest_between(begun, ended)],
            [delay for one in heard for delay in one.delays],
            sum(words - len(one.delays) for one in heard),
            cpu,
        )


def streams(server: Server, most: int, rounds: int, words: int) -> list[tuple[str, str]]:
    """Measure ever more conversations, beside three slow pages, until words arrive too late."""
    rows: list[tuple[str, str]] = []
    kept = {"whole": 0, "newest": 0}
    for count in [step for step in STEPS if step <= most]:
        taken, bare = [], []
        for _ in range(rounds):  # one beside the other, on a machine that does other work
            with _slow_pages(server):
                taken.append(asyncio.run(_stream(server, count, words)))
                bare.append(asyncio.run(_stream(server, count, words, bare=True)))
        whole = median(at(one.speaking, 0.99) for one in taken)
        newest = median(at(one.newest, 0.99) for one in taken)
        lost = sum(one.lost for one in taken)
        cpu = median(one.cpu for one in taken)
        kept["whole"] = count if whole <= GOAL and not lost else kept["whole"]
        kept["newest"] = count if newest <= GOAL and not lost else kept["newest"]
        middle = median(at(one.speaking, 0.5) for one in taken)
        begun = median(at(one.all_words, 0.99) for one in taken)
        bare_cpu = median(one.cpu for one in bare)
        rows += [
            (
                f"{count} conversations at once",
                f"median {middle * 1e3:.0f} ms, {told(whole, newest, cpu, lost)}",
            ),
            ("... as they begin and end, too", f"99th {begun * 1e3:.0f} ms"),
            (
                f"... {count} bare consumers, a frame a word",
                (
                    f"99th {median(at(one.speaking, 0.99) for one in bare) * 1e3:.0f} ms, "
                    f"{bare_cpu:.0%} of the core{f': {cpu / bare_cpu:.1f}x' if bare_cpu else ''}"
                ),
            ),
        ]
        if newest > 4 * GOAL:
            break
    return [
        *rows,
        ("at most, with each word within 50 ms", str(kept["whole"])),
        ("at most, with the newest word within 50 ms", str(kept["newest"])),
    ]


async def _stream(server: Server, count: int, words: int, *, bare: bool = False) -> Taken:
    """So many answers, each begun a moment after the other, so that all speak at once."""
    ids = server.there["conversations"][:count]
    paths = ["/bare/stream/"] * count if bare else [f"/ws/conversations/{pk}/" for pk in ids]
    sockets = [await opened(server, path) for path in paths]
    if not bare:
        await asyncio.gather(*(resumed(one) for one in sockets))
    return await speak_at_once(sockets, server.cpu, words)


async def speak_at_once(sockets: Sequence[Socket], cpu: Callable[[], float], words: int) -> Taken:
    """Begin an answer in each conversation, one after the other, and close the sockets after all.

    `cpu` returns the CPU seconds of the measured processes.
    """
    heard = [Heard() for _ in sockets]
    apart = min(0.1, words / 50 / 2 / len(sockets))
    began, listening = time.monotonic(), []
    for socket, one in zip(sockets, heard, strict=True):
        socket.send(say())
        listening.append(asyncio.create_task(listen(socket, one)))
        await asyncio.sleep(apart)
    before, since = cpu(), time.monotonic()
    await asyncio.sleep(max(0.1, words / 50 - (since - began)))
    share = (cpu() - before) / (time.monotonic() - since)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*listening), WAIT)
    for socket in sockets:
        await socket.close()
    return Taken.of(heard, share, words)


@contextmanager
def _slow_pages(server: Server) -> Iterator[None]:
    """Load a page repeatedly in three threads meanwhile."""
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

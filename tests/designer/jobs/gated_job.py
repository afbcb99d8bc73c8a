"""A kind of job that stops at gates, so that a test can kill its worker there.

Each item is appended to the file `effects`, and is a line of the result file. A named pipe
`gate-ITEM` in the folder of the job blocks the worker, after the effect, until a test closes its
end; `pid` then contains the worker's process id.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from pathlib import Path

from designer.jobs import JobFailedError, JobKind
from designer.models import Job


def _process(job: Job, item: int) -> Iterator[bytes]:
    folder = Path(job.arguments["folder"])
    with (folder / "effects").open("a") as effects:
        effects.write(f"{item}\n")
    if (folder / f"refuse-{item}").exists():
        raise JobFailedError(f"Item {item} is refused.")
    if (folder / f"break-{item}").exists():
        raise ValueError(item)
    gate = folder / f"gate-{item}"
    if gate.exists():
        (folder / "pid").write_text(str(os.getpid()))
        gate.read_bytes()
    yield f"item {item}\n".encode()


GATED = JobKind(
    name="gated",
    unit="item",
    process=_process,
    file_name=lambda _: "items.txt",
    shard_size=2,
)


def effects(folder: Path) -> list[int]:
    """Return the items that had an effect, in order; an item may have several."""
    return [int(line) for line in (folder / "effects").read_text().split()]


class Gate:
    """A gate of a job, held by a test."""

    def __init__(self, folder: Path, item: int) -> None:
        self._path = folder / f"gate-{item}"
        self._pid = folder / "pid"
        self._end = -1
        os.mkfifo(self._path)

    def wait_for_worker(self) -> int:
        """Wait until a worker is at the gate; return its process id."""
        self._end = os.open(self._path, os.O_WRONLY)
        return int(self._pid.read_text())

    def open(self) -> None:
        """Let the worker and all later ones pass."""
        self._path.unlink()
        os.close(self._end)

    def wait_until_dead(self, seconds: float = 60) -> None:
        """Wait until the worker at the gate has ended: the kernel then closes its end."""
        poll = select.poll()
        poll.register(self._end, 0)
        assert poll.poll(seconds * 1000), "the worker still runs"

"""The server process of `scripts/bench live`, and the words that a reader receives from it."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
_WORD = re.compile(r"(\d+):(\d{6,})")


@dataclass(frozen=True)
class Server:
    """The measured process and its prepared data."""

    pid: int
    there: dict[str, Any]

    @property
    def sockets(self) -> str:
        """Base address of the sockets."""
        return str(self.there["url"]).replace("http", "ws", 1)

    def cpu(self) -> float:
        """Return the CPU seconds used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Return the resident memory in KiB."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", text)[0])


@dataclass
class Heard:
    """The words received by one reader, with the delay of each in seconds."""

    delays: list[float] = field(default_factory=list)
    newest: list[float] = field(default_factory=list)
    """Delay of the last word of each frame, which did not wait for the frame."""
    at: list[float] = field(default_factory=list)
    """Arrival time of each word."""
    frames_at: list[float] = field(default_factory=list)
    """Arrival time of each frame."""

    def take(self, frame: str) -> bool:
        """Record a frame; return False if it has no new words."""
        now = time.monotonic_ns()
        new = [one for one in _WORD.findall(frame) if int(one[0]) >= len(self.delays)]
        taken = [(now - int(stamp)) / 1e9 for place, stamp in new]
        if taken:
            self.delays += taken
            self.newest.append(taken[-1])
            self.at += [now / 1e9] * len(taken)
            self.frames_at.append(now / 1e9)
        return bool(taken)

    def between(self, begun: float, ended: float) -> list[float]:
        """Return the delays of the words that arrived between two times."""
        pairs = zip(self.at, self.delays, strict=True)
        return [delay for at, delay in pairs if begun <= at <= ended]

    def newest_between(self, begun: float, ended: float) -> list[float]:
        """Return the delays of the frames' last words that arrived between two times."""
        pairs = zip(self.frames_at, self.newest, strict=True)
        return [delay for at, delay in pairs if begun <= at <= ended]

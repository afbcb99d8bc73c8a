"""What `scripts/bench live` measures: the server's process, and what a reader of it hears."""

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
    """The process that is measured, and what it has."""

    pid: int
    there: dict[str, Any]

    @property
    def sockets(self) -> str:
        """Where sockets are answered."""
        return str(self.there["url"]).replace("http", "ws", 1)

    def cpu(self) -> float:
        """CPU seconds that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """KiB of memory that it holds."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", text)[0])


@dataclass
class Heard:
    """The words that one reader was sent: how long each was under way, in seconds."""

    delays: list[float] = field(default_factory=list)
    newest: list[float] = field(default_factory=list)
    """Of each frame that of its last word: what is left without the wait for the frame."""
    at: list[float] = field(default_factory=list)
    """When each word came."""
    frames_at: list[float] = field(default_factory=list)
    """When each frame came."""

    def take(self, frame: str) -> bool:
        """Take in a frame; False where no new word is in it."""
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
        """The delays of the words that came within some time."""
        pairs = zip(self.at, self.delays, strict=True)
        return [delay for at, delay in pairs if begun <= at <= ended]

    def newest_between(self, begun: float, ended: float) -> list[float]:
        """Of these the delays of the last words of frames."""
        pairs = zip(self.frames_at, self.newest, strict=True)
        return [delay for at, delay in pairs if begun <= at <= ended]

"""Baton of another checkout as an engine of the shared bench: `scripts/bench engine --against`.

The worker imports this module in a process of its own. It imports the `eng_baton` of that checkout
under the same name, so that only the code of that checkout is measured.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

OTHER = Path(os.environ["BENCH_AGAINST"])
sys.path.insert(0, str(OTHER / "tests" / "bench"))

from eng_baton import build, build_stream  # type: ignore[import-not-found] # noqa: E402

LABEL = "Baton of the other checkout"


def version() -> str:
    """Return the name of the other checkout's folder."""
    return OTHER.name


__all__ = ["LABEL", "build", "build_stream", "version"]

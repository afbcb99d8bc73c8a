"""Another checkout of Baton, measured in turns with this one."""

from __future__ import annotations

import argparse
from pathlib import Path


def checkout(name: str) -> Path:
    """Return the absolute folder of a checkout, given on the command line.

    Raises argparse.ArgumentTypeError if the folder contains no benchmarks of Baton.
    """
    folder = Path(name).resolve()
    if not (folder / "tests" / "bench" / "eng_baton.py").is_file():
        message = f"{folder} is not a checkout of Baton: it has no tests/bench/eng_baton.py."
        raise argparse.ArgumentTypeError(message)
    return folder

"""`scripts/bench` as a process, for tests."""

import os
import subprocess

from tests.serving import ROOT


def bench(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a workload to its end, with additional environment variables."""
    return subprocess.run(
        [ROOT / "scripts" / "bench", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )

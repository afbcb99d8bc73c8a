"""Runs `peers.py` of the shared bench with Baton among its engines, and says how Baton did."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.readings import FLOOR, OURS, TYPED, errors, read, table

HERE = Path(__file__).parent


def main() -> int:
    """Measure, print what `peers.py` prints and the table of ours, and keep the lines if asked."""
    options = _options()
    with TemporaryDirectory() as folder:
        out = options.out or Path(folder) / "lines.jsonl"
        before = len(read(out)) if out.exists() else 0
        done = subprocess.run(_command(options, out), env=_environment(), check=False)
        lines = read(out)[before:] if out.exists() else []
    if done.returncode:
        return done.returncode
    print(f"\n### Baton\n\n{table(lines)}", flush=True)  # noqa: T201 - what the script is for
    wrong = errors(lines, OURS)
    for error in wrong:
        print(f"Baton failed: {error}", file=sys.stderr)  # noqa: T201
    return 1 if wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench engine",
        description="What the engine costs with a model that answers at once, beside a bare "
        "asyncio loop and whichever other frameworks `peers.py --make-venvs` has installed.",
    )
    parser.add_argument("--rounds", type=int, default=5, help="of all engines in turn (5)")
    parser.add_argument("--seconds", type=float, default=0.6, help="for each workload (0.6)")
    parser.add_argument("--only", default="", help="these engines: baton,bare,maf (all)")
    parser.add_argument("--workloads", default="", help="these alone: W1,W7 (all)")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--mem", action="store_true", help="memory instead of time")
    parser.add_argument("--out", type=Path, help="a file that keeps the readings as JSON lines")
    return parser.parse_args()


def _command(options: argparse.Namespace, out: Path) -> list[str]:
    """`peers.py` with our engine; the floors run on our interpreter, so that none is missing."""
    command = [
        sys.executable,
        str(Path(os.environ["BENCH_SHARED"]) / "peers.py"),
        "--out",
        str(out),
    ]
    for engine in (FLOOR, TYPED, OURS):
        command += ["--add", f"{engine}={sys.executable}"]
    rounds, seconds = (1, 0.05) if options.quick else (options.rounds, options.seconds)
    command += ["--rounds", str(rounds), "--seconds", str(seconds)]
    if options.only:
        engines = [f"eng_{name.removeprefix('eng_')}" for name in options.only.split(",")]
        command += ["--only", ",".join(engines)]
    if options.workloads:
        command += ["--workloads", options.workloads]
    return [*command, "--mem"] if options.mem else command


def _environment() -> dict[str, str]:
    """Where a worker finds `eng_baton`, though it starts in another folder."""
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


if __name__ == "__main__":
    sys.exit(main())

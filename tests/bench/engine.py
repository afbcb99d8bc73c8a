"""Run `peers.py` of the shared bench with Baton as one of its engines, and print its figures."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.checkouts import checkout
from tests.bench.readings import (
    FLOOR,
    OTHER_CHECKOUT,
    OURS,
    TYPED,
    comparison,
    errors,
    read,
    table,
)

HERE = Path(__file__).parent


def main() -> int:
    """Measure, print the report of `peers.py` and the tables of Baton, and keep the lines."""
    options = _options()
    with TemporaryDirectory() as folder:
        out = options.out or Path(folder) / "lines.jsonl"
        before = len(read(out)) if out.exists() else 0
        done = subprocess.run(_command(options, out), env=_environment(options), check=False)
        lines = read(out)[before:] if out.exists() else []
    if done.returncode:
        return done.returncode
    print(f"\n### Baton\n\n{table(lines)}", flush=True)  # noqa: T201 - what the script is for
    if options.against:
        print(f"\n### Beside {options.against}\n\n{comparison(lines)}", flush=True)  # noqa: T201
    failures = errors(lines, OURS) + errors(lines, OTHER_CHECKOUT)
    for failure in failures:
        print(f"Baton failed: {failure}", file=sys.stderr)  # noqa: T201
    return 1 if failures else 0


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
    parser.add_argument("--against", type=checkout, help="another checkout of Baton, in turns")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--mem", action="store_true", help="memory instead of time")
    parser.add_argument("--out", type=Path, help="a file that keeps the readings as JSON lines")
    return parser.parse_args()


def _command(options: argparse.Namespace, out: Path) -> list[str]:
    """Return the call of `peers.py` with Baton; the floors run on this interpreter."""
    command = [
        sys.executable,
        str(Path(os.environ["BENCH_SHARED"]) / "peers.py"),
        "--out",
        str(out),
    ]
    ours = [OURS, OTHER_CHECKOUT] if options.against else [OURS]
    for engine in (FLOOR, TYPED, *ours):
        command += ["--add", f"{engine}={sys.executable}"]
    rounds, seconds = (1, 0.05) if options.quick else (options.rounds, options.seconds)
    command += ["--rounds", str(rounds), "--seconds", str(seconds)]
    only = options.only or ("baton" if options.against else "")
    if only:
        engines = [f"eng_{name.removeprefix('eng_')}" for name in only.split(",")]
        command += ["--only", ",".join([*engines, *ours[1:]])]
    if options.workloads:
        command += ["--workloads", options.workloads]
    return [*command, "--mem"] if options.mem else command


def _environment(options: argparse.Namespace) -> dict[str, str]:
    """Return the variables with which a worker, started in another folder, finds its engine."""
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    return environment | {"BENCH_AGAINST": str(options.against)} if options.against else environment


if __name__ == "__main__":
    sys.exit(main())

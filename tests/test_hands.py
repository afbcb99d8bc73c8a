"""What docs/hands.md says of the hands of the editor: a test of each is there, in both themes."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

NONE = "\N{EN DASH}"
ROOT = Path(__file__).resolve().parents[1]
STEPPING_IN = {
    "break-point", "moment-back", "moment-on", "pause", "step", "go-on", "note", "hand-over",
    "take-over", "end",
}  # fmt: skip
"""Commands of the rehearsal, which is no drawing."""


def rows() -> list[list[str]]:
    """The cells of each hand: its name, its commands, and the tests by mouse, keys and outline."""
    lines = (ROOT / "docs" / "hands.md").read_text().splitlines()
    table = [line for line in lines if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def named(cell: str) -> list[str]:
    """What a cell names."""
    return re.findall(r"`([^`]+)`", cell)


def test_every_command_that_has_keys_is_a_hand() -> None:
    keys = (ROOT / "static/js/canvas/commands/keys.js").read_text()
    table = keys[keys.index("export const KEYS") : keys.index("};")]
    commands = set(re.findall(r'^  "?([a-z-]+)"?: "', table, re.MULTILINE))
    assert len(commands) > 40
    assert commands - STEPPING_IN == {name for row in rows() for name in named(row[1])}


def test_every_hand_has_a_test_that_is_there_and_runs_in_both_themes() -> None:
    told = {test for row in rows() for cell in row[2:] for test in named(cell)}
    sources = {path: path.read_text() for path in (ROOT / "tests" / "e2e").rglob("test_*.py")}
    homes = {
        test: [path for path, text in sources.items() if f"def {test}(" in text] for test in told
    }
    assert {test: len(found) for test, found in homes.items()} == dict.fromkeys(told, 1)
    files = sorted({str(found[0]) for found in homes.values()})
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    variants = Counter(re.findall(r"::(test_\w+)", listed))
    assert {test for test in told if variants[test] < 2} == set()
    for hand, _, mouse, keys, outline in rows():
        assert named(keys), f"{hand} has no test by keys"
        assert named(mouse) or mouse == NONE, hand
        assert named(outline) or outline == NONE, hand
